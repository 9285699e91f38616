// mistakes: a switch puts a known mistake into one part; the training with it runs beside the right one.

import { button, element, quiet, stepper, voice } from "./kit.js";
import { plane, plot } from "./training.js";

export function render(data, root) {
  const { right, names } = data;
  const { choices } = data.measured;
  const switches = choices.map(({ name }, number) => button(name, () => choose(number), { class: "mg-button mg-code" }));
  const group = element("div", { class: "mg-controls", role: "group", "aria-label": "The mistake" }, ...switches);
  const explained = element("p", { class: "mg-hint" });
  const worlds = [plane({ ...data, alt: "The right engine" }), plane({ ...data, alt: "The engine with the mistake" })];
  const chart = element("div", { class: "mg-charts" });
  const say = voice();
  const titled = (title, world) => element("div", {}, element("p", { class: "mg-title" }, title), world.svg);
  const planes = [titled("right", worlds[0]), titled("with the mistake", worlds[1])];
  let choice = choices[0];
  let curves;
  let step = names.length - 1;

  const { controls, go } = stepper(
    names.length - 1,
    (now) => {
      step = now;
      worlds[0].show(right[step]);
      worlds[1].show(last(choice.frames, step));
      curves.show(step);
      say.textContent = `${right[step].say} ${choice.say[step]}`;
    },
    { pace: 500, start: step, names, playing: (on) => say.setAttribute("aria-busy", String(on)) },
  );
  root.append(group, explained, controls, element("div", { class: "mg-mistakes" }, ...planes, chart), say);

  function choose(number) {
    choice = choices[number];
    switches.forEach((each, at) => each.setAttribute("aria-pressed", String(at === number)));
    explained.textContent = choice.explanation;
    curves = plot(choice.plot);
    chart.replaceChildren(curves.node);
    quiet(chart);
    go(step);
  }
  choose(0);
}

/** What there is at a step, or what there was when it ended. */
export const last = (frames, step) => frames[Math.min(step, frames.length - 1)];
