// How a page of the site comes to draw explorers: each stands there as data and as its still picture.

import { mount } from "./mount.js";

/** Draw all explorers of a page; `load` gives the module of a view. */
export function begin(page, load) {
  const found = [...page.querySelectorAll(".mg-page")];
  return Promise.all(
    found.map((node) => {
      const data = JSON.parse(node.querySelector("script").textContent);
      const keep = (changed) => store(data.id, changed);
      return mount(node, { ...data, ...stored(data.id) }, node.querySelector("svg").outerHTML, load, keep);
    }),
  );
}

/** What a reader chose earlier, if the browser keeps it; a page may be denied to. */
function stored(id) {
  try {
    const { tried } = JSON.parse(localStorage.getItem(`minigrad ${id}`));
    return Array.isArray(tried) ? { tried } : {};
  } catch {
    return {};
  }
}

function store(id, changed) {
  try {
    localStorage.setItem(`minigrad ${id}`, JSON.stringify(changed));
  } catch {
    // then it holds as long as the page is open
  }
}
