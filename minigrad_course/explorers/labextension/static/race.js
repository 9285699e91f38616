// race: one graph walked in two orders side by side, for each spelling of the program; what comes too late is lost.

import { Board, stateAfter } from "./board.js";
import { button, element, stepper, watchWidth } from "./kit.js";

export function render(data, root) {
  const chosen = element("div");
  const switches = data.spellings.map((spelling, number) =>
    button(spelling.name, () => choose(number), { class: "mg-button mg-code" }),
  );
  const names = element("div", { class: "mg-controls", role: "group", "aria-label": "The program" }, ...switches);
  const live = element("p", { class: "mg-hidden", "aria-live": "polite" });
  root.append(names, chosen, live);

  let step = 0;
  let boards = [];
  function choose(number) {
    const { lanes, ...board } = data.spellings[number];
    switches.forEach((each, at) => each.setAttribute("aria-pressed", String(at === number)));
    const drawn = lanes.map((lane) => draw(board, lane, data));
    boards = drawn.map((each) => each.board);
    const last = Math.max(...lanes.map((lane) => lane.steps.length));
    const { controls, go } = stepper(last, (count) => {
      step = count;
      live.textContent = drawn.map((each) => each.show(count)).join(" ");
    });
    chosen.replaceChildren(controls, element("div", { class: "mg-lanes" }, ...drawn.map((each) => each.node)));
    fit();
    go(step);
    for (const control of controls.children) control.setAttribute("data-lm-suppress-shortcuts", "true");
  }
  function fit() {
    for (const board of boards) board.fit(board.svg.parentNode.clientWidth);
  }
  choose(0);
  watchWidth(root, fit);
}

/** One order: its name, its board, what it does now, and how it ends. */
function draw(data, lane, whole) {
  const board = new Board({ ...data, alt: whole.alt });
  const say = element("p", { class: "mg-say" });
  const verdict = element("p", { class: "mg-verdict" });
  const title = element("p", { class: "mg-title" }, lane.name);
  const note = element("p", { class: "mg-small" }, lane.note);
  const node = element("div", { class: "mg-lane" }, title, note, board.svg, say, verdict);
  const show = (count) => {
    const steps = Math.min(count, lane.steps.length);
    board.light(stateAfter(data.start, lane.steps, steps));
    say.textContent = steps ? lane.steps[steps - 1].say : data.start.say;
    const over = steps === lane.steps.length;
    verdict.textContent = over ? `${lane.right ? "✓" : "✗"} ${lane.ends}` : "";
    verdict.className = `mg-verdict ${lane.right ? "mg-good" : "mg-bad"}`;
    return `${lane.name}: ${say.textContent} ${over ? lane.ends : ""}`;
  };
  return { board, node, show };
}
