// walk: a program forward, then backward, one operation at a time; an arrow says upstream × local = share.

import { Board, stateAfter } from "./board.js";
import { element, steady, stepper, voice, watchWidth } from "./kit.js";

export function render(data, root) {
  const board = new Board(data);
  const say = voice();
  const below = element("div", {}, say, legend());
  const show = (count) => {
    const step = data.steps[count - 1];
    board.light(stateAfter(data.start, data.steps, count));
    say.textContent = (step ?? data.start).say;
    below.lastChild.replaceWith(step?.products?.length ? sums(step.products) : legend());
  };
  const { controls, go } = stepper(data.steps.length, show);
  root.append(controls, board.svg, below);
  go(0);
  board.fit(1e6);
  watchWidth(root, (width) => board.fit(width));
  const all = [data.start, ...data.steps];
  steady(root, below, () => all.map(({ say, products = [] }) => [element("p", { class: "mg-say" }, say), products.length ? sums(products) : legend()]));
}

/** What the colours and words of the board mean; where a step sends shares, these take its place. */
function legend() {
  return element(
    "p",
    { class: "mg-legend mg-rows" },
    element("span", {}, "Blue: leaves, which keep their gradient."),
    element("span", {}, "“up”: the upstream gradient of an operation."),
  );
}

function sums(products) {
  const aligned = products.every((each) => each.times === "×");
  return element("div", { class: `mg-sums${aligned ? " mg-aligned" : ""}` }, ...products.map(sum));
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
