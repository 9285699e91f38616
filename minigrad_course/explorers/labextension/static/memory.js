// memory: a program line by line; names lie on strips of memory, changes are counted, nodes put padlocks on what they saved.

import { button, element, quiet, shape, stepper, voice } from "./kit.js";

export const MARKS = { right: "✓", wrong: "✗", refused: "!" };
const LOOKS = { right: "mg-good", wrong: "mg-bad", refused: "mg-refused" };

export function render(data, root) {
  const switches = data.programs.map(({ name }, number) => button(name, () => choose(number), { class: "mg-button mg-code" }));
  const names = element("div", { class: "mg-controls", role: "group", "aria-label": "The program" }, ...switches);
  const chosen = element("div");
  const say = voice();
  const verdict = element("p", { class: "mg-verdict" });
  const legend = element(
    "p",
    { class: "mg-legend" },
    element("span", { class: "mg-lock" }, padlock("kept"), "A node saved this: it has the same version."),
    element("span", { class: "mg-lock mg-caught" }, padlock("caught"), "Another version: backward refuses."),
    element("span", { class: "mg-lock mg-slipped" }, padlock("slipped"), "Other numbers under the same version: nobody notices."),
  );
  root.append(names, chosen, say, verdict, legend);

  function choose(number) {
    const { lines, frames } = data.programs[number];
    switches.forEach((each, at) => each.setAttribute("aria-pressed", String(at === number)));
    const code = lines.map((line) => element("li", {}, element("code", {}, line)));
    const strips = element("div", { class: "mg-strips" });
    const show = (step) => {
      const frame = frames[step];
      code.forEach((each, at) => {
        each.className = at === frame.line ? "mg-now" : at < frame.line ? "" : "mg-later";
        if (at === frame.line) each.setAttribute("aria-current", "step");
        else each.removeAttribute("aria-current");
      });
      strips.replaceChildren(...frame.strips.map((each) => strip(each, frames[step - 1])));
      if (!frame.strips.length) strips.append(element("p", { class: "mg-bare" }, "Memory, still empty. What tensors hold will lie here."));
      say.textContent = frame.end ? `${frame.say} ${frame.end.say}` : frame.say;
      verdict.textContent = frame.end ? `${MARKS[frame.end.kind]} ${words(frame.end.kind)}` : "";
      verdict.className = `mg-verdict ${LOOKS[frame.end?.kind] ?? ""}`;
    };
    const { controls, go } = stepper(frames.length - 1, show, { pace: 2400 });
    const program = element("ol", { class: "mg-program", "aria-label": "The lines of the program" }, ...code);
    chosen.replaceChildren(controls, element("div", { class: "mg-memory" }, program, strips));
    quiet(controls);
    go(0);
  }
  choose(0);
}

/** How a program ends, in a few words. */
export function words(kind) {
  if (kind === "refused") return "An error, and no gradient.";
  return kind === "right" ? "The gradient is right." : "The gradient is wrong, without a word.";
}

/** One memory: the names above their cells, the padlocks below, the counts to the right. */
function strip(data, before) {
  const { cells, changed, names, counts, uncounted, locks } = data;
  const across = `grid-template-columns: repeat(${cells.length}, minmax(44px, 64px))`;
  const over = ([from, to]) => `grid-column: ${from + 1} / ${to + 1}`;
  const tags = names.map(({ name, at }) => element("code", { class: "mg-tag", style: over(at) }, name));
  if (!tags.length) tags.push(element("span", { class: "mg-tag mg-nameless", style: over([0, cells.length]) }, "no name"));
  const places = cells.map((text, at) =>
    element("span", { class: changed.includes(at) ? "mg-place mg-changed" : "mg-place", style: `grid-column: ${at + 1}` }, text),
  );
  const kept = locks.map((lock) =>
    element("span", { class: `mg-lock mg-${lock.state}`, style: over(lock.at), title: lock.say }, padlock(lock.state)),
  );
  const beside = [
    ...counts.map((each) => count(each, names.length > 1, ticked(each, data, before))),
    ...uncounted.map((name) => element("span", { class: "mg-count-of" }, element("code", {}, name), " has no version")),
    ...locks.map((lock) => element("span", { class: `mg-lock mg-${lock.state}` }, lock.say)),
  ];
  return element(
    "div",
    { class: "mg-strip" },
    element("div", { class: "mg-places", style: across }, ...tags, ...places, ...kept),
    element("div", { class: "mg-beside" }, ...beside),
  );
}

/** Whether a version has gone on since the frame before. */
export function ticked({ version, names }, { number }, before) {
  const was = before?.strips.find((each) => each.number === number)?.counts.find((each) => each.names.includes(names[0]));
  return was !== undefined && was.version !== version;
}

/** A version, and whose it is where that is a question. */
function count({ version, names }, shared, now) {
  const digits = element("b", { class: now ? "mg-digits mg-changed" : "mg-digits" }, String(version));
  const whose = shared ? [" of ", element("code", {}, names.join(", "))] : [];
  return element("span", { class: "mg-count-of" }, "version ", digits, ...whose);
}

/** A padlock: closed while all is as it was, with an open shackle where somebody got in. */
function padlock(state) {
  const shackle = state === "kept" ? "M5 8V5.5a3 3 0 0 1 6 0V8" : "M5 8V4.5a3 3 0 0 1 6 0";
  const body = shape("rect", { x: 3, y: 8, width: 10, height: 7, rx: 1.5 });
  const mark = { kept: "", caught: "M8 9.6v2.2M8 13v0.4", slipped: "M6.6 10l2.8 3M9.4 10l-2.8 3" }[state];
  return shape(
    "svg",
    { class: "mg-padlock", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" },
    shape("path", { d: shackle }),
    body,
    shape("path", { class: "mg-mark", d: mark }),
  );
}
