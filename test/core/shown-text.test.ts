/** What counts as a character that shows nothing. */
import { expect, test } from "bun:test";
import { BLANK_CHARACTERS, SHOWS_NOTHING } from "#src/core/shown-text.ts";

test("the class for SQL has the characters of the pattern, and no other", () => {
  const listed = new RegExp(`^[\\0${BLANK_CHARACTERS}]$`, "u");
  const wrong: string[] = [];
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const character = String.fromCodePoint(point);
    if (SHOWS_NOTHING.test(character) !== listed.test(character)) wrong.push(point.toString(16));
  }
  expect(wrong).toEqual([]);
});
