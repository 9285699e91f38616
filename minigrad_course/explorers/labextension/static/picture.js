// picture: a still drawing in the colours of the page, in the form that fits the column.

import { element, shape, watchWidth } from "./kit.js";

const NARROW = 0.75; // below this share of its own width a drawing is too small to read
const TAGS = new Set(["g", "path", "rect", "circle", "text"]);
const ATTRIBUTES = new Set(
  ("d x y width height rx cx cy r transform fill fill-opacity fill-rule stroke stroke-width stroke-dasharray stroke-linejoin " +
    "paint-order font-size font-weight font-family text-anchor").split(" "),
);

export function render(data, root) {
  const page = new DOMParser();
  const drawn = [data.picture, data.narrow].filter(Boolean).map((text) => drawing(page.parseFromString(text, "image/svg+xml"), data.alt));
  const frame = element("div", { class: "mg-scroll" }, drawn[0]);
  root.append(frame);
  watchWidth(root, (width) => {
    const [wide, narrow = wide] = drawn;
    const natural = Number(wide.getAttribute("width"));
    const chosen = width >= NARROW * natural ? wide : narrow;
    if (frame.firstChild !== chosen) frame.replaceChildren(chosen);
    // What is still too wide keeps a size that can be read, and is scrolled: with the keyboard, too.
    chosen.style.minWidth = `${NARROW * Number(chosen.getAttribute("width"))}px`;
    const scrolled = {
      tabindex: "0",
      role: "region",
      "aria-label": "The picture, to be scrolled sideways",
      "data-lm-suppress-shortcuts": "true",
    };
    for (const [name, value] of Object.entries(scrolled)) {
      if (frame.scrollWidth > frame.clientWidth) frame.setAttribute(name, value);
      else frame.removeAttribute(name);
    }
  });
}

/** The shapes and texts of a picture, and nothing else that may stand in an SVG: no style, script or address. */
export function drawing(page, alt) {
  const svg = page.documentElement;
  if (svg.localName !== "svg" || page.querySelector("parsererror")) throw new Error("This is no SVG.");
  const [width, height] = ["width", "height"].map((name) => Number(svg.getAttribute(name)));
  const attributes = { class: "mg-still", role: "img", "aria-label": alt, viewBox: `0 0 ${width} ${height}`, width, height };
  return shape("svg", attributes, ...children(svg));
}

function children(node) {
  return [...node.childNodes].flatMap((child) => {
    if (child.nodeType === 3) return [child.data];
    if (child.nodeType !== 1 || !TAGS.has(child.localName)) return [];
    const kept = [...child.attributes].filter(({ name, value }) => ATTRIBUTES.has(name) && !/url|[:;\\]/i.test(value));
    return [shape(child.localName, Object.fromEntries(kept.map(({ name, value }) => [name, value])), ...children(child))];
  });
}
