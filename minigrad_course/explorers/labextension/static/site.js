// How a page of the site comes to draw explorers: each stands there as data and as its still picture.

import { mount } from "./mount.js";

/** Draw all explorers of a page, from the top, and let the reader in between; `load` gives the module of a view. */
export async function begin(page, load) {
  for (const node of page.querySelectorAll(".mg-page")) {
    const data = JSON.parse(node.querySelector("script").textContent);
    const keep = (changed) => store(data.id, changed);
    await mount(node, { ...data, ...stored(data.id) }, node.querySelector("svg").outerHTML, load, keep);
    await new Promise((done) => setTimeout(done));
  }
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
