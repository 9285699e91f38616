// training: one slider over the steps; the boundary, the curves, the difference to torch and the calls of each part follow it.

import { element, shape, stepper, voice } from "./kit.js";

const TONES = 4;

export function render(data, root) {
  const { frames, measured } = data;
  const say = voice();
  const world = plane(data);
  const plots = [...data.plots, measured.plot].map(plot);
  const counts = calls(data.parts);
  const names = frames.map(({ name }) => name);
  const { controls, go } = stepper(
    frames.length - 1,
    (step) => {
      world.show(frames[step]);
      plots.forEach((each) => each.show(step));
      counts.show(frames[step].calls);
      say.textContent = `${frames[step].say} minigrad − torch: ${measured.plot.curves[0].texts[step]}.`;
    },
    // A voice that changes four times a second waits until the play is over.
    { pace: 260, start: data.start, names, playing: (on) => say.setAttribute("aria-busy", String(on)) },
  );
  const note = element("p", { class: "mg-small" }, measured.say);
  const charts = element("div", { class: "mg-charts" }, ...plots.map((each) => each.node), note);
  const legend = element(
    "p",
    { class: "mg-legend" },
    element("span", {}, "Blue, ●: class 0."),
    element("span", {}, "Orange, ▲: class 1."),
    element("span", {}, "The stronger the colour, the surer the network. On the line it says one half."),
  );
  root.append(controls, element("div", { class: "mg-training" }, element("div", {}, world.svg, legend), charts), counts.node, say);
  go(data.start);
}

/** For each shade the cells that have it, as one path: a run of equal cells in a row is one rectangle. */
export function runs(shades, cells, levels, cell) {
  const paths = Array.from({ length: levels }, () => "");
  for (let start = 0; start < shades.length; ) {
    const row = Math.floor(start / cells);
    let end = start + 1;
    while (end < (row + 1) * cells && shades[end] === shades[start]) end++;
    const width = (end - start) * cell;
    paths[Number(shades[start])] += `M${(start - row * cells) * cell},${row * cell}h${width}v${cell}h${-width}z`;
    start = end;
  }
  return paths;
}

/** How often each part has run, yours and ours. */
function calls(parts) {
  if (!parts.length) return { node: "", show: () => {} };
  const numbers = parts.map(() => element("b"));
  const cells = parts.map(({ name, whose }, at) =>
    element("li", { class: `mg-call mg-${whose}` }, element("code", {}, name), numbers[at], element("small", {}, whose)),
  );
  const title = element("p", { class: "mg-title" }, "How often each part has run");
  const node = element("div", { class: "mg-calls" }, title, element("ul", {}, ...cells));
  const show = (now) => numbers.forEach((each, at) => (each.textContent = grouped(now[at])));
  return { node, show };
}

/** 1,200. */
export const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

/** The plane: shades, the boundary, and the points on it. */
export function plane({ side, cells, levels, points, alt }) {
  const middle = (levels - 1) / 2;
  const shades = Array.from({ length: levels }, (_, level) => {
    const strength = 0.42 * Math.sqrt(Math.abs(level - middle) / (levels / 2));
    return shape("path", { style: `fill: rgba(var(--mg-${level > middle ? "minus" : "plus"}), ${strength.toFixed(3)})` });
  });
  const boundary = shape("path", { class: "mg-boundary" });
  const dots = points.map((d) => shape("path", { class: "mg-point", d }));
  const size = { viewBox: `0 0 ${side} ${side}`, width: 1.25 * side, height: 1.25 * side };
  const svg = shape("svg", { ...size, role: "img", "aria-label": alt }, ...shades, boundary, ...dots);
  const show = (frame) => {
    runs(frame.shades, cells, levels, side / cells).forEach((d, level) => shades[level].setAttribute("d", d));
    boundary.setAttribute("d", frame.boundary);
  };
  return { svg, show };
}

/** Curves over the steps, each with a dot where the slider is, and its number there. */
export function plot({ title, size, left, ticks, at, curves }) {
  const [width, height] = size;
  const rules = ticks.flatMap(([y, text]) => [
    shape("path", { class: "mg-rule", d: `M${left},${y}H${width - 10}` }),
    shape("text", { class: "mg-tick", x: left - 6, y: y + 4, "text-anchor": "end" }, text),
  ]);
  const marker = shape("path", { class: "mg-marker" });
  const drawn = curves.map((curve, number) => {
    const dot = shape("circle", { class: "mg-here", r: 4 });
    const text = element("b");
    const tone = `mg-tone-${number % TONES}`;
    return { dot, text, tone, line: shape("g", { class: tone }, shape("path", { class: "mg-series", d: curve.path }), dot) };
  });
  const svg = shape(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title },
    ...rules,
    marker,
    ...drawn.map(({ line }) => line),
  );
  const heads = drawn.map(({ text, tone }, number) =>
    element("span", {}, curves.length > 1 ? element("span", { class: tone }, `${curves[number].name} `) : "", text),
  );
  const node = element("div", {}, element("p", { class: "mg-small" }, element("span", {}, title), ...heads), svg);
  const show = (step) => {
    marker.setAttribute("d", `M${at[step]},6V${height - 6}`);
    drawn.forEach(({ dot, text }, number) => {
      const down = curves[number].dots[step];
      dot.setAttribute("visibility", down === null ? "hidden" : "visible"); // a training may have ended before
      dot.setAttribute("cx", at[step]);
      dot.setAttribute("cy", down ?? 0);
      text.textContent = curves[number].texts[step];
    });
  };
  return { node, show };
}
