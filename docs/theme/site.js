// What a reader has done: pages opened and read to the end, predictions answered. It stays in this browser.
(() => {
  const course = /*COURSE*/ {};
  const root = document.documentElement.dataset.content_root || "./";
  const here = document.body.dataset.page || "";
  const KEY = "minigrad pages";
  const OPEN = "minigrad revealed";
  const ANSWER = "minigrad ";

  const stored = (key) => {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null; // a page may be denied its storage; then nothing is remembered
    }
  };
  const store = (key, value) => {
    try {
      localStorage.setItem(key, JSON.stringify(value));
    } catch {
      // as above
    }
  };
  const pages = () => stored(KEY) ?? {};
  const answered = (id) => (stored(ANSWER + id)?.tried ?? []).length > 0;
  const remember = (page, how) => {
    const { [page]: before, ...others } = pages();
    store(KEY, { ...others, [page]: before === "read" ? before : how }); // the page of today comes last
  };
  const countOf = (page) => (course.predictions[page] ?? []).filter(answered).length;
  const allOf = (page) => (course.predictions[page] ?? []).length;
  const isDone = (page) => pages()[page] === "read" && countOf(page) === allOf(page);

  function show() {
    const known = pages();
    const [count, all] = [countOf, allOf].map((of) => course.pages.reduce((sum, page) => sum + of(page), 0));
    const begun = Object.keys(known).length > 1 || count > 0 || stored(OPEN) !== null;
    for (const box of document.querySelectorAll(".progress")) {
      box.hidden = !begun;
      box.querySelector("p").textContent = `${count} of ${all} predictions answered`;
      const bar = box.querySelector(".progress-bar");
      bar.setAttribute("aria-valuemax", all);
      bar.setAttribute("aria-valuenow", count);
      bar.firstElementChild.style.width = `${(100 * count) / all}%`;
    }
    for (const link of document.querySelectorAll(".sidebar-tree a.reference")) {
      const page = pageOf(link);
      link.parentElement.querySelector(":scope > .mark")?.remove();
      if (!course.pages.includes(page) || !known[page]) continue;
      const mark = document.createElement("span");
      mark.className = isDone(page) ? "mark done" : "mark";
      mark.textContent = isDone(page) ? "✓" : allOf(page) ? `${countOf(page)}/${allOf(page)}` : "";
      mark.title = isDone(page) ? "read" : "predictions answered";
      if (mark.textContent) link.after(mark);
    }
    for (const chapter of document.querySelectorAll("ol.map > li")) {
      const [lesson, exercise] = chapter.dataset.pages.split(" ");
      const parts = [];
      if (countOf(lesson)) parts.push(`${countOf(lesson)} of ${allOf(lesson)} predictions answered`);
      if (known[lesson]) parts.push(known[lesson] === "read" ? "lesson read" : "lesson begun");
      if (exercise && known[exercise]) parts.push("exercise opened");
      chapter.querySelector(".said").textContent = parts.join(", ");
      chapter.classList.toggle("done", isDone(lesson));
    }
    const next = document.querySelector("[data-continue]");
    const last = Object.keys(known).at(-1);
    if (next && begun && last) {
      const open = (page) => !isDone(page);
      const page = course.pages.slice(course.pages.indexOf(last)).find(open) ?? course.pages.find(open) ?? last;
      const [, kind, number] = page.match(/(lesson|exercise)s\/(\d+)/);
      next.href = `${root}${page}.html`;
      next.textContent = `${known[page] ? "Go on with" : "Begin"} ${kind} ${Number(number)}`;
      next.nextElementSibling.textContent = course.titles[page];
    }
    for (const each of document.querySelectorAll(".forget")) each.hidden = !begun;
  }

  function pageOf(link) {
    const home = new URL(root, document.baseURI).pathname;
    return new URL(link.href).pathname.slice(home.length).replace(/\.html$/, "") || here;
  }

  function forget() {
    if (!window.confirm("Forget all your answers, and which pages you have read?")) return;
    for (const key of [KEY, OPEN, ...Object.values(course.predictions).flat().map((id) => ANSWER + id)]) localStorage.removeItem(key);
    location.reload();
  }

  // Ctrl+K, or ⌘K, leads to the search box, as elsewhere; on a narrow page it is behind the menu.
  function search(event) {
    const box = document.querySelector(".sidebar-search");
    if (!box || event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    const menu = document.getElementById("__navigation");
    if (box.getBoundingClientRect().right <= 0) menu?.click();
    setTimeout(() => box.focus(), box.checkVisibility({ visibilityProperty: true }) ? 0 : 300); // until it has come in
  }

  function begin() {
    if (course.pages.includes(here)) {
      remember(here, "opened");
      const foot = document.querySelector(".related-pages");
      const seen = new IntersectionObserver((found) => {
        if (!found.some((each) => each.isIntersecting)) return;
        seen.disconnect();
        remember(here, "read");
        show();
      });
      if (foot) seen.observe(foot);
      document.querySelector("article").addEventListener("click", (event) => event.target.closest(".mg-choice") && setTimeout(show));
    }
    document.querySelector(".forget button")?.addEventListener("click", forget);
    addEventListener("keydown", search);
    show();
    play();
    reveal();
    cover();
    menus();
    scrollable();
    arrive();
  }

  // Where a link led stays in its place while what is above is still being drawn, until the reader moves on.
  function arrive() {
    const target = document.getElementById(location.hash.slice(1));
    if (!target || performance.getEntriesByType("navigation")[0]?.type !== "navigate") return;
    const watch = new ResizeObserver(() => target.scrollIntoView({ behavior: "instant" }));
    watch.observe(document.querySelector("article"));
    for (const way of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(way, () => watch.disconnect(), { once: true, passive: true });
  }

  // What was opened here stays open. The right choice opens the results that it was about.
  function reveal() {
    const folded = [...document.querySelectorAll("article details.hide")];
    const keep = () => store(OPEN, { ...stored(OPEN), [here]: [...folded.keys()].filter((number) => folded[number].open) });
    for (const number of stored(OPEN)?.[here] ?? []) if (folded[number]) folded[number].open = true;
    for (const each of folded) each.firstElementChild.addEventListener("click", () => setTimeout(keep));
    document.querySelector("article").addEventListener("click", ({ target }) => {
      const choice = target.closest(".mg-choice");
      if (!choice?.querySelector(".mg-good")) return;
      const all = [...document.querySelectorAll("article .mg[aria-label=Prediction], article details.hide.below-input")];
      for (const each of all.slice(all.indexOf(choice.closest(".mg")) + 1)) {
        if (each.localName !== "details") break;
        each.open = true;
      }
      keep();
    });
  }

  // A text that explains an answer waits until somebody has chosen one, or looks at the result.
  function cover() {
    for (const told of document.querySelectorAll("article .told")) {
      const details = told.previousElementSibling?.querySelector("details.hide.below-input");
      const follow = () => (told.hidden = !details?.open && !answered(told.dataset.of));
      details?.addEventListener("toggle", follow);
      document.querySelector("article").addEventListener("click", () => setTimeout(follow));
      follow();
    }
    addEventListener("beforeprint", () => document.querySelectorAll("details.hide.below-input").forEach((each) => (each.open = true)));
  }

  // The walk of the first page plays once by itself, or shows its end where motion disturbs. It is not read aloud unasked.
  function play() {
    const opening = document.querySelector(".opening");
    if (!opening) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let touched = false; // whoever has taken hold of it is not to be played against
    for (const way of ["pointerdown", "keydown"]) opening.addEventListener(way, () => (touched = true), { once: true });
    const start = (tries) => {
      if (touched) return;
      const button = opening.querySelector(".mg-main");
      if (!button) return void (tries && setTimeout(start, 100, tries - 1));
      const said = opening.querySelector(".mg-say");
      said.setAttribute("aria-live", "off");
      opening.addEventListener("pointerdown", () => said.setAttribute("aria-live", "polite"), { once: true });
      opening.addEventListener("keydown", () => said.setAttribute("aria-live", "polite"), { once: true });
      if (!still) return void button.click();
      const step = opening.querySelector("input[type=range]");
      step.value = step.max;
      step.dispatchEvent(new Event("input", { bubbles: true }));
    };
    setTimeout(start, still ? 0 : 900, 30);
  }

  // The menus of a narrow page: furo opens them with labels, which no keyboard reaches. Escape closes them.
  function menus() {
    for (const label of document.querySelectorAll("label:is(.nav-overlay-icon, .toc-overlay-icon)")) {
      const button = Object.assign(document.createElement("button"), { type: "button", className: label.className });
      const box = document.getElementById(label.htmlFor);
      button.setAttribute("aria-label", label.htmlFor === "__toc" ? "On this page" : "Course");
      button.append(...label.childNodes);
      button.addEventListener("click", () => (box.checked = !box.checked));
      label.replaceWith(button);
    }
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") document.querySelectorAll(".sidebar-toggle").forEach((each) => (each.checked = false));
    });
  }

  // What scrolls sideways can be reached with the keyboard.
  function scrollable() {
    const kinds = "article pre, article .table-wrapper, article .block-math, article .output.text_html";
    for (const each of document.querySelectorAll(kinds)) if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
  }

  begin();
})();
