// sides: vᵀJ beside Jw; hover or focus an entry of either, and what takes part in it lights up.

import { element, factor, text, voice } from "./kit.js";
import { tint } from "./weights.js";

export function render(data, root) {
  const { J, v, w } = data;
  const say = voice();
  const cells = J.map((row) => row.map((entry) => element("td", { class: "mg-cell" }, element("b", {}, text(entry)))));
  const vs = v.map((value) => element("td", { class: "mg-v" }, text(value)));
  const ws = w.map((value) => element("td", { class: "mg-w" }, text(value)));
  const back = w.map((_, j) => result(`vᵀJ, entry ${data.columns[j]}`, dot(v, column(j)), "mg-v", () => lightColumn(j)));
  const forth = v.map((_, i) => result(`Jw, entry ${data.rows[i]}`, dot(J[i], w), "mg-w", () => lightRow(i)));

  const head = (name, kind) => element("th", { scope: "col", class: kind }, name);
  const side = (name, kind) => element("th", { scope: "row", class: kind }, name);
  const rows = J.map((_, i) => element("tr", {}, side(data.rows[i]), vs[i], ...cells[i], element("td", {}, forth[i])));
  const table = element(
    "table",
    { class: "mg-matrix mg-sides" },
    element("thead", {}, element("tr", {}, element("td"), head("v", "mg-v"), ...data.columns.map((name) => head(name)), head("Jw", "mg-w"))),
    element("tbody", {}, element("tr", {}, side("w", "mg-w"), element("td"), ...ws, element("td")), ...rows),
    element("tfoot", {}, element("tr", {}, side("vᵀJ", "mg-v"), element("td"), ...back.map((each) => element("td", {}, each)), element("td"))),
  );
  root.append(element("div", { class: "mg-scroll" }, table), say);

  function column(j) {
    return J.map((row) => row[j]);
  }
  function clear() {
    for (const cell of cells.flat()) cell.style.background = "";
    for (const each of [...vs, ...ws, ...back, ...forth]) each.classList.remove("mg-on");
  }
  function lightColumn(j) {
    clear();
    const most = Math.max(...column(j).map((entry, i) => Math.abs(v[i] * entry)));
    column(j).forEach((entry, i) => (cells[i][j].style.background = tint(v[i] * entry, most)));
    for (const each of [...vs, back[j]]) each.classList.add("mg-on");
    say.textContent = `${data.input}.grad, ${data.columns[j]}: ${sum(v, column(j))}. v weighs the rows, and this is the column of ${data.columns[j]}.`;
  }
  function lightRow(i) {
    clear();
    const most = Math.max(...J[i].map((entry, j) => Math.abs(w[j] * entry)));
    J[i].forEach((entry, j) => (cells[i][j].style.background = tint(w[j] * entry, most)));
    for (const each of [...ws, forth[i]]) each.classList.add("mg-on");
    say.textContent = `Jw, ${data.rows[i]}: ${sum(w, J[i])}. w is a direction for ${data.input}; ${data.rows[i]} changes at this rate along it.`;
  }
  say.textContent = `vᵀJ has an entry for each input, Jw one for each output. Choose an entry of either to see what takes part in it.`;
}

const dot = (one, other) => one.reduce((sum, value, at) => sum + value * other[at], 0);
const sum = (weights, entries) =>
  `${entries.map((entry, at) => `${factor(weights[at])}·${factor(entry)}`).join(" + ")} = ${text(dot(weights, entries))}`;

/** An entry of a result, which lights what it was made from. */
function result(name, value, kind, light) {
  const made = element("button", { type: "button", class: `mg-button mg-entry ${kind}`, "aria-label": `${name}: ${text(value)}` }, text(value));
  for (const event of ["focus", "click", "pointerenter"]) made.addEventListener(event, light);
  return made;
}
