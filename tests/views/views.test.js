// The parts of the views that can be tested without a page: what is refused, what is said, what is lit.

import assert from "node:assert/strict";
import test from "node:test";

const STATIC = "../../minigrad_course/explorers/labextension/static";
const { factor, list, text } = await import(`${STATIC}/kit.js`);
const { DARK, LIGHT, STYLE } = await import(`${STATIC}/look.js`);
const { FORMAT, VIEWS, hindrance } = await import(`${STATIC}/mount.js`);
const { stateAfter } = await import(`${STATIC}/board.js`);
const { reached, tint } = await import(`${STATIC}/weights.js`);
const { added } = await import(`${STATIC}/slices.js`);
const { MARKS, ticked, words } = await import(`${STATIC}/memory.js`);
const leaves = await import(`${STATIC}/leaves.js`);
const { grouped, runs } = await import(`${STATIC}/training.js`);
const { last } = await import(`${STATIC}/mistakes.js`);

test("numbers are short and have a real minus", () => {
  assert.equal(text(-3.84), "−3.84");
  assert.equal(text(0.1 + 0.2), "0.3");
  assert.equal(text(-0), "0");
  assert.equal(text(-1e-17 * 0), "0");
  assert.equal(text(12345), "12345");
  assert.equal(factor(-2), "(−2)");
  assert.equal(list([[1, -2], [3, 4]]), "[[1, −2], [3, 4]]");
});

test("data that cannot be read, or come from a newer course, are a sentence", () => {
  for (const wrong of [undefined, null, 3, {}, { format: "1", view: "walk" }, { format: 1, view: 3 }])
    assert.match(hindrance(wrong), /cannot be read/);
  assert.match(hindrance({ format: FORMAT + 1, view: "walk" }), /newer minigrad/);
  assert.match(hindrance({ format: FORMAT, view: "no-such-view" }), /newer minigrad/);
  for (const view of VIEWS) assert.equal(hindrance({ format: FORMAT, view }), "");
});

test("every view is a module with render", async () => {
  for (const view of VIEWS) assert.equal(typeof (await import(`${STATIC}/${view}.js`)).render, "function");
});

test("both themes have the same colours, and the style uses no other", () => {
  assert.deepEqual(Object.keys(LIGHT), Object.keys(DARK));
  const used = new Set([...STYLE.matchAll(/var\(--mg-(\w+)/g)].map(([, name]) => name));
  for (const name of used) assert.ok(name in LIGHT || name === "across", name);
});

test("a colour says sign and size", () => {
  assert.equal(tint(0, 0), "rgba(var(--mg-plus), 0.000)");
  assert.equal(tint(400, 400), "rgba(var(--mg-plus), 0.420)");
  assert.equal(tint(-100, 400), "rgba(var(--mg-minus), 0.210)");
});

test("a goal is reached when all of its conditions hold", () => {
  const conditions = [
    { of: "v", index: 0, is: null },
    { of: "total", index: 0, is: 0 },
  ];
  assert.ok(reached({ conditions }, { v: [4, 0, -1], total: [0, 7] }));
  assert.ok(!reached({ conditions }, { v: [0, 0, 0], total: [0, 0] }));
  assert.ok(!reached({ conditions }, { v: [4, 0, 0], total: [4, 8] }));
});

test("slices add up with their weights", () => {
  const slices = [
    { weight: 1, entries: [[1, 0]] },
    { weight: -10, entries: [[2, 3]] },
  ];
  assert.deepEqual(added(slices), [[-19, -30]]);
  assert.deepEqual(added([]), []);
});

test("each step of a walk adds to the one before", () => {
  const product = { label: "1 × 4 = 4", share: "4" };
  const steps = [
    { way: "forward", at: 0, now: [0], values: { 0: ["8"] } },
    { way: "backward", at: 0, now: [], gradients: { 0: ["1"] } },
    { way: "backward", at: 0, now: [0], products: [product], gradients: { 1: ["4"] }, waiting: [1] },
    { way: "backward", at: 2, now: [1], products: [product], gradients: { 1: ["8"] }, lost: [1] },
  ];
  const start = { values: { 1: ["2"] } };
  assert.deepEqual(stateAfter(start, steps, 0).values, { 1: ["2"] });
  const third = stateAfter(start, steps, 3);
  assert.deepEqual(third.gradients, { 0: ["1"], 1: ["4"] });
  assert.deepEqual([...third.waiting], [1]);
  assert.deepEqual(third.sent, { 0: product });
  assert.deepEqual([...third.now], [0]);
  const last = stateAfter(start, steps, 4);
  assert.deepEqual([...last.waiting], []);
  assert.deepEqual([...last.lost], [1]);
  assert.deepEqual(last.gradients[1], ["8"]);
  assert.deepEqual(start, { values: { 1: ["2"] } });
});

test("a version has ticked if it was another one on the same strip before", () => {
  const count = { version: 1, names: ["y", "d"] };
  const before = (number, version) => ({ strips: [{ number, counts: [{ version, names: ["y"] }] }] });
  assert.ok(ticked(count, { number: 3 }, before(3, 0)));
  assert.ok(!ticked(count, { number: 3 }, before(3, 1)));
  assert.ok(!ticked(count, { number: 3 }, before(2, 0)));
  assert.ok(!ticked(count, { number: 3 }, undefined));
});

test("each end of a program has its mark and its words", () => {
  assert.equal(new Set(Object.keys(MARKS).map(words)).size, 3);
  assert.match(words("wrong"), /wrong, without a word/);
});

test("answers lead down the tree to an end, and an end is told", () => {
  const row = { kind: "None", printed: ["None"], facts: "is_leaf True" };
  const tree = { ask: "a?", answers: [{ say: "x", then: row }, { say: "y", then: { ask: "b?", answers: [{ say: "z", then: row }] } }] };
  assert.equal(leaves.reached(tree, []), tree);
  assert.deepEqual([leaves.ends(tree), leaves.ends(row)], [2, 1]);
  assert.equal(leaves.reached(tree, [1]).ask, "b?");
  assert.equal(leaves.reached(tree, [1, 0]), row);
  assert.equal(leaves.told(row), "t.grad is None. Of t itself: is_leaf True.");
  assert.equal(leaves.told({ ...row, kind: "error", printed: ["RuntimeError: no."] }), "An error: RuntimeError: no.");
  assert.match(leaves.told({ ...row, kind: "warning", printed: ["None", "UserWarning: w."] }), /a warning: UserWarning: w\. Of t/);
});

test("equal cells of a row are one rectangle, and none goes on in the next row", () => {
  const paths = runs("0011" + "1111", 4, 3, 10);
  assert.deepEqual(paths, ["M0,0h20v10h-20z", "M20,0h20v10h-20zM0,10h40v10h-40z", ""]);
});

test("counts are read in groups of three", () => {
  assert.deepEqual([0, 600, 1800, 10800, 1234567].map(grouped), ["0", "600", "1,800", "10,800", "1,234,567"]);
});

test("a training that has ended stays as it was", () => {
  assert.deepEqual([0, 1, 5].map((step) => last(["a", "b"], step)), ["a", "b", "b"]);
});
