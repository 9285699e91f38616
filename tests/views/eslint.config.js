// What the linter asks of the views: no unused or undefined names, and nothing that runs or writes text as HTML.

import js from "@eslint/js";

const names = (words) => Object.fromEntries(words.split(" ").map((word) => [word, "readonly"]));
const BROWSER = "document window console setTimeout setInterval clearInterval requestAnimationFrame ResizeObserver DOMParser URL encodeURIComponent localStorage location matchMedia IntersectionObserver URLSearchParams addEventListener fetch performance Event";

export default [
  js.configs.recommended,
  {
    files: ["minigrad_course/**/*.js", "docs/**/*.js"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: names(BROWSER) },
    rules: {
      "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) => ({ property, message: "Set text, not HTML." })),
      ],
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "prefer-const": "error",
      eqeqeq: "error",
      "max-lines": ["error", 450],
    },
  },
  // It reads the still picture that the page's builder has written.
  { files: ["**/site.js"], rules: { "no-restricted-properties": "off" } },
  { files: ["**/remoteEntry.js"], languageOptions: { sourceType: "script" } },
  { files: ["tests/**/*.js"], languageOptions: { globals: names("console process") } },
];
