// slices: one slice for each entry of the result, shaded by what it contributes; the sum builds up slice by slice.

import { button, element, numberBox, quiet, stepper, text, voice } from "./kit.js";
import { tint } from "./weights.js";

export function render(data, root) {
  if (data.guess) renderGuess(data, root);
  else renderSum(data, root);
}

// --- the sum -------------------------------------------------------------------------------------

function renderSum(data, root) {
  const say = voice();
  const { slices } = data;
  const most = largest(slices.flatMap((each) => scaled(each).flat()));
  const panels = slices.map((each) => panel(each));
  const total = grid(slices[0].entries);
  const label = element("b", {}, data.total);
  let step = 0;
  let open = false;

  const asked = element("input", { type: "checkbox" });
  asked.addEventListener("change", () => {
    open = asked.checked;
    draw();
  });
  const check = element("label", { class: "mg-check" }, asked, "Show the numbers");
  const { controls, go } = stepper(slices.length, (count) => {
    step = count;
    draw();
  });
  controls.append(check);
  const board = element("div", spread(data), ...panels.map((each) => each.node));
  root.append(controls, board, element("div", { class: "mg-total" }, label, total.node), say);

  function draw() {
    panels.forEach((each, number) => {
      each.node.classList.toggle("mg-at", number === step - 1);
      fill(each.grid, scaled(slices[number]), most, open ? slices[number].entries : null);
    });
    const sum = added(slices.slice(0, step));
    fill(total, sum, largest(added(slices).flat()), step && (open || step === slices.length) ? sum : null);
    say.textContent = spoken(data, step, open);
  }
  go(0);
}

function spoken({ slices, total, input }, step, open) {
  if (!step)
    return `Each slice is shaded by what it adds to ${total}: its weight times its entries. Step through them to add up.`;
  const { name, weight, entries } = slices[step - 1];
  const depends = entries.flat().filter(Boolean).length;
  const told = `${text(weight)} × the slice of ${name}: it depends on ${depends} of the ${entries.flat().length} entries of ${input}.`;
  const sum = added(slices.slice(0, step)).map((row) => `[${row.map(text).join(", ")}]`).join(", ");
  if (step === slices.length) return `${told} All slices are added: ${total} = ${sum}.`;
  return open ? `${told} Together so far: ${sum}.` : `${told} Ask for the numbers to see the sum so far.`;
}

/** As many slices side by side as the result has columns. */
const spread = ({ across }) => ({ class: "mg-slices", style: `--mg-across: ${across}` });
const scaled = ({ weight, entries }) => entries.map((row) => row.map((entry) => weight * entry));
const largest = (values) => Math.max(...values.map(Math.abs));

/** The weighted sum of slices. */
export function added(slices) {
  const empty = (slices[0]?.entries ?? []).map((row) => row.map(() => 0));
  return slices.reduce((sum, each) => sum.map((row, i) => row.map((value, j) => value + each.weight * each.entries[i][j])), empty);
}

function panel({ name, weight, entries }) {
  const made = grid(entries);
  const title = element("p", { class: "mg-title" }, element("b", {}, `${text(weight)} ×`), ` ${name}`);
  return { node: element("div", { class: "mg-slice" }, title, made.node), grid: made };
}

function grid(entries) {
  const cells = entries.map((row) => row.map(() => element("span")));
  const columns = `grid-template-columns: repeat(${entries[0].length}, auto)`;
  return { node: element("div", { class: "mg-grid", style: columns }, ...cells.flat()), cells };
}

function fill({ cells }, shades, most, numbers) {
  cells.forEach((row, i) =>
    row.forEach((cell, j) => {
      cell.style.background = tint(shades[i]?.[j] ?? 0, most);
      cell.textContent = numbers ? text(numbers[i][j]) : "";
    }),
  );
}

// --- filling in ----------------------------------------------------------------------------------

function renderGuess(data, root) {
  const say = voice();
  const { slices, places, input } = data;
  const shown = slices.map(() => false);
  const choices = slices.map((each, number) => button(each.name, () => choose(number)));
  const names = element("div", { class: "mg-controls", role: "group", "aria-label": "The entry of the result" }, ...choices);
  const panels = slices.map((each) => {
    const made = grid(each.entries);
    const title = element("p", { class: "mg-title" }, each.name);
    return { node: element("div", { class: "mg-slice" }, title, made.node), grid: made };
  });
  const most = largest(slices.flatMap((each) => each.entries.flat()));
  const form = element("div", { class: "mg-total" });
  const actions = element(
    "div",
    { class: "mg-controls" },
    button("Check my slice", judge, { class: "mg-button mg-main" }),
    button("Show this slice", reveal),
  );
  root.append(names, element("div", spread(data), ...panels.map((each) => each.node)), form, actions, say);
  let chosen = 0;
  let fields = [];

  function choose(number) {
    chosen = number;
    choices.forEach((each, at) => each.setAttribute("aria-pressed", String(at === number)));
    const { name, entries } = slices[number];
    fields = entries.flat().map((_, at) => numberBox(`${name} by ${input}${places[at]}`, { value: 0 }, () => {}));
    const columns = `grid-template-columns: repeat(${entries[0].length}, auto)`;
    form.replaceChildren(element("b", {}, `Your slice of ${name}`), element("div", { class: "mg-grid", style: columns }, ...fields));
    quiet(form);
    draw();
    say.textContent = `On which of the ${places.length} entries of ${input} does ${name} depend, and how much? Fill in its slice.`;
  }
  function draw() {
    panels.forEach((each, number) => {
      each.node.classList.toggle("mg-at", number === chosen);
      const { entries } = slices[number];
      fill(each.grid, shown[number] ? entries : [], most, shown[number] ? entries : null);
    });
  }
  function judge() {
    const { name, entries } = slices[chosen];
    const wrong = entries.flat().map((entry, at) => !close(fields[at].valueAsNumber, entry));
    fields.forEach((field, at) => {
      field.classList.toggle("mg-wrong", wrong[at]);
      field.setAttribute("aria-invalid", String(wrong[at]));
    });
    const first = wrong.indexOf(true);
    if (first < 0) {
      shown[chosen] = true;
      draw();
      say.textContent = `✓ Every entry of the slice of ${name} is right.`;
      return;
    }
    const count = wrong.filter(Boolean).length;
    say.textContent =
      `✗ ${count === 1 ? "One entry is" : `${count} entries are`} wrong. Look at ${places[first]}: ` +
      `how much does ${name} change for each step of ${input}${places[first]}?`;
  }
  function reveal() {
    shown[chosen] = true;
    draw();
    const { name, entries } = slices[chosen];
    say.textContent = `The slice of ${name} is ${entries.map((row) => `[${row.map(text).join(", ")}]`).join(", ")}.`;
  }
  choose(0);
}

const close = (value, wanted) => Math.abs(value - wanted) <= 1e-3 + 1e-3 * Math.abs(wanted);
