// weights: a slider and a number box for each entry of v, rows lit by what they contribute, and their sum.

import { element, factor, list, numberBox, slider, text, voice } from "./kit.js";

const STRONGEST = 0.42; // of a cell's colour: text on it stays readable

export function render(data, root) {
  const v = [...data.v];
  const say = voice();
  const goals = data.goals.map((goal) => ({ ...goal, node: element("li"), done: false }));
  const rows = data.J.map((entries, row) => drawRow(data, v, entries, row, update));
  const sums = data.columns.map(() => element("td"));
  const head = element("tr", {}, element("th", { scope: "col" }, "v"), ...data.columns.map(column));
  const foot = element("tr", {}, element("th", { scope: "row" }, data.total), ...sums);
  const table = element(
    "table",
    { class: "mg-matrix" },
    element("thead", {}, head),
    element("tbody", {}, ...rows.map((row) => row.node)),
    element("tfoot", {}, foot),
  );
  root.append(element("div", { class: "mg-scroll" }, table), say);
  if (goals.length) root.append(element("ul", { class: "mg-goals" }, ...goals.map((goal) => goal.node)));

  function update() {
    const shares = data.J.map((entries, row) => entries.map((entry) => v[row] * entry));
    const most = Math.max(...shares.flat().map(Math.abs));
    rows.forEach((row, number) => row.light(shares[number], most));
    const total = data.columns.map((_, at) => shares.reduce((sum, row) => sum + row[at], 0));
    sums.forEach((sum, at) => (sum.textContent = text(total[at])));
    const terms = data.J.map((entries, row) => `${factor(v[row])}·${list(entries)}`);
    say.textContent = `${data.total} = ${terms.join(" + ")} = ${list(total)}${judged(goals, { v, total })}`;
  }
  update();
}

const column = (name) => element("th", { scope: "col" }, name);

/** A row: its weight to move, and its entries. */
function drawRow(data, v, entries, row, update) {
  const name = `v for ${data.rows[row]}`;
  const move = (value, other) => {
    v[row] = value;
    other.value = value;
    update();
  };
  const settings = { min: -data.reach, max: data.reach, step: data.step, value: v[row] };
  const bar = slider(name, settings, (value) => move(value, box));
  const box = numberBox(`${name}, as a number`, { value: v[row] }, (value) => move(value, bar));
  const cells = entries.map(() => {
    const share = element("b");
    const product = element("span");
    return { node: element("td", { class: "mg-cell" }, share, product), share, product };
  });
  const weight = element("div", { class: "mg-weight" }, element("span", {}, data.rows[row]), box, bar);
  const node = element("tr", {}, element("th", { scope: "row" }, weight), ...cells.map((cell) => cell.node));
  const light = (shares, most) => {
    cells.forEach((cell, at) => {
      cell.share.textContent = text(shares[at]);
      cell.product.textContent = `${text(v[row])} × ${factor(entries[at])}`;
      cell.node.style.background = tint(shares[at], most);
    });
  };
  return { node, light };
}

/** The colour of a contribution: blue above zero, vermillion below. The root keeps a small one visible beside a large. */
export function tint(share, most) {
  const alpha = most ? STRONGEST * Math.sqrt(Math.abs(share) / most) : 0;
  return `rgba(var(--mg-${share < 0 ? "minus" : "plus"}), ${alpha.toFixed(3)})`;
}

/** True if v and the sum are as a goal asks. */
export function reached(goal, values) {
  return goal.conditions.every(({ of, index, is }) => {
    const value = values[of][index];
    return is === null ? Math.abs(value) > 1e-9 : Math.abs(value - is) < 1e-9;
  });
}

/** Mark the goals that are reached; what is said to who has just reached one. */
function judged(goals, values) {
  let said = "";
  for (const goal of goals) {
    const now = reached(goal, values);
    if (now && !goal.now) said += `. ✓ ${goal.found}`;
    goal.now = now;
    goal.done ||= now;
    goal.node.classList.toggle("mg-found", goal.done);
    const mark = element("span", { "aria-hidden": "true" }, goal.done ? "✓" : "○");
    goal.node.replaceChildren(mark, goal.done ? `${goal.ask} Found.` : goal.ask);
  }
  return said;
}
