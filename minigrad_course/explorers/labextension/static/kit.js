// What every view is made of: elements, controls with names and keys of their own, numbers as text, a voice.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; text stays text. */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for a shape of SVG. */
export function shape(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== "" && child !== null && child !== undefined));
  return made;
}

/** Keep JupyterLab's shortcuts away from every control: it asks the control itself, not what is around it. */
export function quiet(root) {
  for (const control of root.querySelectorAll("button, input, summary, [tabindex]"))
    control.setAttribute("data-lm-suppress-shortcuts", "true");
}

/** A number with up to six digits, and a real minus. */
export function text(value) {
  const rounded = Number(Number(value).toPrecision(6)) + 0; // + 0: no minus before a zero
  return String(rounded === 0 ? 0 : rounded).replace("-", "−");
}

/** A number behind an operator: in brackets if it is negative. */
export function factor(value) {
  return value < 0 ? `(${text(value)})` : text(value);
}

/** Numbers in brackets. */
export function list(values) {
  return Array.isArray(values) ? `[${values.map(list).join(", ")}]` : text(values);
}

/** Text with `code` between backticks, as nodes. */
export function prose(text) {
  return text.split("`").map((piece, at) => (at % 2 ? element("code", {}, piece) : piece));
}

/** A button with a word on it. */
export function button(name, press, attributes = {}) {
  const made = element("button", { type: "button", class: "mg-button", ...attributes }, name);
  made.addEventListener("click", press);
  return made;
}

/** A slider with a name for those who do not see it. */
export function slider(name, settings, move) {
  const made = element("input", { type: "range", class: "mg-slider", "aria-label": name, ...settings });
  made.value = settings.value;
  made.addEventListener("input", () => move(Number(made.value)));
  return made;
}

/** A box for a number; what is no number leaves everything as it was, and gives way to what was there. */
export function numberBox(name, settings, move) {
  const made = element("input", { type: "number", class: "mg-number", step: "any", "aria-label": name, ...settings });
  made.value = settings.value ?? "";
  made.addEventListener("input", () => {
    if (valid()) move(made.valueAsNumber);
  });
  const valid = () => made.value !== "" && Number.isFinite(made.valueAsNumber);
  let before = made.value;
  for (const moment of ["focus", "change"]) made.addEventListener(moment, () => (valid() ? (before = made.value) : (made.value = before)));
  return made;
}

/** The sentence under a picture. A screen reader says it whenever it changes. */
export function voice() {
  return element("p", { class: "mg-say", "aria-live": "polite" });
}

/** Back, play, next, and a slider over the steps from 0 to `last`; `show(step)` is called with each, `names` name them. */
export function stepper(last, show, { pace = 1400, name = "Step", start = 0, names, playing } = {}) {
  let step = start;
  let timer = 0;
  const back = button("Back", () => go(step - 1, true));
  const next = button("Next", () => go(step + 1, true));
  const play = button("Play", () => (timer ? stop() : begin()), { class: "mg-button mg-main" });
  const bar = slider(name, { min: 0, max: last, step: 1, value: start }, (value) => go(value, true));
  const count = element("span", { class: "mg-count" });

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
    playing?.(false);
  }
  function begin() {
    if (step === last) go(0, false);
    play.textContent = "Pause";
    playing?.(true);
    timer = setInterval(() => {
      // A picture that is gone plays for nobody.
      if (!bar.isConnected || step >= last) stop();
      else go(step + 1, false);
      if (step >= last) stop();
    }, pace);
  }
  function go(wanted, byHand) {
    if (byHand && timer) stop();
    step = Math.min(Math.max(wanted, 0), last);
    bar.value = step;
    bar.setAttribute("aria-valuetext", names ? names[step] : `${step} of ${last}`);
    count.textContent = names ? names[step] : `${step} / ${last}`;
    // Not `disabled`: that would throw the keyboard's focus away at the last step.
    back.setAttribute("aria-disabled", String(step === 0));
    next.setAttribute("aria-disabled", String(step === last));
    show(step);
  }
  return { controls: element("div", { class: "mg-controls" }, back, play, next, bar, count), go };
}

/** Make a place as high as the highest of its contents, so that nothing below it moves; `contents()` gives them all. */
export function steady(root, place, contents) {
  watchWidth(root, () => {
    const twin = element("div", { class: place.className, style: "visibility: hidden" });
    root.append(twin);
    const heights = contents().map((nodes) => {
      twin.replaceChildren(...nodes);
      return twin.offsetHeight;
    });
    twin.remove();
    place.style.minHeight = `${Math.max(...heights)}px`;
  });
}

/** Call `change(width)` whenever the node's width may ask for another layout. */
export function watchWidth(node, change) {
  let before = -1;
  const look = () => {
    const width = node.clientWidth;
    if (width && width !== before) change((before = width));
  };
  if (typeof ResizeObserver === "function") new ResizeObserver(look).observe(node);
  else requestAnimationFrame(look);
}
