"""A slider with a name and a screen that speaks, for those who do not see them: ipywidgets' own have neither.

The handle of an ipywidgets slider cannot be given a name from Python, and JupyterLab takes its arrow keys away. Its
HTML replaces what a screen reader listens to, so that nothing is read out. The browser's own slider and a live region
that stays do all of it.
"""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets


class Slider(anywidget.AnyWidget):
    """A number from `min` to `max`; `texts`, if there are any, are what stands beside its places."""

    _esm = """
    function render({ model, el }) {
      el.classList.add("minigrad-slider");
      const label = document.createElement("label");
      const name = document.createElement("span");
      const input = document.createElement("input");
      const shown = document.createElement("output");
      input.type = "range";
      // Else JupyterLab takes the arrow keys, and goes to another cell.
      input.dataset.lmSuppressShortcuts = "true";
      label.append(name, input);
      el.append(label, shown);

      function say() {
        const text = model.get("texts")[Number(input.value)];
        shown.value = text ?? input.value.replace("-", "−");
        if (text !== undefined) input.setAttribute("aria-valuetext", text);
      }
      function update() {
        name.textContent = model.get("description");
        input.title = model.get("tooltip");
        for (const each of ["min", "max", "step"]) input[each] = model.get(each);
        input.value = model.get("value");
        say();
      }
      function send() {
        model.set("value", Number(input.value));
        model.save_changes();
      }
      input.addEventListener("input", () => { say(); if (model.get("continuous_update")) send(); });
      input.addEventListener("change", send);
      for (const each of ["description", "tooltip", "min", "max", "step", "value", "texts"])
        model.on(`change:${each}`, update);
      update();
    }
    export default { render };
    """
    _css = """
    .minigrad-slider { display: flex; align-items: center; gap: 0.8em; width: 32em; max-width: 100%; margin: 2px; }
    .minigrad-slider label { display: flex; align-items: center; gap: 0.8em; flex: 1; }
    .minigrad-slider span { min-width: 5em; text-align: right; white-space: nowrap; }
    .minigrad-slider input { flex: 1; min-width: 5em; accent-color: var(--jp-brand-color1, #1976d2); }
    .minigrad-slider output { min-width: 3em; }
    .minigrad-slider { color: var(--jp-widgets-label-color, inherit); font-size: var(--jp-widgets-font-size, 13px); }
    """

    value = traitlets.Float(0.0).tag(sync=True)
    min = traitlets.Float(0.0).tag(sync=True)
    max = traitlets.Float(100.0).tag(sync=True)
    step = traitlets.Float(1.0).tag(sync=True)
    description = traitlets.Unicode().tag(sync=True)
    tooltip = traitlets.Unicode().tag(sync=True)
    texts = traitlets.List(traitlets.Unicode()).tag(sync=True)
    continuous_update = traitlets.Bool(True).tag(sync=True)

    @traitlets.validate("value")
    def within(self, proposal: Any) -> float:
        """The value, brought within the limits."""
        return sorted((self.min, proposal["value"], self.max))[1]

    @traitlets.observe("min", "max")
    def limits_moved(self, change: Any) -> None:
        """Keep the value within limits that have moved."""
        self.value = sorted((self.min, self.value, self.max))[1]


class Stepper(Slider):
    """A slider over whole numbers."""

    value = traitlets.Int(0).tag(sync=True)
    min = traitlets.Int(0).tag(sync=True)
    max = traitlets.Int(100).tag(sync=True)
    step = traitlets.Int(1).tag(sync=True)


class Screen(anywidget.AnyWidget):
    """HTML that changes; a screen reader says what has changed."""

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
