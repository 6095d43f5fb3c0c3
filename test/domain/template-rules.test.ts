/** The rules that a template is checked against before it is submitted, on templates as shops write them. */
import { describe, expect, test } from "bun:test";
import { checkTemplate, type RuleId, ruleIds, templateRules } from "#src/domain/templates/rules/check.ts";
import { wrongOfLibrary } from "#test/support/library-templates.ts";
import { quickestMs } from "#test/support/processor-wait.ts";
import { rightTemplates, writtenLimits, wrongTemplates } from "#test/support/written-templates.ts";

/** As a request says it: each file is an upload. */
function requestOf({ samples, language = "en_US", ...template }: (typeof rightTemplates)[number]) {
  const media = samples && {
    ...(samples.header === undefined ? {} : { header: 5 }),
    ...(samples.cards === undefined ? {} : { cards: samples.cards.map((_, index) => 6 + index) }),
  };
  return { ...template, language, ...(media === undefined ? {} : { sample_media: media }) };
}

/** What needs the account, or the template that is corrected. */
const contexts = [
  { rule: "name_taken", path: "name", context: { isTaken: true } },
  { rule: "name_blocked", path: "name", context: { isBlocked: true } },
  {
    rule: "content_repeated",
    path: "components.0.text",
    context: {
      known: [
        {
          name: "old",
          language: "en_US",
          category: "UTILITY",
          components: [{ type: "BODY", text: "Your parcel is here." }],
        },
      ],
    },
  },
  {
    rule: "category_fixed",
    path: "category",
    context: { corrected: { category: "MARKETING", status: "APPROVED", today: 0, month: 0 } },
  },
  {
    rule: "correction_status",
    path: "components",
    context: { corrected: { category: "UTILITY", status: "PENDING", today: 0, month: 0 } },
  },
  {
    rule: "corrected_today",
    path: "components",
    context: { corrected: { category: "UTILITY", status: "APPROVED", today: 1, month: 1 } },
  },
  {
    rule: "corrected_month",
    path: "components",
    context: { corrected: { category: "UTILITY", status: "APPROVED", today: 0, month: 10 } },
  },
];
const parcel = {
  name: "parcel",
  language: "en_US",
  category: "UTILITY",
  components: [{ type: "BODY", text: "Your parcel is here." }],
};

describe("a template that WhatsApp takes", () => {
  test("there are sixty, each of its own", () => {
    expect(rightTemplates.length).toBeGreaterThanOrEqual(60);
    expect(new Set(rightTemplates.map(({ name }) => name)).size).toBe(rightTemplates.length);
  });

  test.each(rightTemplates.map((one) => [one.name, one] as const))("breaks no rule: %s", (_, template) => {
    expect(checkTemplate(requestOf(template))).toEqual([]);
  });

  test("may be corrected as often as Meta says", () => {
    const corrected = { category: "UTILITY", status: "APPROVED", today: 0, month: 9 };
    expect(checkTemplate(parcel, { corrected })).toEqual([]);
    expect(checkTemplate(parcel, { corrected: { ...corrected, status: "REJECTED", today: 40, month: 40 } })).toEqual(
      [],
    );
  });
});

describe("a template that WhatsApp refuses", () => {
  test.each(wrongTemplates.map((one, index) => [index, one.rule, one] as const))(
    "%d is stopped by %s",
    (_, rule, { path, template }) => {
      const problems = checkTemplate(template);
      expect(problems.map((one) => one.rule)).toEqual(problems.map(() => rule) as never);
      expect(problems.map((one) => one.path)).toContain(path);
    },
  );

  test.each(contexts)("$rule stops one that does not fit the account", ({ rule, path, context }) => {
    expect(checkTemplate(parcel, context)).toEqual([{ path, rule: rule as never, message: expect.any(String) }]);
  });

  test("is stopped by every rule of the table", () => {
    const seen = new Set([...wrongTemplates, ...writtenLimits, ...contexts].map(({ rule }) => rule));
    // `template-library.test.ts` stops these.
    for (const rule of [...wrongOfLibrary.map(([of]) => of), "library_new_only"]) seen.add(rule as never);
    expect(wrongTemplates.length).toBeGreaterThanOrEqual(60);
    expect(ruleIds.filter((id) => !seen.has(id))).toEqual([]);
  });
});

