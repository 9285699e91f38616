// The page of results: what a question or a lesson says first, then the engine's pages, then single names; a word that
// is nowhere is read as the nearest one that is.
/* global Search, Stemmer, splitQuery, stopwords -- what Sphinx brings */
(() => {
  const GROUPS = [["Questions and lessons", /^(docs\/(questions|index)|lessons)/], ["Exercises", /^exercises/], ["The engine", /^docs\/engine/], ["Names of the engine"], ["About the course", /./]];
  const KINDS = [[/(index|engine)$/, -20], [/^docs\/questions/, 8]]; // lists repeat what other pages say
  const SUGGESTED = ["grad is None", "retain_graph", "leaf"];
  const SHOWN = 5;
  const stemmer = new Stemmer();
  const make = (tag, inside = [], more = {}) => {
    const made = Object.assign(document.createElement(tag), more);
    made.append(...[inside].flat());
    return made;
  };
  const stem = (word) => stemmer.stemWord(word);

  Search.performSearch = () => {}; // it begins when the index is there
  Search.setIndex = (index) => {
    Search._index = index;
    Search.query();
  };
  Search.query = () => {
    const asked = new URLSearchParams(location.search).get("q")?.trim() ?? "";
    for (const box of document.querySelectorAll("input[name=q]")) box.value = asked;
    const typed = splitQuery(asked.toLowerCase()).filter((word) => !stopwords.has(word) && !/^\d+$/.test(word));
    const words = typed.map((word) => ({ word, term: nearest(stem(word)) }));
    const groups = grouped(words.filter(({ term }) => term));
    const out = document.getElementById("search-results");
    const said = make("p", [], { className: "search-summary", role: "status" });
    out.replaceChildren(said, ...groups.map(([name, found]) => section(name, found, words)));
    if (!asked || !groups.length) return void said.append(...(asked ? ["Nothing here says ", make("em", asked), ". "] : []), "Try ", ...suggestions());
    const mended = words.filter(({ word, term }) => term !== stem(word));
    if (mended.some(({ term }) => term)) say(said, words, groups);
    else if (mended.length) said.append("No page says ", ...listed(mended.map(({ word }) => word)), ".");
  };

  const listed = (words) => words.flatMap((word, at) => [at ? ", " : "", make("em", word)]);
  const suggestions = () => SUGGESTED.flatMap((each, at) => [["", ", ", " or "][at], make("a", each, { href: `?q=${encodeURIComponent(each)}` })]).concat(".");

  // The index has stems; the first page that was found has the word.
  async function say(said, words, groups) {
    const text = (await textOf(groups[0][1][0])).toLowerCase();
    const whole = (term) => splitQuery(text).find((word) => stem(word) === term) ?? term;
    const meant = words.filter(({ term }) => term).map(({ word, term }) => (term === stem(word) ? word : whole(term)));
    said.append("Showing results for ", make("em", meant.join(" ")), ".");
  }

  /** The stem itself if it is in the index, or in one of its words; else the nearest one, by a letter, or two in a long word. */
  function nearest(term) {
    const { terms, titleterms } = Search._index;
    const files = (each) => [terms[each] ?? titleterms[each]].flat().length;
    const known = [...new Set([...Object.keys(terms), ...Object.keys(titleterms)])].filter(files); // an old index has empty ones
    if (known.includes(term) || (term.length > 2 && known.some((each) => each.includes(term)))) return term;
    const [best] = known
      .filter((each) => each.length > 2 && !/\d/.test(each) && Math.abs(each.length - term.length) < 3)
      .map((each) => ({ each, rank: [distance(term, each), each[0] !== term[0], -files(each)] }))
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

  /** Pages that say all words, or else as many as any page does, and names that contain all; best first. */
  function grouped(words) {
    const { docnames, titles, terms, titleterms } = Search._index;
    const pages = new Map();
    for (const { term } of words) {
      const scores = new Map();
      for (const [index, whole, part] of [[terms, 5, 2], [titleterms, 15, 7]])
        for (const [each, files] of Object.entries(index))
          if (each === term || (term.length > 2 && each.includes(term)))
            for (const file of [files].flat()) scores.set(file, Math.max(scores.get(file) ?? 0, each === term ? whole : part));
      for (const [file, score] of scores) {
        const first = { page: docnames[file], title: titles[file], anchor: "", count: 0, score: KINDS.find(([where]) => where.test(docnames[file]))?.[1] ?? 0 };
        const found = pages.get(file) ?? first;
        pages.set(file, { ...found, count: found.count + 1, score: found.score + score });
      }
    }
    const most = Math.max(0, ...[...pages.values()].map(({ count }) => count));
    const found = [...pages.values()].filter(({ count }) => count === most).map((each) => inside(each, words));
    const named = new Set(words.map(({ word, term }) => (term === stem(word) ? word : term)));
    const objects = [...named].flatMap((word) => Search.performObjectSearch(word, named));
    const single = new Map(objects.map(([page, title, anchor, , score]) => [title, { page, title, anchor, score, object: true, on: titles[docnames.indexOf(page)] }]));
    found.push(...single.values());
    found.sort((a, b) => b.score - a.score || a.title.length - b.title.length);
    const group = ({ page, object }) => GROUPS.find(([, where]) => (object ? !where : where?.test(page)))[0];
    return GROUPS.map(([name]) => [name, found.filter((each) => group(each) === name)]).filter(([, all]) => all.length);
  }

  /** The section of a page whose heading has all words, if there is one. */
  function inside(found, words) {
    const all = (text) => words.every(({ word }) => text.toLowerCase().includes(word));
    if (all(found.title)) return found;
    for (const [heading, places] of Object.entries(Search._index.alltitles))
      for (const [file, id] of places)
        if (id && all(heading) && Search._index.docnames[file] === found.page) return { ...found, anchor: `#${id}`, heading };
    return found;
  }

  function section(name, found, words) {
    const list = make("ul", found.map((each, at) => item(each, words, at)), { className: "search" });
    const rest = make("button", `Show all ${found.length}`, { type: "button", hidden: found.length <= SHOWN, onclick: () => {
      for (const each of list.children) each.hidden = false;
      rest.remove();
      list.children[SHOWN].firstElementChild.focus();
    } });
    return make("section", [make("h2", name), list, rest]);
  }

  function item(found, words, at) {
    const link = make("a", found.heading ? `${found.title} › ${found.heading}` : found.title, { href: `${found.page}.html${found.anchor}` });
    const shown = make("li", found.object ? [link, ` in ${found.on}`] : link, { hidden: at >= SHOWN });
    if (!found.object && at < 2 * SHOWN) textOf(found).then((text) => text && shown.append(excerpt(text, words)));
    return shown;
  }

  // Fetched once. What waits behind *Reveal* stays there; blocks and cells of a table are words of their own.
  const texts = new Map();
  function textOf({ page }) {
    if (!texts.has(page)) texts.set(page, fetch(`${page}.html`).then((answer) => answer.text()).then(plain).catch(() => ""));
    return texts.get(page);
  }
  function plain(html) {
    const article = new DOMParser().parseFromString(html, "text/html").querySelector("article");
    for (const each of article.querySelectorAll(".headerlink, .page-links, script, style, svg, details.hide, h1")) each.remove();
    for (const each of article.querySelectorAll("td, th, caption, p, li, dt, dd, pre, div, h2, h3, h4, br, button, label, .number")) each.after(" ");
    article.append(...article.querySelectorAll("pre")); // sentences are shown rather than programs
    return article.textContent.replace(/\s+/g, " ").trim();
  }

  /** The two lines of a text where most of the words are, marked. */
  function excerpt(text, words) {
    const terms = words.map(({ term }) => term).filter(Boolean);
    const sought = new RegExp(`((?<![a-z])(?:${terms.join("|")})\\w*)`, "gi");
    const parts = text.split(sought);
    const starts = [];
    for (let at = 0, index = 0; index < parts.length; at += parts[index++].length) if (index % 2) starts.push([at, terms.find((term) => parts[index].toLowerCase().startsWith(term))]);
    const count = (from) => new Set(starts.filter(([at]) => at >= from && at < from + 150).map(([, word]) => word)).size;
    const [start] = starts.reduce((best, each) => (count(each[0]) > count(best[0]) ? each : best), starts[0] ?? [0]);
    const from = start < 60 ? 0 : text.indexOf(" ", start - 50) + 1;
    const end = text.length - from > 220 ? text.lastIndexOf(" ", from + 220) : text.length;
    const shown = text.slice(from, end).split(sought).map((part, at) => (at % 2 ? make("mark", part) : part));
    return make("p", [from ? "… " : "", ...shown, end < text.length ? " …" : ""], { className: "context" });
  }
})();
