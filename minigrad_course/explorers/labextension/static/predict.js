// predict: a question and its choices. What is said to a choice comes when it is made, and no choice tells the others'.

import { button, element, prose, steady, voice } from "./kit.js";

export function render(data, root, keep) {
  root.setAttribute("aria-label", "Prediction");
  const say = voice();
  const tried = (data.tried ?? []).filter((text) => data.choices.some((choice) => choice.text === text));
  const isRight = (choice) => choice === data.choices[data.right];
  const rows = data.choices.map((choice) => {
    const mark = element("span", { class: "mg-mark" });
    const name = element("span", {}, ...prose(choice.text));
    return { choice, mark, made: button("", () => choose(choice), { class: "mg-button mg-choice" }), name };
  });
  for (const { made, mark, name } of rows) made.append(mark, name);

  function choose(choice) {
    const found = tried.includes(data.choices[data.right].text);
    if (!found && !tried.includes(choice.text)) {
      tried.push(choice.text);
      keep({ tried: [...tried] });
    }
    show(choice);
  }
  function show(last) {
    for (const { choice, mark, made } of rows) {
      const known = choice === last || tried.includes(choice.text);
      const sign = !known ? ["○", ""] : isRight(choice) ? ["✓", "right: "] : ["✗", "wrong: "];
      mark.replaceChildren(element("span", { "aria-hidden": "true" }, sign[0]), element("span", { class: "mg-hidden" }, sign[1]));
      mark.classList.toggle("mg-good", known && isRight(choice));
      mark.classList.toggle("mg-bad", known && !isRight(choice));
      made.setAttribute("aria-pressed", String(choice === last));
    }
    say.replaceChildren(...(last ? judged(last) : [element("span", { class: "mg-soft" }, "Choose an answer. Here it says why it is right or wrong.")]));
  }
  function judged(choice) {
    const [look, head] = isRight(choice) ? ["mg-good", "✓ Right. "] : ["mg-bad", "✗ "];
    return [element("span", { class: look }, head), ...prose(choice.say)];
  }
  const question = element("p", { class: "mg-title mg-question" }, ...prose(data.question));
  const verdict = element("div", { class: "mg-verdicts" }, say);
  root.append(question, element("div", { class: "mg-choices" }, ...rows.map((row) => row.made)), verdict);
  steady(root, verdict, () => data.choices.map((choice) => [element("p", { class: "mg-say" }, ...judged(choice))]));
  show(data.choices.find((choice) => choice.text === tried.at(-1)));
}
