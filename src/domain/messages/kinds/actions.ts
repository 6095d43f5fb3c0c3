/** What stands below the body of an interactive message, by its name in the request. Limits are Meta's unless they say so. Pure. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { FieldProblems } from "#src/core/fault.ts";
import { inDocument, NOT_BLANK } from "#src/core/schema.ts";
import { addFault, checkUnique } from "./check.ts";
import { HTTP_PATTERN, limits } from "./limits.ts";

interface Action<Schema extends TSchema> {
  schema: Schema;
  /** Adds to `fields` what the schema cannot say. `path`: of the value. */
  check(value: Static<Schema>, fields: FieldProblems, path: string): void;
}

const action = <Schema extends TSchema>(schema: Schema, check: Action<Schema>["check"] = () => undefined) => ({
  schema,
  check,
});

const words = (maxLength: number, description: string, example: string) =>
  inDocument(Type.String({ minLength: 1, maxLength, description, examples: [example] }), NOT_BLANK);
const strict = { additionalProperties: false };

const buttonId = words(256, "Your own id of the button: `details.button.payload` of the answer.", "monday");
const Button = Type.Object(
  { id: buttonId, title: words(limits.buttonTitle, "What the button says.", "Monday") },
  { $id: "ReplyButton", ...strict, description: "A button; pressing it is an answer." },
);

const Row = Type.Object(
  {
    id: words(200, "Your own id of the row: `details.list.id` of the answer.", "morning"),
    title: words(limits.rowTitle, "What the row says.", "In the morning"),
    description: Type.Optional(words(limits.rowDescription, "A second line.", "8 to 12")),
  },
  { $id: "ListRow", ...strict, description: "A row of a list." },
);
const Section = Type.Object(
  {
    title: Type.Optional(words(limits.sectionTitle, "Title of the section. Required if there are several.", "Monday")),
    rows: Type.Array(Row, { minItems: 1, maxItems: limits.rows }),
  },
  { $id: "ListSection", ...strict, description: "Rows under a common title." },
);
const List = Type.Object(
  {
    button: words(limits.listButton, "What the button says that opens the list.", "Choose a time"),
    sections: Type.Array(Section, {
      minItems: 1,
      maxItems: limits.sections,
      description: `One to ten sections, with at most ${limits.rows} rows in all.`,
    }),
  },
  { $id: "ChoiceList", ...strict, description: "A list from which the person chooses one row." },
);

const LinkButton = Type.Object(
  {
    title: words(limits.linkTitle, "What the button says.", "Track it"),
    url: inDocument(
      Type.String({
        format: "uri",
        maxLength: limits.linkUrl,
        description: "The address that it opens.",
        examples: ["https://shop.example.com/orders/10042"],
      }),
      { pattern: HTTP_PATTERN },
    ),
  },
  { $id: "LinkButton", ...strict, description: "A button that opens a website." },
);

/** Of ours: Meta names a limit of the postal code alone. */
const FIELD_LENGTH_MAX = 1000;
const addressFields = {
  ...{ name: FIELD_LENGTH_MAX, phone_number: FIELD_LENGTH_MAX, in_pin_code: 6 },
  ...{ house_number: FIELD_LENGTH_MAX, floor_number: FIELD_LENGTH_MAX, tower_number: FIELD_LENGTH_MAX },
  ...{ building_name: FIELD_LENGTH_MAX, address: FIELD_LENGTH_MAX, landmark_area: FIELD_LENGTH_MAX },
  ...{ city: FIELD_LENGTH_MAX, state: FIELD_LENGTH_MAX },
} as const;
const addressValue = (maxLength: number) =>
  Type.Optional(inDocument(Type.String({ minLength: 1, maxLength }), NOT_BLANK));
