/**
 * The colour tokens of both themes: contrast is at least 4.5 for texts and 3 for borders, and both themes define the
 * same tokens.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { checkout } from "#test/support/source.ts";

const css = await Bun.file(join(checkout, "src/web/styles.css")).text();

function tokensAfter(selector: string): Record<string, string> {
  const block = css.slice(css.indexOf(selector)).split("}")[0] ?? "";
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]),
  );
}

const light = tokensAfter('[data-theme="light"] {');
const dark = tokensAfter('\n[data-theme="dark"] {');
const bySystem = tokensAfter(':root:not([data-theme="light"]) {');

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [a = 0, b = 0] = [luminance(one), luminance(other)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}

test("the dark theme is the same by system setting and by choice, and defines the tokens of the light theme", () => {
  expect(bySystem).toEqual(dark);
  expect(Object.keys(dark).sort()).toEqual(Object.keys(light).sort());
  expect(Object.keys(light).length).toBeGreaterThan(20);
});

for (const [name, theme] of Object.entries({ light, dark })) {
  test(`${name}: every text and border has enough contrast on every background that it is used on`, () => {
    const colour = (token: string): string => theme[token] ?? "#ff00ff";
    const pairs = [
      ...["ink", "quiet", "accent"].flatMap((text) =>
        ["page", "surface", "sunken"].map((on) => [text, on, 4.5] as const),
      ),
      ["on-accent", "accent", 4.5] as const,
      ...["green", "blue", "grey", "amber", "red", "violet"].map((tone) => [tone, `${tone}-tint`, 4.5] as const),
      ["red", "surface", 4.5] as const,
      ...["edge", "ring"].flatMap((line) => ["surface", "page"].map((on) => [line, on, 3] as const)),
    ];
    const faint = pairs.filter(([text, on, min]) => contrast(colour(text), colour(on)) < min);
    expect(faint).toEqual([]);
  });
}
