import { expect, test } from "bun:test";
import fc from "fast-check";
import type { TemplateComponent } from "#src/domain/templates/component.ts";
import { whyUnsendable } from "#src/domain/templates/needs.ts";
import {
  numberedBody,
  type ParameterFormat,
  readShape,
  renderText,
  type TemplateCategory,
  type TemplateShape,
  valueCounts,
} from "#src/domain/templates/template.ts";

const body = { type: "BODY", text: "Hi {{1}}, your order {{2}} is here." };

interface Row {
  name: string;
  components: TemplateComponent[];
  format?: ParameterFormat;
  category?: TemplateCategory;
  counts: [header: number, body: number];
  header?: string;
  /** Words from the reason why the template cannot be sent. */
  unsupported?: RegExp;
  oneTimePasswordButton?: number;
}

function buttons(...list: unknown[]): TemplateComponent {
  return { type: "BUTTONS", buttons: list };
}

const text = { type: "BODY", text: "Hello." };

const rows: Row[] = [
  { name: "a plain body", components: [text], counts: [0, 0] },
  { name: "numbered placeholders", components: [body], counts: [0, 2] },
  { name: "a repeated number", components: [{ type: "BODY", text: "{{1}} and {{1}}" }], counts: [0, 1] },
  { name: "numbers out of order", components: [{ type: "BODY", text: "{{2}} then {{1}}" }], counts: [0, 2] },
  { name: "white space within the braces", components: [{ type: "BODY", text: "Hi {{ 1 }}" }], counts: [0, 1] },
  {
    name: "named placeholders, one repeated",
    format: "NAMED",
    components: [{ type: "BODY", text: "Hi {{first_name}}, {{order}} for {{first_name}}" }],
    counts: [0, 2],
  },
  { name: "component types in small letters", components: [{ type: "body", text: "Hi {{1}}" }], counts: [0, 1] },
  {
    name: "a text header without a value",
    components: [{ type: "HEADER", format: "TEXT", text: "News" }, text],
    counts: [0, 0],
    header: "text",
  },
  {
    name: "a text header with a value",
    components: [{ type: "HEADER", format: "TEXT", text: "For {{1}}" }, body],
    counts: [1, 2],
    header: "text",
  },
  {
    name: "a named text header",
    format: "NAMED",
    components: [
      { type: "HEADER", format: "TEXT", text: "For {{who}}" },
      { type: "BODY", text: "Hi {{who}}" },
    ],
    counts: [1, 1],
    header: "text",
  },
  { name: "an image header", components: [{ type: "HEADER", format: "IMAGE" }, text], counts: [0, 0], header: "image" },
  { name: "a video header", components: [{ type: "HEADER", format: "VIDEO" }, text], counts: [0, 0], header: "video" },
  {
    name: "a document header",
    components: [{ type: "HEADER", format: "DOCUMENT" }, body],
    counts: [0, 2],
    header: "document",
  },
  {
    name: "a location header",
    components: [{ type: "HEADER", format: "LOCATION" }, text],
    counts: [0, 0],
    header: "location",
    unsupported: /location/,
  },
  {
    name: "an unknown header",
    components: [{ type: "HEADER", format: "GIF" }, text],
    counts: [0, 0],
    unsupported: /GIF/,
  },
  { name: "a footer", components: [text, { type: "FOOTER", text: "Bye" }], counts: [0, 0] },
  {
    name: "quick replies",
    components: [text, buttons({ type: "QUICK_REPLY", text: "Yes" }, { type: "QUICK_REPLY", text: "No" })],
    counts: [0, 0],
  },
  {
    name: "a phone button",
    components: [text, buttons({ type: "PHONE_NUMBER", text: "Call", phone_number: "+1" })],
    counts: [0, 0],
  },
  {
    name: "a button with a fixed address",
    components: [text, buttons({ type: "URL", text: "Open", url: "https://x.example/a" })],
    counts: [0, 0],
  },
  {
    name: "a button with a dynamic address",
    components: [text, buttons({ type: "QUICK_REPLY", text: "Yes" }, { type: "URL", url: "https://x.example/{{1}}" })],
    counts: [0, 0],
    unsupported: /needs variables.buttons/,
  },
  {
    name: "a button that copies a code",
    components: [text, buttons({ type: "COPY_CODE", example: "A1" })],
    counts: [0, 0],
    unsupported: /needs variables.buttons/,
  },
  {
    name: "a flow",
    components: [text, buttons({ type: "FLOW", text: "Fill in" })],
    counts: [0, 0],
    unsupported: /needs variables.buttons/,
  },
  {
    name: "a catalogue",
    components: [text, buttons({ type: "CATALOG", text: "View" })],
    counts: [0, 0],
    unsupported: /needs products/,
  },
  {
    name: "a multi-product button",
    components: [text, buttons({ type: "MPM", text: "View" })],
    counts: [0, 0],
    unsupported: /needs products/,
  },
  {
    name: "a carousel",
    components: [body, { type: "CAROUSEL", cards: [] }],
    counts: [0, 2],
    unsupported: /needs cards/,
  },
  {
    name: "a limited-time offer",
    components: [{ type: "LIMITED_TIME_OFFER", limited_time_offer: {} }, text],
    counts: [0, 0],
    unsupported: /offer/,
  },
  {
    name: "an unknown kind",
    components: [text, { type: "HOLOGRAM" }],
    counts: [0, 0],
    unsupported: /HOLOGRAM/,
  },
  { name: "a broken list of buttons", components: [text, buttons(null, "x")], counts: [0, 0], unsupported: /button/ },
  {
    name: "an authentication template with a one-time-password button",
    category: "AUTHENTICATION",
    components: [{ type: "BODY", add_security_recommendation: true }, buttons({ type: "OTP", otp_type: "COPY_CODE" })],
    counts: [0, 1],
    oneTimePasswordButton: 0,
  },
  {
    name: "an authentication template as the network lists it",
    category: "AUTHENTICATION",
    components: [
      { type: "BODY", text: "*{{1}}* is your verification code." },
      { type: "FOOTER", text: "This code expires in 5 minutes." },
      buttons({
        type: "URL",
        text: "Copy code",
        url: "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}",
      }),
    ],
    counts: [0, 1],
    oneTimePasswordButton: 0,
  },
];

