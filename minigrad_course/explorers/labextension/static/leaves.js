// leaves: questions about a tensor, answer by answer, down a tree to a program that has run and what it printed.

import { button, element, quiet, shape, voice } from "./kit.js";

const KINDS = { number: "a number", None: "None", warning: "None and a warning", error: "an error" };

/** What stands at the end of a path of answers, each given by its number. */
export function reached(tree, path) {
  return path.reduce((node, at) => node.answers[at].then, tree);
}

/** How many programs stand below a place of the tree. */
export function ends(node) {
  return node.answers ? node.answers.reduce((sum, { then }) => sum + ends(then), 0) : 1;
}

export function render(data, root) {
  const say = voice();
  const asked = element("div");
  const end = element("div", { class: "mg-outcome" });
  const tree = map(data);
  const legend = element("p", { class: "mg-legend" }, ...Object.entries(KINDS).map(([kind, words]) => key(kind, words)));
  const side = element("div", {}, tree.svg, legend, end);
  root.append(element("div", { class: "mg-tree" }, asked, side), say);
  let path = [];

  /** A question with its answers as buttons. */
  function question(node, depth) {
    const buttons = node.answers.map(({ say: answer }, at) => button(answer, () => choose(depth, at), { "aria-pressed": "false" }));
    const choices = element("div", { class: "mg-controls" }, ...buttons);
    return element("div", { class: "mg-asked", role: "group", "aria-label": node.ask }, element("p", { class: "mg-title" }, node.ask), choices);
  }
  function choose(depth, at) {
    path = [...path.slice(0, depth), at];
    // The question that was answered stays, and with it the keyboard's focus.
    while (asked.children.length > depth + 1) asked.lastChild.remove();
    const here = asked.children[depth];
    here.classList.add("mg-answered");
    here.querySelectorAll("button").forEach((each, number) => each.setAttribute("aria-pressed", String(number === at)));
    const node = reached(data.tree, path);
    if (node.ask) asked.append(question(node, depth + 1));
    end.replaceChildren(...(node.ask ? [] : shown(node)));
    quiet(asked);
    tree.light(path);
    say.textContent = node.ask ? `${ends(node)} of ${ends(data.tree)} programs are left in the tree.` : told(node);
  }
  asked.append(question(data.tree, 0));
  tree.light(path);
  say.textContent = "Answer the questions, and the tree says what t.grad will be.";
}

/** How a program ended, in a sentence. */
export function told({ kind, printed, facts }) {
  const last = printed[printed.length - 1];
  if (kind === "error") return `An error: ${last}`;
  return `t.grad is ${printed[0]}${kind === "warning" ? `, and there is a warning: ${last}` : "."} Of t itself: ${facts}.`;
}

/** The program of a row, and what it printed. */
function shown({ program, printed }) {
  return [
    element("p", { class: "mg-title" }, "This program"),
    element("pre", { class: "mg-printed" }, program.join("\n")),
    element("p", { class: "mg-title" }, "prints"),
    element("pre", { class: "mg-printed" }, printed.join("\n")),
  ];
}

/** The whole tree, small; the branch that was taken is lit, and what it has ruled out is faint. */
function map(data) {
  const [width, height] = data.size;
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": data.alt });
  const branches = new Map();
  const signs = new Map();
  const draw = (node, path) => {
    for (const [at, { then }] of (node.answers ?? []).entries()) {
      const [[x0, y0], [x1, y1]] = [node.at, then.at];
      const middle = (y0 + y1) / 2;
      const line = shape("path", { class: "mg-branch", d: `M${x0},${y0}C${x0},${middle} ${x1},${middle} ${x1},${y1}` });
      branches.set([...path, at].join(), line);
      draw(then, [...path, at]);
    }
    if (!node.answers) signs.set(path.join(), sign(node.kind, node.at));
  };
  draw(data.tree, []);
  svg.append(...branches.values(), ...signs.values());
  const light = (path) => {
    const taken = new Set(path.map((_, depth) => path.slice(0, depth + 1).join()));
    const here = path.join();
    const out = (key) => here !== "" && key !== here && !key.startsWith(`${here},`);
    for (const [key, each] of [...branches, ...signs]) {
      each.classList.toggle("mg-lit", taken.has(key));
      each.classList.toggle("mg-out", out(key) && !taken.has(key));
    }
    svg.append(...[...branches].filter(([key]) => taken.has(key)).map(([, line]) => line), ...signs.values());
  };
  return { svg, light };
}

/** The sign of an outcome: told apart by its form as well. */
function sign(kind, [x, y]) {
  const forms = {
    number: `M${x - 5},${y}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z`,
    None: `M${x - 5},${y}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z`,
    warning: `M${x},${y - 5}l5.5 9.5h-11z`,
    error: `M${x - 4},${y - 4}l8 8M${x - 4},${y + 4}l8 -8`,
  };
  return shape("path", { class: `mg-end mg-${kind}`, d: forms[kind] });
}

function key(kind, words) {
  const picture = shape("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, sign(kind, [8, 8]));
  return element("span", {}, picture, words);
}
