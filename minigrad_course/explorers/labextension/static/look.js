// Colours and spacing of all views and pictures, for a light and a dark page. The names are those of `svg.py`.

export const LIGHT = {
  ink: "#1b1f24",
  soft: "#57606a",
  line: "#7d8590",
  faint: "#d4d9df",
  panel: "#f6f8fa",
  ground: "#ffffff",
  leaf: "#0b62a6",
  flow: "#a84300",
  done: "#1a6e50",
  plus: "0, 114, 178",
  minus: "213, 94, 0",
  deep: "1",
};

export const DARK = {
  ink: "#e8ecf1",
  soft: "#a9b2bc",
  line: "#8b949e",
  faint: "#3c444d",
  panel: "#1c2128",
  ground: "#111418",
  leaf: "#6cb8f2",
  flow: "#ffa35c",
  done: "#5fcf9f",
  plus: "86, 180, 233",
  minus: "240, 140, 60",
  deep: "1",
};

// What a picture calls a colour is the page's.
const own = Object.keys(LIGHT).map((name) => `--${name}: var(--mg-${name});`).join(" ");
const set = (colours) => Object.entries(colours).map(([name, value]) => `--mg-${name}: ${value};`).join(" ");

// JupyterLab and the site say on their body which theme they have; a page that says nothing follows the reader.
export const STYLE = `
:root { ${set(LIGHT)} color-scheme: light; }
@media (prefers-color-scheme: dark) { :root:not(:has(> body:is([data-jp-theme-light], [data-theme="light"]))) { ${set(DARK)} } }
body:is([data-theme="dark"], [data-jp-theme-light="false"]) { ${set(DARK)} }
body[data-jp-theme-light] { --mg-ground: var(--jp-layout-color0); }
body[data-theme] { --mg-ground: var(--color-background-primary, #fff); }

.mg { color: var(--mg-ink); font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums; max-width: 68rem; padding: 8px 2px 12px; box-sizing: border-box; }
.mg *, .mg *::before { box-sizing: border-box; }
.mg code, .mg .mg-code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: 0.93em; color: inherit; background: none; border: 0; padding: 0; }
.mg p.mg-say { margin: 10px 0 0; min-height: 1.5em; max-width: 46rem; color: var(--mg-ink); font-size: 15px; }
.mg .mg-hint { color: var(--mg-soft); margin: 0 0 8px; max-width: 46rem; }
.mg svg { display: block; max-width: 100%; height: auto; overflow: visible; }
.mg img.mg-still { display: block; max-width: 100%; height: auto; margin-top: 8px; background: none; }
.mg svg.mg-still { ${own} }

.mg .mg-controls { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin: 0 0 14px; }
.mg .mg-button { font: inherit; line-height: 20px; min-height: 34px; padding: 6px 14px; border-radius: 8px; cursor: pointer;
  color: var(--mg-ink); background: var(--mg-panel); border: 1px solid var(--mg-line); margin: 0; }
.mg .mg-button:hover { border-color: var(--mg-ink); }
.mg .mg-button[aria-disabled="true"] { color: var(--mg-soft); border-color: var(--mg-faint); cursor: default; }
.mg .mg-main { min-width: 5.2em; }
.mg .mg-button[aria-pressed="true"] { border-color: var(--mg-leaf); box-shadow: inset 0 0 0 1px var(--mg-leaf); }
.mg :is(button, input):focus-visible { outline: 3px solid var(--mg-leaf); outline-offset: 2px; }
.mg .mg-slider:focus-visible { outline-offset: 0; border-radius: 6px; }
.mg .mg-slider { accent-color: var(--mg-leaf); min-width: 90px; height: 24px; margin: 0; cursor: pointer; }
.mg .mg-controls .mg-slider { flex: 1 1 120px; max-width: 22rem; }
.mg .mg-count { color: var(--mg-soft); min-width: 4em; }
.mg .mg-number { font: inherit; color: var(--mg-ink); background: var(--mg-ground); border: 1px solid var(--mg-line);
  border-radius: 6px; padding: 3px 6px; width: 5.4em; min-height: 30px; text-align: right; margin: 0; }
.mg .mg-check { display: inline-flex; align-items: center; gap: 6px; cursor: pointer; margin: 0; min-height: 34px; }
.mg .mg-check input { width: 18px; height: 18px; margin: 0; accent-color: var(--mg-leaf); }

.mg .mg-box { fill: var(--mg-panel); stroke: var(--mg-line); stroke-width: 1.2; }
.mg .mg-leaf .mg-box, .mg .mg-kept .mg-box { stroke: var(--mg-leaf); stroke-width: 2; }
.mg .mg-result .mg-box { stroke: var(--mg-done); stroke-width: 2; }
.mg .mg-constant .mg-box { stroke-dasharray: 3 4; fill: none; }
.mg .mg-at .mg-box { stroke: var(--mg-flow); stroke-width: 3; }
.mg svg:where(:not(.mg-still)) text { fill: var(--mg-ink); font-family: inherit; }
.mg svg .mg-head { font: 600 13px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--mg-soft); }
.mg svg .mg-leaf .mg-head, .mg svg .mg-kept .mg-head { fill: var(--mg-leaf); }
.mg svg .mg-result .mg-head { fill: var(--mg-done); }
.mg svg .mg-value { font-size: 15px; }
.mg svg .mg-shape { font-size: 11px; fill: var(--mg-soft); }
.mg svg .mg-gradient, .mg svg .mg-label { fill: var(--mg-flow); }
.mg svg .mg-gradient { font-size: 12px; }
.mg svg .mg-label { font-size: 12.5px; paint-order: stroke; stroke: var(--mg-ground); stroke-width: 4px; stroke-linejoin: round; }
.mg svg .mg-old .mg-label { opacity: 0.85; }
.mg svg .mg-edge path { fill: none; stroke: var(--mg-faint); stroke-width: 1.5; transition: stroke 0.2s; }
.mg svg .mg-edge .mg-tip { fill: var(--mg-faint); stroke: none; }
.mg svg .mg-edge.mg-used path { stroke: var(--mg-line); }
.mg svg .mg-edge.mg-used .mg-tip { fill: var(--mg-line); }
.mg svg .mg-edge.mg-constant path { stroke-dasharray: 3 4; }
.mg svg .mg-edge.mg-now path { stroke: var(--mg-ink); stroke-width: 2.2; }
.mg svg .mg-edge.mg-now .mg-tip { fill: var(--mg-ink); }
.mg svg .mg-edge.mg-sent path { stroke: var(--mg-flow); }
.mg svg .mg-edge.mg-sent .mg-tip { fill: var(--mg-flow); }
.mg svg .mg-edge.mg-sent.mg-now path { stroke-width: 3; }
.mg svg .mg-edge .mg-tip.mg-off { visibility: hidden; }
.mg svg .mg-edge.mg-lost path { stroke-dasharray: 5 4; }

.mg .mg-sums { display: grid; gap: 4px; margin: 8px 0 0; align-content: start; }
.mg .mg-sum { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 8px; font-size: 15px; }
.mg .mg-sums.mg-aligned { grid-template-columns: repeat(6, max-content); gap: 0 10px; align-items: baseline; }
.mg .mg-sums.mg-aligned .mg-sum { display: contents; }
@media (max-width: 30rem) { .mg .mg-sums.mg-aligned { grid-template-columns: none; } .mg .mg-sums.mg-aligned .mg-sum { display: flex; } }
.mg .mg-sum b { font-weight: 600; color: var(--mg-flow); }
.mg .mg-sum .mg-term { display: inline-flex; flex-direction: column; }
.mg .mg-aligned .mg-sum .mg-term { flex-direction: row; align-items: baseline; gap: 5px; }
.mg .mg-sum small, .mg .mg-small { color: var(--mg-soft); font-size: 12px; line-height: 1.3; }

.mg .mg-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; margin: 0; }
.mg .mg-lanes { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 150px), 1fr)); gap: 0 28px; align-items: start; }
.mg .mg-lane { min-width: 0; display: grid; grid-row: span 5; grid-template-rows: subgrid; align-content: start; }
.mg .mg-title { font-weight: 600; margin: 0 0 2px; font-size: 15px; color: var(--mg-ink); }
.mg .mg-lane .mg-small { margin: 0 0 10px; }
.mg .mg-verdict { font-size: 15px; margin: 8px 0 0; min-height: 1.5em; }
.mg .mg-good { color: var(--mg-done); font-weight: 600; }
.mg .mg-bad { color: var(--mg-flow); font-weight: 600; }

.mg .mg-scroll { overflow-x: auto; padding: 2px; }
.mg table.mg-matrix { border-collapse: separate; border-spacing: 4px; margin: 0; font: inherit; color: inherit;
  width: auto; border: 0; background: none; table-layout: auto; display: table; }
.mg table.mg-matrix :is(tr, th, td) { background: none; border: 0; color: inherit; padding: 0; text-align: center; font: inherit; }
.mg table.mg-matrix thead th { color: var(--mg-soft); padding: 2px 8px 4px; }
.mg table.mg-matrix tbody th { text-align: left; padding-right: 10px; }
.mg table.mg-matrix tr { height: auto; }
.mg table.mg-matrix td.mg-cell { min-width: 76px; padding: 7px 8px; border-radius: 6px; vertical-align: middle; border: 1px solid var(--mg-faint); transition: background 0.15s; }
.mg table.mg-matrix td.mg-cell b { display: block; font-weight: 600; font-size: 16px; }
.mg table.mg-matrix td.mg-cell span { display: block; font-size: 12px; color: var(--mg-ink); }
.mg table.mg-matrix tfoot :is(th, td) { padding-top: 8px; font-size: 17px; font-weight: 600; position: relative; }
.mg table.mg-matrix tfoot :is(th, td)::before { content: ""; position: absolute; inset: 0 -2px auto; border-top: 1.5px solid var(--mg-line); }
.mg table.mg-matrix tfoot th { text-align: right; }
.mg .mg-weight { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 10px; }
.mg .mg-weight .mg-slider { width: 132px; }
.mg .mg-goals { list-style: none; margin: 14px 0 0; padding: 0; display: grid; gap: 6px; }
.mg .mg-goals li { display: flex; gap: 8px; margin: 0; }
.mg .mg-goals li.mg-found { color: var(--mg-done); font-weight: 600; }

.mg .mg-slices { display: grid; grid-template-columns: repeat(var(--mg-across, 3), max-content); gap: 8px 12px; }
.mg .mg-slice { border: 2px solid transparent; border-radius: 10px; padding: 6px 8px 8px; background: none; }
.mg .mg-slice.mg-at { border-color: var(--mg-flow); }
.mg .mg-slice .mg-title { font-size: 13px; font-weight: 400; color: var(--mg-soft); margin: 0 0 4px; white-space: nowrap; }
.mg .mg-slice .mg-title b { color: var(--mg-ink); font-weight: 600; }
.mg .mg-grid { display: grid; gap: 2px; }
.mg .mg-grid > * { min-width: 38px; min-height: 30px; padding: 4px 5px; display: flex; align-items: center; justify-content: center;
  border-radius: 4px; border: 1px solid var(--mg-faint); font-size: 13px; }
.mg .mg-grid .mg-number { width: 5em; min-width: 0; text-align: center; padding: 2px; }
.mg .mg-grid .mg-wrong { border: 2px solid var(--mg-flow); }
.mg .mg-total { margin: 14px 0 0; display: flex; flex-wrap: wrap; gap: 8px 14px; align-items: center; }
.mg .mg-total + .mg-controls { margin: 12px 0 0; }
.mg .mg-total .mg-grid > * { min-width: 52px; font-weight: 600; font-size: 14px; }
.mg .mg-plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 250px), 1fr)); gap: 14px 28px; }
.mg .mg-plots p.mg-small { margin: 0 0 4px; }
.mg svg .mg-curve { fill: none; stroke: var(--mg-ink); stroke-width: 2; }
.mg svg .mg-tangent { stroke: var(--mg-done); stroke-width: 2; stroke-dasharray: 6 4; }
.mg svg .mg-secant { stroke: var(--mg-flow); stroke-width: 2.2; }
.mg svg .mg-dot { fill: var(--mg-flow); }
.mg svg .mg-point { fill: var(--mg-ground); stroke: var(--mg-done); stroke-width: 2; }
.mg table.mg-sides :is(.mg-v, .mg-entry.mg-v) { color: var(--mg-leaf); }
.mg table.mg-sides :is(.mg-w, .mg-entry.mg-w) { color: var(--mg-done); }
.mg table.mg-sides :is(td, th):is(.mg-v, .mg-w) { padding: 4px 8px; border-radius: 6px; font-weight: 600; }
.mg table.mg-sides :is(td.mg-on, .mg-entry.mg-on) { box-shadow: inset 0 0 0 2px currentColor; }
.mg table.mg-sides :is(td, th) { vertical-align: middle; }
.mg table.mg-sides tfoot th.mg-v { padding-top: 11px; }
.mg table.mg-sides td.mg-cell { min-width: 52px; }
.mg .mg-entry { min-width: 56px; padding: 5px 8px; font-size: 16px; font-weight: 600; }
.mg svg .mg-pick { cursor: pointer; outline: none; }
/* A way to the next column is seen through the cells that take no part. */
.mg svg .mg-pick.mg-dim .mg-box { stroke: var(--mg-faint); stroke-width: 1; fill: transparent; }
.mg svg .mg-pick.mg-dim .mg-value { fill: var(--mg-soft); paint-order: stroke; stroke: var(--mg-ground); stroke-width: 5px; }
.mg svg .mg-pick:focus-visible .mg-box { stroke: var(--mg-ink); stroke-width: 4; }
.mg svg .mg-way { fill: none; stroke: var(--mg-flow); stroke-width: 2; }
.mg svg .mg-waytip { fill: var(--mg-flow); }
.mg svg .mg-thread { fill: none; stroke: var(--mg-faint); stroke-width: 1; }
.mg .mg-memory { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)); gap: 12px 32px; align-items: start; }
.mg ol.mg-program { margin: 0; padding: 0 0 0 1.8em; list-style: decimal; color: var(--mg-soft); }
.mg ol.mg-program li { margin: 0; padding: 3px 8px; border-left: 3px solid transparent; color: var(--mg-ink); overflow-wrap: anywhere; }
.mg ol.mg-program li.mg-later { color: var(--mg-soft); }
.mg ol.mg-program li.mg-now { border-left-color: var(--mg-flow); background: var(--mg-panel); }
.mg .mg-strips { display: grid; gap: 16px; min-height: 180px; align-content: start; }
.mg p.mg-bare { margin: 0; padding: 12px 16px; border: 1px dashed var(--mg-line); border-radius: 8px; min-height: 154px; box-sizing: border-box; color: var(--mg-soft); font-size: 15px; }
.mg .mg-strip { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; }
.mg .mg-places { display: grid; gap: 2px; justify-items: stretch; }
.mg .mg-tag { text-align: center; font-weight: 600; border-bottom: 2px solid var(--mg-leaf); margin: 0 2px; padding: 0 2px; }
.mg .mg-tag.mg-nameless { color: var(--mg-soft); font-weight: 400; border-bottom: 2px dashed var(--mg-line); }
.mg .mg-place { border: 1px solid var(--mg-line); background: var(--mg-panel); border-radius: 4px; min-height: 32px; padding: 4px; text-align: center; font-size: 15px; }
.mg .mg-place.mg-changed { border: 2px solid var(--mg-flow); padding: 3px; font-weight: 600; }
.mg .mg-beside { display: grid; gap: 2px; flex: 1 1 190px; min-width: 0; font-size: 13px; }
.mg .mg-digits { display: inline-block; min-width: 1.6em; text-align: center; border: 1px solid var(--mg-line); border-radius: 4px; background: var(--mg-panel); }
.mg .mg-digits.mg-changed { border-color: var(--mg-flow); color: var(--mg-flow); box-shadow: inset 0 0 0 1px var(--mg-flow); }
.mg .mg-lock { color: var(--mg-done); justify-self: center; }
.mg .mg-beside .mg-lock { justify-self: start; }
.mg .mg-lock.mg-caught, .mg .mg-refused { color: var(--mg-leaf); }
.mg .mg-refused { font-weight: 600; }
.mg .mg-lock.mg-slipped { color: var(--mg-flow); }
.mg .mg-padlock { display: inline-block; vertical-align: -2px; }
.mg .mg-padlock path { fill: none; stroke: currentColor; stroke-width: 1.6; }
.mg .mg-padlock rect { fill: currentColor; }
.mg .mg-padlock .mg-mark { stroke: var(--mg-ground); }
.mg .mg-legend .mg-lock { display: inline-flex; gap: 4px; align-items: center; }
.mg .mg-tree { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr)); gap: 14px 32px; align-items: start; }
.mg .mg-asked { border: 0; margin: 0 0 4px; padding: 0 0 8px 14px; border-left: 2px solid var(--mg-faint); min-width: 0; }
.mg .mg-asked.mg-answered { border-left-color: var(--mg-flow); }
.mg .mg-asked .mg-controls { margin: 0; gap: 6px; }
.mg .mg-asked .mg-button { text-align: left; overflow-wrap: anywhere; }
.mg svg .mg-branch { fill: none; stroke: var(--mg-faint); stroke-width: 1.5; }
.mg svg .mg-branch.mg-lit { stroke: var(--mg-flow); stroke-width: 3; }
.mg svg .mg-out { opacity: 0.25; }
.mg svg .mg-end { fill: var(--mg-ground); stroke: var(--mg-line); stroke-width: 2; }
.mg svg .mg-end.mg-number { fill: var(--mg-done); stroke: var(--mg-done); }
.mg svg .mg-end.mg-warning { fill: var(--mg-leaf); stroke: var(--mg-leaf); }
.mg svg .mg-end.mg-error { stroke: var(--mg-flow); }
.mg svg .mg-end.mg-lit { stroke: var(--mg-ink); stroke-width: 3; }
.mg .mg-outcome { display: grid; gap: 4px; margin-top: 14px; }
.mg pre.mg-printed { border-width: 0 0 0 3px; margin: 0 0 6px; padding: 8px 12px; border-style: solid; border-color: var(--mg-line); font: 13px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; background: var(--mg-panel); color: var(--mg-ink); border-radius: 0 6px 6px 0; }
.mg .mg-legend svg { display: inline-block; vertical-align: -3px; margin-right: 4px; }
.mg .mg-training { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)); gap: 14px 28px; align-items: start; }
.mg .mg-charts { display: grid; gap: 10px; min-width: 0; }
.mg .mg-charts .mg-small { margin: 0; display: flex; flex-wrap: wrap; gap: 0 14px; }
.mg .mg-charts .mg-small b { font-weight: 600; color: var(--mg-ink); }
.mg .mg-mistakes { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 240px), 1fr)); gap: 14px 28px; align-items: start; }
.mg .mg-calls { margin: 16px 0 0; }
.mg .mg-calls ul { list-style: none; margin: 6px 0 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15em), 1fr)); gap: 4px 8px; }
.mg .mg-calls li.mg-call { display: flex; gap: 8px; align-items: baseline; margin: 0; padding: 3px 8px; border: 1px solid var(--mg-faint); border-radius: 6px; }
.mg .mg-calls b { margin-left: auto; font-weight: 600; }
.mg .mg-calls small { color: var(--mg-soft); font-size: 12px; min-width: 2.6em; }
.mg .mg-calls .mg-yours { border-color: var(--mg-done); box-shadow: inset 3px 0 0 var(--mg-done); }
.mg .mg-calls .mg-yours small { color: var(--mg-done); font-weight: 600; }
.mg svg .mg-boundary { fill: none; stroke: var(--mg-ink); stroke-width: 1.8; }
.mg svg .mg-point { fill: var(--mg-leaf); stroke: var(--mg-ground); stroke-width: 0.8; }
.mg svg .mg-point + .mg-point { fill: var(--mg-flow); }
.mg svg .mg-rule { stroke: var(--mg-faint); stroke-width: 1; }
.mg svg .mg-marker { stroke: var(--mg-ink); stroke-width: 1.2; stroke-dasharray: 3 4; }
.mg svg .mg-tick { font-size: 12px; fill: var(--mg-soft); }
.mg svg .mg-series { fill: none; stroke: currentColor; stroke-width: 1.8; }
.mg svg .mg-here { fill: currentColor; }
.mg .mg-tone-0 { color: var(--mg-leaf); }
.mg .mg-tone-1 { color: var(--mg-flow); }
.mg .mg-tone-2 { color: var(--mg-done); }
.mg .mg-tone-3 { color: var(--mg-ink); }
.mg svg .mg-tone-1 .mg-series { stroke-dasharray: 7 3; }
.mg svg .mg-tone-2 .mg-series { stroke-dasharray: 2 3; }
.mg .mg-legend { display: flex; flex-wrap: wrap; gap: 2px 16px; color: var(--mg-soft); font-size: 12px; margin: 8px 0 0; }
.mg .mg-legend.mg-rows { flex-direction: column; }
.mg .mg-legend b { font-weight: 600; }
.mg .mg-question { max-width: 46rem; margin: 0 0 8px; }
.mg .mg-verdicts { max-width: 46rem; margin: 6px 0 0; padding: 8px 14px; border-radius: 8px; background: var(--mg-panel); }
.mg .mg-verdicts p.mg-say { margin: 0; }
.mg .mg-soft { color: var(--mg-soft); }
.mg .mg-choices { display: grid; gap: 6px; max-width: 46rem; }
.mg .mg-choice { display: flex; gap: 10px; align-items: baseline; text-align: left; overflow-wrap: anywhere; }
.mg .mg-mark { min-width: 1em; }
.mg .mg-mark:not(.mg-good, .mg-bad) { color: var(--mg-soft); }
@media (max-width: 520px) {
  .mg .mg-controls .mg-slider { flex: 1 1 70%; max-width: none; order: 1; }
  .mg .mg-controls .mg-count { order: 2; }
  .mg .mg-controls .mg-check { order: 3; }
  .mg .mg-slices { display: flex; flex-wrap: wrap; }
}
@media (prefers-reduced-motion: reduce) { .mg *, .mg *::before { transition: none !important; } }
`;

/** Put the style into a document, once. */
export function dress(page) {
  if (page.getElementById("mg-style")) return;
  const style = page.createElement("style");
  style.id = "mg-style";
  style.textContent = STYLE;
  page.head.append(style);
}
