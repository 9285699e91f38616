// The way from data to a view, the same in JupyterLab and on the site; where there is none, a sentence and the picture.

import { dress } from "./look.js";
import { element, quiet } from "./kit.js";

export const FORMAT = 1;
export const VIEWS = ["walk", "race", "weights", "slices", "secant", "sides", "reach", "memory", "leaves", "training", "mistakes", "predict", "picture"];

/** What hinders these data from being drawn, as a sentence; an empty text if nothing does. */
export function hindrance(data) {
  if (!data || typeof data !== "object" || !Number.isInteger(data.format) || typeof data.view !== "string")
    return "The data of this explorer cannot be read, so here is its picture.";
  if (data.format > FORMAT || !VIEWS.includes(data.view))
    return "This explorer was made by a newer minigrad than the one installed here, so here is its picture.";
  return "";
}

/**
 * Draw data into a node. `picture` is the SVG beside it, which a view gets with the data; `load` gives the module of a
 * view, `keep` stores a choice.
 */
export async function mount(node, data, picture, load, keep) {
  dress(node.ownerDocument);
  const root = element("div", { class: "mg", ...called(data?.view) });
  let problem = hindrance(data);
  if (!problem) {
    try {
      const { render } = await load(data.view);
      render({ ...data, picture }, root, keep);
      if (typeof data.note === "string") root.append(element("p", { class: "mg-hint" }, data.note));
    } catch (error) {
      console.warn("minigrad:", error);
      problem = "This explorer cannot be drawn, so here is its picture.";
    }
  }
  if (problem) root.replaceChildren(element("p", { class: "mg-say" }, problem), still(picture, data));
  quiet(root);
  node.replaceChildren(root);
  return problem;
}

/** An explorer is a group with a name; a picture has its own words. */
const called = (view) => (view === "picture" ? {} : { role: "group", "aria-label": `Explorer: ${view ?? "unknown"}` });

/** The still picture. As an image it can run nothing. */
function still(picture, data) {
  if (typeof picture !== "string" || !picture) return "";
  const source = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture)}`;
  return element("img", { class: "mg-still", src: source, alt: typeof data?.alt === "string" ? data.alt : "" });
}
