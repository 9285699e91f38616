"""A screen that speaks, for those who do not see it.

ipywidgets' HTML replaces the element that a screen reader watches, so nothing is read out; a lasting live region works.
"""

from __future__ import annotations

import anywidget
import traitlets


class Screen(anywidget.AnyWidget):
    """HTML that changes; a screen reader announces the changes."""

    _esm = """
    function render({ model, el }) {
      el.classList.add("jp-RenderedHTMLCommon", "minigrad-screen");
      const region = document.createElement("div");
      region.setAttribute("aria-live", "polite");
      el.append(region);
      const update = () => { region.innerHTML = model.get("value"); };
      model.on("change:value", update);
      update();
    }
    export default { render };
    """
    _css = """
    .minigrad-screen { padding: 0.5em 2px; max-width: 100%; overflow-x: auto; }
    .minigrad-screen.jp-RenderedHTMLCommon table { margin-left: 0; }
    """

    value = traitlets.Unicode().tag(sync=True)
