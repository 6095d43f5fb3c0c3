/** Every mistake in a filter is reported at once, by its path, in a sentence that says what would be correct. */
import { describe, expect, test } from "bun:test";
import { sentencesOf } from "#src/core/fault.ts";
import { Problem } from "#src/core/problem.ts";
import { readFilter } from "#src/domain/filters/filter.ts";
import { FIELDS } from "#test/support/people.ts";

function problems(json: unknown): Record<string, string[]> {
  try {
    readFilter(json, FIELDS, "IN");
    return {};
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    expect(error.code).toBe("invalid_request");
    return sentencesOf(error.details.fields ?? {});
  }
}

const city = { field: "city", is: "Pune" };
const nested = (depth: number): unknown => (depth === 1 ? city : { not: nested(depth - 1) });

describe("a filter is refused", () => {
  const table: [string, unknown, string, string][] = [
    ["no object", "vip", "filter", "An object is expected here"],
    ["nothing", null, "filter", "An object is expected here"],
    ["a bare list", [city], "filter", "An object is expected here"],
    ["no field", { is: "Pune" }, "filter.field", "A condition needs a field: phone, name"],
    ["no operator", { field: "city" }, "filter", "A condition needs an operator"],
    ["two operators", { field: "city", is: "Pune", contains: "P" }, "filter", "this one has is and contains"],
    [
      "an unknown operator",
      { field: "city", equals: "Pune" },
      "filter.equals",
      "Unknown operator. The operators are is, is_not",
    ],
    ["an operator of Object", { field: "city", constructor: "Pune" }, "filter.constructor", "Unknown operator"],
    ["a field that is no text", { field: 7, is: "Pune" }, "filter.field", "The name of a field must be a text"],
    ["an unknown field", { field: "town", is: "Pune" }, "filter.field", "A contact has no field town; there are phone"],
    ["a field of Object", { field: "toString", is: "Pune" }, "filter.field", "A contact has no field toString"],
    ["a custom field without its prefix", { field: "plan", is: "a" }, "filter.field", "write fields.plan"],
    [
      "an unknown custom field",
      { field: "fields.nope", is: 1 },
      "filter.field",
      "There is no custom field nope; there are plan",
    ],
    ["all beside a condition", { all: [city], ...city }, "filter", `"all" must be the only member`],
    ["all beside any", { all: [city], any: [city] }, "filter", `"all" must be the only member`],
    ["all without a list", { all: city }, "filter.all", "joins a list"],
    ["an empty all", { all: [] }, "filter.all", "The list is empty"],
    ["an empty any", { not: { any: [] } }, "filter.not.any", "The list is empty"],
    ["a list under not", { not: [city] }, "filter.not", "An object is expected here"],
    [
      "a mistake far inside",
      { all: [city, { not: { any: [city, { field: "city", over: 3 }] } }] },
      "filter.all.1.not.any.1.over",
      "city is a text: ask for it with is, is_not, in, contains, starts_with or set.",
    ],
    ["a number for a text", { field: "city", is: 3 }, "filter.is", "This must be a text"],
    ["an empty text", { field: "city", is: "" }, "filter.is", "An empty text is not a value"],
    ["a text too long", { field: "city", is: "x".repeat(1_001) }, "filter.is", "at most 1000 characters"],
    ["half a character", { field: "city", is: "\ud800" }, "filter.is", "no field can contain"],
    ["a zero byte", { field: "city", contains: "a\0" }, "filter.contains", "no field can contain"],
    ["a list for is", { field: "city", is: ["Pune"] }, "filter.is", `for several, use "in"`],
    ["no list for in", { field: "city", in: "Pune" }, "filter.in", "takes a list"],
    ["an empty list", { field: "city", in: [] }, "filter.in", "The list is empty"],
    ["a wrong value in a list", { field: "city", in: ["Pune", 3] }, "filter.in.1", "This must be a text"],
    ["a set that is no boolean", { field: "city", set: "yes" }, "filter.set", `"set" is true`],
    [
      "consent that there is not",
      { field: "consent", is: "maybe" },
      "filter.is",
      "one of unknown, opted_in, opted_out",
    ],
    [
      "whether consent is set",
      { field: "consent", set: true },
      "filter.set",
      "consent is a consent: ask for it with is, is_not or in.",
    ],
    [
      "part of a tag",
      { field: "tag", contains: "v" },
      "filter.contains",
      "tag is a tag: ask for it with is, is_not, in or set.",
    ],
    ["a tag by number", { field: "tag", is: 3 }, "filter.is", "A tag is named by a text."],
    ["a group by half a number", { field: "group", is: 1.5 }, "filter.is", "or by its id as a whole number"],
    ["no phone number", { field: "phone", is: "12" }, "filter.is", "This is not a phone number"],
    [
      "the start of a phone number without plus",
      { field: "phone", starts_with: "91" },
      "filter.starts_with",
      "+ and the country code",
    ],
    [
      "a day that does not exist",
      { field: "birthday", is: "2001-02-29" },
      "filter.is",
      "This must be a date such as 1990-02-28",
    ],
    [
      "before a day without a year",
      { field: "birthday", before: "--02-28" },
      "filter.before",
      "needs a date with its year",
    ],
    ["negative days", { field: "birthday", within_days: -1 }, "filter.within_days", "from 0 (today) to 366"],
    [
      "more than a year of days",
      { field: "birthday", within_days: 367 },
      "filter.within_days",
      "from 0 (today) to 366",
    ],
    ["half a day", { field: "created_at", within_days: 0.5 }, "filter.within_days", "a whole number of days"],
    [
      "a moment exactly",
      { field: "created_at", is: "2026-11-21" },
      "filter.is",
      "created_at is a moment: ask for it with before, after",
    ],
    ["no moment", { field: "updated_at", after: "yesterday" }, "filter.after", "a date and time such as"],
    ["a text for a number", { field: "fields.points", over: "3" }, "filter.over", "This must be a number"],
    ["over a text", { field: "fields.plan", over: 3 }, "filter.over", "fields.plan is a text"],
    ["a text for a boolean", { field: "fields.member", is: "true" }, "filter.is", "This must be true or false"],
    [
      "a date without a year",
      { field: "fields.renews", is: "--11-21" },
      "filter.is",
      "This must be a date such as 2026-11-21",
    ],
    [
      "a choice that there is not",
      { field: "fields.tier", is: "bronze" },
      "filter.is",
      "This field holds one of gold, Gold, silver.",
    ],
    ["eleven levels", nested(11), `filter${".not".repeat(10)}`, "at most 10 levels"],
    [
      "a hundred and one conditions",
      { any: Array.from({ length: 101 }, () => city) },
      "filter",
      "at most 100 conditions",
    ],
    ["too many values", { field: "city", in: Array.from({ length: 2_001 }, String) }, "filter", "at most 2000 values"],
  ];
  for (const [what, json, path, sentence] of table) {
    test(what, () => {
      const found = problems(json);
      expect(Object.keys(found)).toEqual([path]);
      expect(found[path]?.join(" ")).toContain(sentence);
    });
  }

  test("with all of its mistakes at once", () => {
    const filter = { all: [{ field: "town", is: "Pune" }, { not: { field: "city", over: 3 } }, {}] };
    expect(Object.keys(problems(filter))).toEqual([
      "filter.all.0.field",
      "filter.all.1.not.over",
      "filter.all.2",
      "filter.all.2.field",
    ]);
  });

  test("when it is nested a hundred thousand times, without a stack overflow", () => {
    const json = `${'{"not":'.repeat(100_000)}{"field":"city","set":true}${"}".repeat(100_000)}`;
    expect(Object.keys(problems(JSON.parse(json)))).toEqual([`filter${".not".repeat(10)}`]);
  });
});

describe("a filter is accepted", () => {
  const table: [string, unknown][] = [
    ["a condition alone", city],
    ["ten levels", nested(10)],
    ["a hundred conditions", { any: Array.from({ length: 100 }, () => city) }],
    ["everybody", { field: "phone", set: true }],
    ["a tag that no contact has yet", { field: "tag", is: "unheard of" }],
    ["a birthday as people write it", { field: "birthday", is: "28/02/1990" }],
    ["a day of every year", { field: "anniversary", in: ["--02-29", "2000-02-29"] }],
    ["today", { field: "birthday", within_days: 0 }],
    ["a moment with its offset", { field: "last_message_at", after: "2026-11-21T18:30:00+05:30" }],
    ["a choice, to the letter", { field: "fields.tier", in: ["gold", "Gold"] }],
  ];
  for (const [what, json] of table) test(what, () => expect(problems(json)).toEqual({}));
});