function shapeWith(components: TemplateComponent[], parameterFormat: ParameterFormat, category: TemplateCategory) {
  return readShape({ components, parameterFormat, category, parameterOrder: null });
}

for (const { name, components, format = "POSITIONAL", category = "UTILITY", counts, ...expected } of rows) {
  test(`the shape of ${name}: ${counts[0]} header and ${counts[1]} body values, ${expected.unsupported === undefined ? "sendable" : "not sendable"}`, () => {
    const shape = shapeWith(components, format, category);
    expect(valueCounts(shape)).toEqual({ header: counts[0], body: counts[1] });
    expect(shape.header?.type ?? null).toBe((expected.header ?? null) as "text");
    expect(shape.oneTimePasswordButton).toBe(expected.oneTimePasswordButton ?? null);
    if (expected.unsupported === undefined) expect(whyUnsendable(shape)).toBeNull();
    else expect(whyUnsendable(shape)).toMatch(expected.unsupported);
  });
}

const cases: [
  name: string,
  components: TemplateComponent[],
  header: string[],
  values: string[],
  shown: string,
  format?: ParameterFormat,
][] = [
  ["a body alone", [body], [], ["Asha", "7"], "Hi Asha, your order 7 is here."],
  ["a repeated value", [{ type: "BODY", text: "{{1}}, {{1}}!" }], [], ["Hey"], "Hey, Hey!"],
  ["values in the order of their numbers", [{ type: "BODY", text: "{{2}} {{1}}" }], [], ["a", "b"], "b a"],
  [
    "header, body and footer with a blank line between them",
    [{ type: "HEADER", format: "TEXT", text: "For {{1}}" }, body, { type: "FOOTER", text: "Bye" }],
    ["you"],
    ["Asha", "7"],
    "For you\n\nHi Asha, your order 7 is here.\n\nBye",
  ],
  ["no text for a file at the top", [{ type: "HEADER", format: "IMAGE" }, text], [], [], "Hello."],
  [
    "named values in order of appearance",
    [{ type: "BODY", text: "{{b}} {{a}} {{b}}" }],
    [],
    ["1", "2"],
    "1 2 1",
    "NAMED",
  ],
  ["a value that looks like a placeholder", [{ type: "BODY", text: "{{1}} {{2}}" }], [], ["{{2}}", "x"], "{{2}} x"],
  ["a value with the marks of a replacement", [{ type: "BODY", text: "Pay {{1}}" }], [], ["$& $1 $$"], "Pay $& $1 $$"],
];

for (const [name, components, header, values, shown, format] of cases) {
  test(`the text shown to a person: ${name}`, () => {
    expect(renderText(shapeWith(components, format ?? "POSITIONAL", "UTILITY"), header, values)).toBe(shown);
  });
}

test("an authentication template without a text is shown as the network writes it, with its advice and footer", () => {
  const components = [
    { type: "BODY", add_security_recommendation: true },
    { type: "FOOTER", code_expiration_minutes: 5 },
  ];
  const shape = shapeWith(components, "POSITIONAL", "AUTHENTICATION");
  expect(renderText(shape, [], ["123456"])).toBe(
    "123456 is your verification code. For your security, do not share this code.\n\nThis code expires in 5 minutes.",
  );
});

test("the listed body numbers named placeholders in order of appearance, and gives a repeated name the same number", () => {
  const shape = shapeWith([{ type: "BODY", text: "{{b}}, {{a}} and {{b}}" }], "NAMED", "UTILITY");
  expect(numberedBody(shape)).toBe("{{1}}, {{2}} and {{1}}");
});

test("the listed body of a template with numbered placeholders is its own text", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.integer({ min: 1, max: 9 }).map((n) => `{{${n}}}`),
          fc.constantFrom("a", " ", "{", "}", "$&"),
        ),
      ),
      (parts) => {
        const text_ = parts.join("");
        expect(numberedBody(shapeWith([{ type: "BODY", text: text_ }], "POSITIONAL", "UTILITY"))).toBe(text_);
      },
    ),
  );
});

test("with one value per counted placeholder, the text shown to a person has no placeholder left", () => {
  const piece = fc.oneof(fc.constantFrom("{{a}}", "{{b}}", "{{c_1}}"), fc.constantFrom("x", " ", "!"));
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1 }), (parts) => {
      const shape: TemplateShape = shapeWith([{ type: "BODY", text: parts.join("") }], "NAMED", "UTILITY");
      const values = Array.from({ length: valueCounts(shape).body }, (_, index) => `v${index}`);
      expect(renderText(shape, [], values)).not.toContain("{{");
    }),
  );
});
