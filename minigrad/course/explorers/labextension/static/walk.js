// walk: a program forward, then backward, one operation at a time; an arrow says upstream × local = share.

import { Board, stateAfter } from "./board.js";
import { element, stepper, voice, watchWidth } from "./kit.js";

export function render(data, root) {
  const board = new Board(data);
  const say = voice();
  const sums = element("div", { class: "mg-sums" });
  const show = (count) => {
    const step = data.steps[count - 1];
    board.light(stateAfter(data.start, data.steps, count));
    say.textContent = (step ?? data.start).say;
    sums.classList.toggle("mg-aligned", (step?.products ?? []).every((each) => each.times === "×"));
    sums.replaceChildren(...(step?.products ?? []).map(sum));
  };
  const { controls, go } = stepper(data.steps.length, show);
  const legend = element(
    "p",
    { class: "mg-legend" },
    element("span", {}, "Blue: leaves, which keep their gradient."),
    element("span", {}, "“up”: the upstream gradient of an operation."),
  );
  root.append(controls, board.svg, say, sums, legend);
  go(0);
  board.fit(1e6);
  watchWidth(root, (width) => board.fit(width));
}

/** What goes along one arrow, with shapes beside values where there are any. */
function sum({ to, upstream, local, share, shapes, times }) {
  const term = (text, name, shape) =>
    element(
      "span",
      { class: "mg-term" },
      element("span", {}, text),
      element("small", {}, shape === "[]" ? name : `${name}, shape ${shape}`),
    );
  const head = element("span", {}, "to ", element("code", {}, to));
  const left = term(upstream, "upstream", shapes[0]);
  const right = times ? [element("span", {}, times), term(local, how(times), shapes[1])] : [];
  return element("div", { class: "mg-sum" }, head, left, ...right, element("span", {}, "="), term(share, "share", shapes[2]));
}

function how(times) {
  if (times === "·") return "Jacobian";
  return times === "∘" ? "local, entry by entry" : "local derivative";
}
