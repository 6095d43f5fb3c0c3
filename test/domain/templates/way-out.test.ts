import { expect, test } from "bun:test";
import { findWarnings } from "#src/domain/templates/way-out.ts";

const own = { stopWords: ["genug"], startWords: [], buttonMarks: [] };
const body = { type: "BODY", text: "The sale begins today." };
const footer = (text: string) => ({ type: "FOOTER", text });
const buttons = (...titles: string[]) => ({
  type: "BUTTONS",
  buttons: titles.map((text) => ({ type: "QUICK_REPLY", text })),
});
const missing = expect.stringContaining("does not say how to stop");

const cases: [name: string, category: string, components: { type: string }[], warnings: unknown[]][] = [
  ["a marketing template without any way out", "MARKETING", [body], [missing]],
  ["a marketing template with the network's button", "MARKETING", [body, buttons("Detener promociones")], []],
  ["a marketing template with an ambiguous word as a button", "MARKETING", [body, buttons("Cancelar")], []],
  ["a marketing template whose footer names the word", "MARKETING", [body, footer("Reply STOP to opt out")], []],
  [
    "a marketing template whose footer names a word of the workspace",
    "MARKETING",
    [body, footer("Antworte genug")],
    [],
  ],
  [
    "a button that holds the word otherwise",
    "MARKETING",
    [body, buttons("Stop by today", "Stop")],
    [
      "The button “Stop by today” does not opt out, because it says more than the opt-out word. Mark what it means under Templates.",
    ],
  ],
  [
    "a link with the word, which is no answer",
    "MARKETING",
    [{ type: "BUTTONS", buttons: [{ type: "URL", text: "Stop" }] } as never],
    [missing],
  ],
  ["a utility template", "UTILITY", [body], []],
  ["a component of an unknown form", "MARKETING", [{ type: "BUTTONS", buttons: [null, 7] } as never], [missing]],
];

for (const [name, category, components, warnings] of cases) {
  test(`${name} has ${warnings.length === 0 ? "no warning" : "a warning"}`, () => {
    expect(findWarnings({ name: "sale", language: "en", category, components }, own)).toEqual(warnings as string[]);
  });
}
