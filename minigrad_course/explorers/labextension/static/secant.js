// secant: two runs a little to each side, nearer and nearer; the secant meets the tangent, but not at a kink.

import { element, shape, stepper, voice } from "./kit.js";

export function render(data, root) {
  const say = voice();
  const plots = data.curves.map((curve) => plot(curve, data.size));
  const last = data.epsilons.length - 1;
  const { controls, go } = stepper(last, (step) => {
    plots.forEach((each) => each.show(step));
    const slopes = data.curves.map((curve) => `${curve.name}: the secant has the slope ${curve.frames[step].slope}, the tangent ${curve.slope}`);
    const ends = step === last ? data.curves.filter((curve) => !curve.meets).map((curve) => `${curve.name} has a kink: they never meet.`) : [];
    say.textContent = [`ε = ${data.epsilons[step]}. ${slopes.join("; ")}.`, ...ends].join(" ");
  });
  const legend = element(
    "p",
    { class: "mg-legend" },
    element("span", {}, "Orange: the secant through f(x − ε) and f(x + ε)."),
    element("span", {}, "Green, dashed: the slope that backward gives."),
  );
  root.append(controls, element("div", { class: "mg-plots" }, ...plots.map((each) => each.node)), say, legend);
  go(0);
}

/** One function: its curve, its tangent, and the secant of a step. */
function plot(curve, [width, height]) {
  const secant = shape("path", { class: "mg-secant" });
  const dots = [0, 1].map(() => shape("circle", { class: "mg-dot", r: 5 }));
  const svg = shape(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `The curve of ${curve.name}` },
    shape("path", { class: "mg-curve", d: curve.curve }),
    shape("path", { class: "mg-tangent", d: curve.tangent }),
    secant,
    shape("circle", { class: "mg-point", r: 4, cx: curve.point[0], cy: curve.point[1] }),
    ...dots,
  );
  const slope = element("span");
  const title = element("p", { class: "mg-title" }, element("code", {}, curve.name));
  const show = (step) => {
    const frame = curve.frames[step];
    secant.setAttribute("d", frame.secant);
    dots.forEach((dot, at) => {
      dot.setAttribute("cx", frame.dots[at][0]);
      dot.setAttribute("cy", frame.dots[at][1]);
    });
    slope.textContent = `secant ${frame.slope}, tangent ${curve.slope}`;
  };
  return { node: element("div", {}, title, element("p", { class: "mg-small" }, slope), svg), show };
}