describe("a limit", () => {
  test.each(writtenLimits)("$rule: $max are right, one more is not", ({ rule, max, template }) => {
    expect(checkTemplate(template(max))).toEqual([]);
    const problems = checkTemplate(template(max + 1));
    expect(problems.length).toBeGreaterThan(0);
    expect(new Set(problems.map((one) => one.rule))).toEqual(new Set([rule]) as never);
  });

  test("of the table is one of Meta's", () => {
    const listed = new Map(writtenLimits.map(({ rule, max }) => [rule, max]));
    for (const id of ruleIds) {
      const { limit } = templateRules[id];
      if (limit !== undefined && !["corrected_today", "corrected_month", "url_placeholders"].includes(id))
        expect([id, limit]).toEqual([id, listed.get(id) as number]);
    }
  });

  test("that lets one more pass is found by these tables", () => {
    const numbered = writtenLimits.filter(({ rule, max }) => templateRules[rule as RuleId].limit === max);
    expect(numbered.length).toBeGreaterThan(15);
    for (const { rule, max, template } of numbered) {
      const planted = { ...templateRules, [rule]: { ...templateRules[rule as RuleId], limit: max + 1 } };
      const rules = checkTemplate(template(max + 1), {}, planted).map((one) => one.rule);
      expect([rule, rules]).toEqual([rule, []]);
    }
  });
});

test("a rule says where it is from, and each sentence is whole", () => {
  for (const id of ruleIds) {
    const { from, says } = templateRules[id];
    expect([id, from.length > 0, /^[A-Z%a-z].*\.$/.test(says)]).toEqual([id, true, true]);
  }
  const sentences = wrongTemplates.flatMap(({ template }) => checkTemplate(template).map(({ message }) => message));
  expect(sentences.filter((one) => /%\w/.test(one) || !one.endsWith("."))).toEqual([]);
});

test("anything at all can be checked", () => {
  const odd = [
    ...[null, undefined, 5, "text", [], [[]], {}, { components: 5 }, { components: [null, 5, []] }],
    { components: [{ type: 5, buttons: {}, cards: [5] }] },
    {
      components: [
        { type: "CAROUSEL", cards: [null, { components: "x" }] },
        { type: "BUTTONS", buttons: [null, 5] },
      ],
    },
    { components: [{ type: "BODY", text: "Hello {{1}}", example: { body_text: [[[]]] } }] },
    { components: [{ type: "LIMITED_TIME_OFFER", limited_time_offer: 5 }], sample_media: [] },
  ];
  for (const input of odd) expect(checkTemplate(input).length).toBeGreaterThan(0);
});

test("a template of any size is checked quickly", () => {
  const text = "{{1}} word ".repeat(20_000);
  const buttons = Array.from({ length: 400 }, (_, index) => ({
    type: "URL",
    text: `a${index}`,
    url: `https://${"a".repeat(3_000)}{{1}}`,
  }));
  const many = Array.from({ length: 40_000 }, (_, index) => ({ type: `PART_${index}` }));
  const check = () => {
    checkTemplate({
      ...parcel,
      components: [
        { type: "HEADER", text: `${"_".repeat(50_000)}a` },
        { type: "BODY", text },
        { type: "BUTTONS", buttons },
      ],
    });
    checkTemplate({ ...parcel, components: many });
    checkTemplate({
      ...parcel,
      components: [...parcel.components, { type: "CAROUSEL", cards: [{ components: many }] }],
    });
    checkTemplate({ ...parcel, ...Object.fromEntries(many.map(({ type }) => [type, 1])) });
  };
  expect(quickestMs(check)).toBeLessThan(1_000);
});
