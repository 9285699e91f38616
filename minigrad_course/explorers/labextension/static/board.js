// A graph as boxes and arrows. Python has placed everything; here it is drawn, and lit as a walk goes along.

import { shape } from "./kit.js";

const NARROW = 0.8; // below this share of its own width the board from left to right is too small to read

/** The drawing of a board: `fit(width)` chooses a layout, `light(state)` shows how far a walk has come. */
export class Board {
  constructor(data) {
    this.data = data;
    this.svg = shape("svg", { class: "mg-board", role: "img", "aria-label": data.alt ?? "The graph." });
    this.state = null;
    this.layout = null;
  }

  /** Choose the layout for a column of so many pixels. */
  fit(width) {
    const { wide, tall } = this.data.layouts;
    const layout = width >= NARROW * wide.width ? wide : tall;
    if (layout !== this.layout) {
      this.layout = layout;
      this.draw();
      if (this.state) this.light(this.state);
    }
  }

  draw() {
    const { layout, svg, data } = this;
    svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
    svg.setAttribute("width", layout.width);
    svg.setAttribute("height", layout.height);
    this.edges = data.edges.map((edge, number) => this.edge(edge, number));
    this.boxes = data.boxes.map((box, number) => this.box(box, number));
    const labels = this.edges.map((edge) => edge.label);
    svg.replaceChildren(...this.edges.map((edge) => edge.group), ...this.boxes.map((box) => box.group), ...labels);
  }

  edge([, , constant], number) {
    const { paths, ends, labels } = this.layout;
    const [x0, y0, x1, y1] = ends[number];
    const across = this.layout === this.data.layouts.wide;
    const tip = (x, y, sign) =>
      across ? `M${x},${y}l${9 * sign},-4.5v9z` : `M${x},${y}l-4.5,${9 * sign}h9z`;
    const forth = shape("path", { d: tip(x1, y1, -1), class: "mg-tip" });
    const back = shape("path", { d: tip(x0, y0, 1), class: "mg-tip mg-off" });
    const group = shape("g", { class: "mg-edge" }, shape("path", { d: paths[number] }), forth, back);
    const [x, y, anchor] = labels[number];
    const label = shape("text", { x, y, "text-anchor": anchor, class: "mg-label" });
    return { group, forth, back, label, constant };
  }

  box({ kind, name, sign, shape: shapeText }, number) {
    const [x, y, width, height] = this.layout.boxes[number];
    const group = shape("g", { class: `mg-${kind}` });
    group.append(shape("rect", { class: "mg-box", x, y, width, height, rx: 8 }));
    const middle = x + width / 2;
    const line = (at, kindOfText, content = "") =>
      shape("text", { x: middle, y: at, "text-anchor": "middle", class: kindOfText }, content);
    const head = `${name}  ${sign}`.trim();
    if (head) group.append(line(y + 19, "mg-head", head));
    const text = shape("g");
    group.append(text);
    return { group, text, line, top: y + 19 + (head ? 18 : 0), shapeText, kind };
  }

  /** Show a state: values and gradients by box, arrows by edge, and the box where the walk is. */
  light(state) {
    this.state = state;
    if (!this.layout) return;
    this.boxes.forEach((box, number) => {
      box.group.classList.toggle("mg-at", state.at === number);
      const value = state.values[number] ?? [];
      const lines = value.map((each, row) => box.line(box.top + 18 * row, "mg-value", each));
      let down = box.top + 18 * value.length;
      if (box.shapeText && value.length) {
        lines.push(box.line(down - 2, "mg-shape", box.shapeText));
        down += 18;
      }
      const got = state.gradients[number];
      if (got) {
        const name = box.kind === "leaf" || box.kind === "kept" ? "grad" : "up";
        const more = state.waiting.has(number) ? " …" : "";
        lines.push(box.line(down, "mg-gradient", `${name} ${got.length > 1 ? `[${got.join(", ")}]` : got[0]}${more}`));
      }
      box.text.replaceChildren(...lines);
    });
    this.edges.forEach((edge, number) => {
      const sent = number in state.sent;
      const now = state.now.has(number);
      const kinds = { used: state.used.has(number), sent, now, lost: state.lost?.has(number), constant: edge.constant };
      for (const [kind, on] of Object.entries(kinds)) edge.group.classList.toggle(`mg-${kind}`, Boolean(on));
      edge.forth.classList.toggle("mg-off", sent);
      edge.back.classList.toggle("mg-off", !sent);
      edge.label.textContent = sent ? state.sent[number][now ? "label" : "share"] : "";
    });
  }
}

/** The state after so many steps: each step adds to what stands there. */
export function stateAfter(start, steps, count) {
  const state = {
    values: { ...start.values },
    gradients: { ...start.gradients },
    waiting: new Set(),
    used: new Set(),
    sent: {},
    lost: new Set(),
    now: new Set(),
    at: -1,
  };
  for (const [number, step] of steps.slice(0, count).entries()) {
    Object.assign(state.values, step.values ?? {});
    Object.assign(state.gradients, step.gradients ?? {});
    for (const box of Object.keys(step.gradients ?? {})) state.waiting.delete(Number(box));
    for (const box of step.waiting ?? []) state.waiting.add(box);
    for (const edge of step.lost ?? []) state.lost.add(edge);
    step.now.forEach((edge, place) => {
      if (step.way === "forward") state.used.add(edge);
      else state.sent[edge] = step.products[place];
    });
    if (number === count - 1) {
      state.now = new Set(step.now);
      state.at = step.at;
    }
  }
  return state;
}
