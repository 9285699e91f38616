// reach: choose an entry of an input, and see its ways to the result and what comes back; or one of the result.

import { factor, shape, text, voice } from "./kit.js";

export function render(data, root) {
  const { grids, links, v } = data;
  const [wide, high] = data.cell;
  const last = grids.length - 1;
  const say = voice();
  const lines = shape("g");
  const tips = shape("g");
  const cells = grids.map((grid, which) => grid.cells.map((_, entry) => cell(grid, which, entry)));
  const titles = grids.map(({ title, cells: [[x, y]] }) => shape("text", { x, y: y - 8, class: "mg-shape" }, title));
  const [width, height] = data.size;
  const svg = shape("svg", { viewBox: `-2 -2 ${width + 4} ${height + 4}`, width: width + 4, height: height + 4 });
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", data.alt);
  lines.append(...links.map(([which, entry, out]) => way(cells[which][entry], cells[last][out], "mg-thread")));
  svg.append(lines, ...titles, ...cells.flat().map((each) => each.node), tips);
  root.append(svg, say);
  say.textContent = "Choose an entry of an input to see what it reaches and what comes back, or one of the result to see what made it.";

  function cell(grid, which, entry) {
    const [x, y] = grid.cells[entry];
    const kind = which === last ? "result" : "leaf";
    const middle = x + wide / 2;
    const node = shape(
      "g",
      { class: `mg-${kind} mg-pick`, role: "button", tabindex: 0, "aria-label": `${grid.labels[entry]} = ${grid.values[entry]}` },
      shape("rect", { class: "mg-box", x: x + 2, y: y + 2, width: wide - 4, height: high - 4, rx: 6 }),
      shape("text", { class: "mg-value", x: middle, y: y + high / 2 + 5, "text-anchor": "middle" }, grid.values[entry]),
    );
    const choose = () => (which === last ? made(entry) : reaches(which, entry));
    for (const event of ["focus", "click", "pointerenter"]) node.addEventListener(event, choose);
    return { node, x, y };
  }
  function light(found, chosen) {
    const on = new Set([chosen, ...found.flatMap(([which, entry, out]) => [cells[which][entry], cells[last][out]])]);
    for (const each of cells.flat()) {
      each.node.classList.toggle("mg-at", each === chosen);
      each.node.classList.toggle("mg-dim", !on.has(each));
    }
    const arrows = found.map(([which, entry, out]) => arrow(cells[which][entry], cells[last][out]));
    lines.replaceChildren(...arrows.map(([line]) => line));
    tips.replaceChildren(...arrows.map(([, tip]) => tip));
  }
  /** From the result back to what it used. */
  function arrow(input, output) {
    const tip = shape("path", { class: "mg-waytip", d: `M${input.x + wide + 1},${input.y + high / 2}l9,-4.5v9z` });
    return [way(input, output, "mg-way"), tip];
  }
  function way(input, output, kind) {
    const [x0, y0, x1, y1] = [input.x + wide + 1, input.y + high / 2, output.x, output.y + high / 2];
    const bend = (x1 - x0) / 2;
    return shape("path", { class: kind, d: `M${x0 + 7},${y0}C${x0 + bend},${y0} ${x1 - bend},${y1} ${x1},${y1}` });
  }
  function reaches(which, entry) {
    const found = links.filter(([grid, from]) => grid === which && from === entry);
    light(found, cells[which][entry]);
    const name = grids[which].labels[entry];
    const places = found.map(([, , out]) => grids[last].labels[out]).join(", ");
    const terms = found.map(([, , out, slope]) => `${factor(v[out])}·${factor(slope)}`).join(" + ");
    const total = found.reduce((sum, [, , out, slope]) => sum + v[out] * slope, 0);
    say.textContent = found.length
      ? `${name} reaches ${places}. Each sends back upstream × local, and ${name} gets the sum: ${terms} = ${text(total)}.`
      : `${name} reaches nothing, and gets 0.`;
  }
  function made(out) {
    const found = links.filter(([, , to]) => to === out);
    light(found, cells[last][out]);
    const from = found.map(([grid, entry]) => grids[grid].labels[entry]).join(", ");
    say.textContent = `${grids[last].labels[out]} is made from ${from}. Its upstream gradient is ${text(v[out])}.`;
  }
}