const Address = Type.Object(
  {
    country: inDocument(
      Type.String({ minLength: 2, maxLength: 2, description: "WhatsApp has it in India alone.", examples: ["IN"] }),
      { pattern: "^[A-Z]{2}$" },
    ),
    values: Type.Optional(
      Type.Object(
        Object.fromEntries(Object.entries(addressFields).map(([name, max]) => [name, addressValue(max)])) as {
          [Name in keyof typeof addressFields]: ReturnType<typeof addressValue>;
        },
        { $id: "AddressValues", ...strict, description: "What is filled in already." },
      ),
    ),
  },
  { $id: "AddressRequest", ...strict, description: "A form for a postal address." },
);

/** Of ours. */
const TOKEN_LENGTH_MAX = 256;
const Flow = Type.Object(
  {
    id: words(64, "Id of the published flow.", "1197715005513101"),
    cta: words(30, "What the button says; no emoji.", "Book a table"),
    token: Type.Optional(words(TOKEN_LENGTH_MAX, "Your own id of this form, which comes back with it.", "booking-7")),
    screen: Type.Optional(words(TOKEN_LENGTH_MAX, "Id of the first screen.", "BOOKING")),
    data: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: {},
        description: "Input of the first screen; only with `screen`, and not empty.",
      }),
    ),
  },
  { $id: "Flow", ...strict, description: "A form made in WhatsApp Flows." },
);

export const actions = {
  buttons: action(
    Type.Array(Button, { minItems: 1, maxItems: limits.buttons, description: "One to three buttons." }),
    checkButtons,
  ),
  list: action(List, checkList),
  link: action(LinkButton, ({ url }, fields, path) => {
    if (new RegExp(HTTP_PATTERN).test(url) && URL.canParse(url)) return;
    addFault(fields, `${path}.url`, {
      rule: "format",
      sentence: "The address has to be complete, with https:// or http://.",
    });
  }),
  location_request: action(Type.Literal(true, { description: "Asks for the person's location." })),
  address: action(Address, ({ country }, fields, path) => {
    if (/^[A-Z]{2}$/.test(country)) return;
    addFault(fields, `${path}.country`, { rule: "format", sentence: "A country is two capital letters, such as IN." });
  }),
  flow: action(Flow, ({ cta, screen, data }, fields, path) => {
    if (/\p{Extended_Pictographic}/u.test(cta))
      addFault(fields, `${path}.cta`, { rule: "invalid", sentence: "WhatsApp takes no emoji here." });
    if (data === undefined) return;
    if (screen === undefined)
      addFault(fields, `${path}.screen`, { rule: "required", sentence: "Data need the screen that takes them." });
    if (Object.keys(data).length === 0)
      addFault(fields, `${path}.data`, { rule: "too_few", sentence: "This must not be empty." });
  }),
} as const;
export type ActionName = keyof typeof actions;
export const actionNames = Object.keys(actions) as ActionName[];

function checkButtons(buttons: Static<typeof Button>[], fields: FieldProblems, path: string): void {
  checkUnique(
    fields,
    buttons.map(({ id }, index) => [`${path}.${index}.id`, id] as const),
  );
  checkUnique(
    fields,
    buttons.map(({ title }, index) => [`${path}.${index}.title`, title] as const),
  );
  for (const [index, { id }] of buttons.entries()) checkTrimmed(fields, `${path}.${index}.id`, id);
}

function checkList({ sections }: Static<typeof List>, fields: FieldProblems, path: string): void {
  const rows = sections.flatMap((section, index) =>
    section.rows.map(({ id }, row) => [`${path}.sections.${index}.rows.${row}.id`, id] as const),
  );
  if (rows.length > limits.rows) {
    const sentence = `A list has at most ${limits.rows} rows in all its sections; this one has ${rows.length}.`;
    addFault(fields, `${path}.sections`, { rule: "too_many", sentence, limit: limits.rows });
  }
  checkUnique(fields, rows);
  if (sections.length === 1) return;
  sections.forEach(({ title }, index) => {
    if (title !== undefined) return;
    const sentence = "With several sections, each needs a title.";
    addFault(fields, `${path}.sections.${index}.title`, { rule: "required", sentence });
  });
}

function checkTrimmed(fields: FieldProblems, path: string, id: string): void {
  if (id.trim() !== id) addFault(fields, path, { rule: "invalid", sentence: "An id has no white space around it." });
}
