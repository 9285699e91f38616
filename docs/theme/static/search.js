// The page of results: what a question or a lesson says first, then the engine's pages, then single names; a word that
// is nowhere is read as the nearest one that is. TEXTS has the texts: `docs/searching.py`.
/* global TEXTS */
(() => {
  const GROUPS = [["Questions and lessons", /^(docs\/(questions|index)|lessons)/], ["Exercises", /^exercises/], ["The engine", /^docs\/engine/], ["Names of the engine"], ["About the course", /./]];
  const KINDS = [[/(index|engine|names)$/, -30], [/^(docs\/(questions|platforms)|INSTRUCTORS)/, 12], [/(benchmarks|00_start_here)$|^CONTRIBUTING/, -12]]; // lists repeat what other pages say
  const SUGGESTED = ["grad is None", "retain_graph", "leaf"];
  const SHOWN = 5;
  const ON_A_PAGE = 3; // sections of one page among the results
  const STOPPED = new Set("a about an and any are as at be been but by can could did do does don for from get go got had has have how i if in is it its m me my no not of on or s should so t than that the their them then there these they this to use was we what when where which who why will with would you your".split(" "));
  const make = (tag, inside = [], more = {}) => {
    const made = Object.assign(document.createElement(tag), more);
    made.append(...[inside].flat());
    return made;
  };

  // "in place" is one word in each of its spellings.
  const joined = (text) => text.toLowerCase().replace(/\bin[- ]place\b(?! of\b)/g, "inplace");
  const wordsOf = (text) => joined(text).match(/[\p{L}\p{N}_]+/gu) ?? [];
  // What graders do is no gradient: without its ending, "grading" would be "grad".
  const GRADES = /^grad(e|ing)/;
  const stem = (word) => (GRADES.test(word) ? "grade" : word.length > 4 ? word.replace(/(ing|ed|es|s|e)$/, "") : word);
  const counted = (text) => {
    const found = new Map();
    for (const word of wordsOf(text)) found.set(word, (found.get(word) ?? 0) + 1);
    return found;
  };
  const places = TEXTS.flatMap(([page, title, sections, names]) => [
    ...sections.map(([anchor, heading, text], at) => ({ page, title, anchor: at ? `#${anchor}` : "", heading: at ? heading : "", head: heading, text })),
    ...names.map(([anchor, name, text]) => ({ page, title: name, anchor: `#${anchor}`, heading: "", head: name, text, object: true, on: title })),
  ]);
  for (const each of places) Object.assign(each, { inHead: counted(each.head), inText: counted(each.text) });
  const known = new Map(); // in how many places a word is
  for (const { inHead, inText } of places) for (const word of new Set([...inHead.keys(), ...inText.keys()])) known.set(word, (known.get(word) ?? 0) + 1);

  function answer() {
    const asked = new URLSearchParams(location.search).get("q")?.trim() ?? "";
    for (const box of document.querySelectorAll("input[name=q]")) box.value = asked;
    const typed = [...new Set(wordsOf(asked))];
    const telling = typed.filter((word) => !STOPPED.has(word) && !/^\d+$/.test(word));
    const words = telling.map((word) => ({ word, term: nearest(word) }));
    const terms = words.map(({ term }) => term).filter(Boolean);
    const groups = grouped(terms, joined(asked));
    const out = document.getElementById("search-results");
    const said = make("p", [], { className: "search-summary", role: "status" });
    out.replaceChildren(said, ...groups.map(([name, found]) => section(name, found, terms)));
    if (!asked || !groups.length) return void said.append(...(asked ? ["Nothing here says ", make("em", asked), ". "] : []), "Try ", ...suggestions());
    const mended = words.filter(({ word, term }) => term !== word);
    if (mended.some(({ term }) => term)) said.append("Showing results for ", make("em", terms.join(" ")), ".");
    else if (mended.length) said.append("No page says ", ...listed(mended.map(({ word }) => word)), ".");
  }

  const listed = (words) => words.flatMap((word, at) => [at ? ", " : "", make("em", word)]);
  const suggestions = () => SUGGESTED.flatMap((each, at) => [["", ", ", " or "][at], make("a", each, { href: `?q=${encodeURIComponent(each)}` })]).concat(".");

  /** The word itself if it, its stem or a word with it in it is somewhere; else the nearest one, by a letter, or two in a long word. */
  function nearest(term) {
    const all = [...known.keys()];
    if (known.has(term) || (term.length > 2 && all.some((each) => each.includes(stem(term))))) return term;
    const [best] = all
      .filter((each) => each.length > 2 && !/\d/.test(each) && Math.abs(each.length - term.length) < 3)
      .map((each) => ({ each, rank: [distance(term, each), each[0] !== term[0], -known.get(each)] }))
      .filter(({ rank: [far, other] }) => far <= (term.length > 2) + (term.length > 7 && !other))
      .sort((a, b) => a.rank.map((one, at) => one - b.rank[at]).find(Boolean) ?? 0);
    return best?.each;
  }

  /** How many letters have to be added, dropped, changed, or swapped with the next. */
  function distance(a, b) {
    const rows = [[...Array(b.length + 1).keys()]];
    for (let i = 1; i <= a.length; i++) {
      rows[i] = [i];
      for (let j = 1; j <= b.length; j++) {
        const same = a[i - 1] === b[j - 1];
        rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + !same);
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
    return rows[a.length][b.length];
  }

  /** How much of a word is in a text: the word itself, another form of it, or a longer word with it in it. */
  function weight(words, term, whole, form, part) {
    if (words.has(term)) return whole + Math.min(words.get(term), 4);
    const root = stem(term);
    let best = 0;
    for (const each of words.keys()) if (stem(each) === root) best = form; else if (term.length > 2 && each.includes(root)) best = Math.max(best, part);
    return best;
  }

  /** Sections that say all words, or else as many as any does, and names that contain all; best first. Their groups in
   * turn, after the one that an identifier is the name of something in, or that about the course, if the best is there. */
  function grouped(terms, phrase) {
    const rated = places.map((place) => {
      const weights = terms.map((term) => weight(place.inHead, term, 40, 25, 8) + (place.object ? 0 : weight(place.inText, term, 10, 6, 1)));
      const together = terms.length > 1 ? 40 * joined(place.head).includes(phrase) + 15 * joined(place.text).includes(phrase) : 0;
      const kind = KINDS.find(([where]) => where.test(place.page))?.[1] ?? 0;
      return { ...place, count: weights.filter(Boolean).length, score: together + kind + weights.reduce((a, b) => a + b, 0) };
    });
    const most = Math.max(0, ...rated.map(({ count, object }) => (object ? 0 : count)));
    const found = rated.filter(({ count, object }) => count && count === (object ? terms.length : most));
    found.sort((a, b) => b.score - a.score || a.title.length - b.title.length);
    const group = ({ page, object }) => GROUPS.find(([, where]) => (object ? !where : where?.test(page)))[0];
    const taken = new Map();
    const few = found.filter(({ page, object }) => object || (taken.set(page, (taken.get(page) ?? 0) + 1), taken.get(page) <= ON_A_PAGE));
    const called = few.filter(({ object, title }) => object && /_/.test(terms[0]) && title.split(".").at(-1) === terms[0]);
    const named = terms.length === 1 && (called.find(({ title }) => title.includes("Tensor.")) ?? called[0]);
    const best = few.find(({ object }) => !object);
    const first = named || (best && group(best) === GROUPS.at(-1)[0] && best);
    const groups = GROUPS.map(([name]) => [name, few.filter((each) => group(each) === name)]).filter(([, all]) => all.length);
    if (named) groups.find(([name]) => name === group(named))[1].sort((a, b) => (b === named) - (a === named));
    return groups.sort(([a], [b]) => (first ? (b === group(first)) - (a === group(first)) : 0));
  }

  function section(name, found, terms) {
    const list = make("ul", found.map((each, at) => item(each, terms, at)), { className: "search" });
    const rest = make("button", `Show all ${found.length}`, { type: "button", hidden: found.length <= SHOWN, onclick: () => {
      for (const each of list.children) each.hidden = false;
      rest.remove();
      list.children[SHOWN].firstElementChild.focus();
    } });
    return make("section", [make("h2", name), list, rest]);
  }

  function item(found, terms, at) {
    const link = make("a", found.heading ? `${found.title} › ${found.heading}` : found.title, { href: `${found.page}.html${found.anchor}` });
    const shown = make("li", found.object ? [link, ` in ${found.on}`] : link, { hidden: at >= SHOWN });
    if (found.text) shown.append(excerpt(found.text, terms));
    return shown;
  }

  /** The two lines of a text where most of the words are, marked. */
  function excerpt(text, terms) {
    const roots = terms.map((term) => (term === "inplace" ? "in[- ]?place(?! of)" : GRADES.test(term) ? "grad(?:e|ing)" : stem(term)));
    const sought = new RegExp(`((?<![a-z])(?:${roots.join("|")})\\w*)`, "gi");
    const parts = text.split(sought);
    const starts = [];
    for (let at = 0, index = 0; index < parts.length; at += parts[index++].length) if (index % 2) starts.push([at, roots.find((root) => new RegExp(`^${root}`, "i").test(parts[index]))]);
    const count = (from) => new Set(starts.filter(([at]) => at >= from && at < from + 150).map(([, word]) => word)).size;
    const [start] = starts.reduce((best, each) => (count(each[0]) > count(best[0]) ? each : best), starts[0] ?? [0]);
    const from = start < 60 ? 0 : text.indexOf(" ", start - 50) + 1;
    const end = text.length - from > 220 ? text.lastIndexOf(" ", from + 220) : text.length;
    const shown = text.slice(from, end).split(sought).map((part, at) => (at % 2 ? make("mark", part) : part));
    return make("p", [from ? "… " : "", ...shown, end < text.length ? " …" : ""], { className: "context" });
  }

  answer();
})();
