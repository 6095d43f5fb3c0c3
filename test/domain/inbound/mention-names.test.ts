/** Whom the text of a note names, and where in it. */
import { expect, test } from "bun:test";
import { named, namesIn } from "#src/domain/inbound/mention-names.ts";

test("a name begins a word with an @, and a sentence may end behind it; its place is in the text", () => {
  const marked = (text: string) => namesIn(text).map(({ start, end }) => text.slice(start, end));
  for (const [text, names] of [
    ["@ana", ["@ana"]],
    ["Ask @Ana, @bob.rao. Or (@bob@example.com)!", ["@Ana", "@bob.rao", "@bob@example.com"]],
    ["ana@example.com a@bob @ @... @@", ["@@"]],
    ["“@josé” \u{1F384}@ana", ["@josé"]],
    ["line\n@ana\t@ana", ["@ana", "@ana"]],
    ["", []],
  ] as const)
    expect([text, marked(text)]).toEqual([text, [...names]]);
  expect(namesIn("Hi @ANA...").map(({ name }) => name)).toEqual(["ana"]);
});

test("a name is that of one user alone, by the part before the @ or the whole address, in any case", () => {
  const users = ["Ana@example.com", "bob@example.com", "bob@example.org"].map((email) => ({ email }));
  expect(named(users, "ana")?.email).toBe("Ana@example.com");
  expect(named(users, "bob")).toBeNull();
  expect(named(users, "bob@example.org")?.email).toBe("bob@example.org");
  expect(named(users, "an")).toBeNull();
});
