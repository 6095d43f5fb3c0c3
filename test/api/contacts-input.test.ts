/**
 * Every field of a contact: which values are accepted and how they read afterwards, and which are refused under which
 * path.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { addField } from "#src/domain/contacts/custom-fields.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { getContactOf, putContactOf } from "#test/support/contacts.ts";
import { changesBetween, type Snapshot, snapshot } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
let untouched: Snapshot;
let dynamicId: number;
let foreignId: number;
let personCount = 0;

const kinds = { nick: "text", points: "number", renews: "date", member: "boolean", tier: "choice" } as const;

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
  const other = await app.workspace({ number: "+911244002200" });
  ({ dynamicId, foreignId } = await app.store.write((tx) => {
    for (const [key, kind] of Object.entries(kinds)) {
      addField(tx, shop.id, { key, label: key, kind, choices: kind === "choice" ? ["gold", "silver"] : [] });
    }
    addField(tx, other.id, { key: "theirs", label: "Theirs", kind: "text", choices: [] });
    saveGroup(tx, shop.id, { name: "Regulars", filter: null });
    const { id } = saveGroup(tx, shop.id, { name: "In Pune", filter: { field: "city", is: "Pune" } });
    return { dynamicId: id, foreignId: saveGroup(tx, other.id, { name: "Theirs", filter: null }).id };
  }));
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(() => {
  untouched = snapshot(app.store);
});

const somebody = (): string => `+9198765${String(++personCount).padStart(5, "0")}`;
const person = (changes: Record<string, unknown>) => ({ people: [{ name: "Asha Rao", ...changes }] });
const shown = (changes: Record<string, unknown>) => ({
  people: [{ name: "Asha Rao", first_name: "Asha", birthday: null, ref: null, ...changes }],
});
const texts = ["name", "first_name", "last_name", "city", "state", "postal_code", "company"];

/** What the caller sends, and what the contact shows afterwards; without the second, it shows the same. */
const accepted: Record<string, [sent: Record<string, unknown>, shows?: Record<string, unknown>]> = {
  ...Object.fromEntries(texts.map((name) => [`a ${name}`, [{ [name]: "  Ärger, 东京 \u{1F600}" }]])),
  ...Object.fromEntries(texts.map((name) => [`an empty ${name} is none`, [{ [name]: "" }, { [name]: null }]])),
  "an email": [{ email: "asha.rao+shop@mail.example.com" }],
  "an email with letters of the world": [{ email: "añe@bücher.example" }],
  "an ISO date": [{ birthday: "1990-02-28", anniversary: "2015-12-31" }],
  "a date without a year": [{ birthday: "--12-01", anniversary: "--01-31" }],
  "a date with slashes, day first": [
    { birthday: "03/04/1990", anniversary: "31/12/2015" },
    { birthday: "1990-04-03", anniversary: "2015-12-31" },
  ],
  "29 February of a leap year": [{ birthday: "2000-02-29", anniversary: "29/02/2024" }, { birthday: "2000-02-29" }],
  "29 February without a year": [{ birthday: "--02-29", anniversary: "--02-29" }],
  "custom fields of every kind": [
    { fields: { nick: "Ash", points: -1.5, renews: "2027-02-28", member: false, tier: "gold" } },
  ],
  "an empty custom text counts as none": [{ fields: { nick: "" } }, { fields: {} }],
  "null for a custom field without a value": [{ fields: { nick: null } }, { fields: {} }],
  "no custom fields": [{ fields: {} }],
  "no people": [{ people: [] }],
  "a person with a name alone": [person({}), shown({})],
  "a person after a title": [person({ name: "Dr. Meera Rao" }), shown({ name: "Dr. Meera Rao", first_name: "Meera" })],
  "a person with a first name": [person({ first_name: "Ashi" }), shown({ first_name: "Ashi" })],
  "a person with nulls": [person({ first_name: null, birthday: null, ref: null }), shown({})],
  "a person's birthday with slashes": [person({ birthday: "29/02/2004" }), shown({ birthday: "2004-02-29" })],
  "a person's birthday without a year": [person({ birthday: "--02-29" }), shown({ birthday: "--02-29" })],
  "a person's name of 191 emoji": [
    person({ name: "\u{1F600}".repeat(191), first_name: "A" }),
    shown({ name: "\u{1F600}".repeat(191), first_name: "A" }),
  ],
  "a ref of 64 characters": [person({ ref: "r".repeat(64) }), shown({ ref: "r".repeat(64) })],
  "20 people": [
    { people: Array.from({ length: 20 }, (_, index) => ({ name: `P${index}`, ref: `${index}` })) },
    {
      people: Array.from({ length: 20 }, (_, i) => ({
        name: `P${i}`,
        first_name: `P${i}`,
        birthday: null,
        ref: `${i}`,
      })),
    },
  ],
  "two people with empty refs": [
    {
      people: [
        { name: "A", ref: "" },
        { name: "B", ref: "" },
      ],
    },
    { people: ["A", "B"].map((name) => ({ name, first_name: name, birthday: null, ref: null })) },
  ],
  "new tags": [{ add_tags: ["vip", " Café "] }, { tags: ["Café", "vip"] }],
  "a tag added and removed": [{ add_tags: ["once"], remove_tags: ["ONCE"] }, { tags: [] }],
  "removing a tag that no contact has": [{ remove_tags: ["never"] }, { tags: [] }],
  consent: [{ consent: "opted_in" }, {}],
  "an empty body": [{}, { name: null, fields: {}, people: [], tags: [], groups: [] }],
};

describe("an accepted value of a contact", () => {
  for (const [what, [sent, shows]] of Object.entries(accepted)) {
    test(what, async () => {
      const phone = somebody();
      const made = await putContactOf(app, shop, phone, sent);
      expect([made.status, made.body.error]).toEqual([201, undefined]);
      expect(made.body.data).toMatchObject({ phone, ...(shows ?? sent) });
      expect((await getContactOf(app, shop, phone)).body).toEqual(made.body);
    });
  }
});

const strings = [1, true, [], {}];
const dates = [
  "1990-02-30",
  "2023-02-29",
  "1990-2-3",
  "02-29",
  "--02-30",
  "--13-01",
  "31/04/1990",
  "1990/04/03",
  "12/31/1990",
  "soon",
];
const emails = [
  "asha",
  "asha@",
  "@a.example",
  "a b@c.example",
  "a@b",
  "a@@b.example",
  "",
  `${"a".repeat(250)}@b.example`,
];
const lists = ["add_tags", "remove_tags", "add_to_groups", "remove_from_groups"];

const refused: [what: string, body: Record<string, unknown>, fields: string[]][] = [
  ...[...texts, "email", "birthday", "anniversary"].flatMap((name) =>
    strings.map(
      (value) =>
        [`${name} ${JSON.stringify(value)}`, { [name]: value }, [name]] as [string, Record<string, unknown>, string[]],
    ),
  ),
  ...["birthday", "anniversary"].flatMap((name) =>
    dates.map((date) => [`${name} ${date}`, { [name]: date }, [name]] as [string, Record<string, unknown>, string[]]),
  ),
  ...emails.map(
    (email) => [`email "${email.slice(0, 20)}"`, { email }, ["email"]] as [string, Record<string, unknown>, string[]],
  ),
  ...["fields", "people", "consent", ...lists].map(
    (name) => [`${name} null`, { [name]: null }, [name]] as [string, Record<string, unknown>, string[]],
  ),
  ...lists.flatMap((name): [string, Record<string, unknown>, string[]][] => [
    [`${name} that is no list`, { [name]: "vip" }, [name]],
    [`${name} with an empty name`, { [name]: ["vip", "  "] }, [`${name}.1`]],
    [`${name} with null`, { [name]: ["vip", null] }, [`${name}.1`]],
  ]),
  ["a tag that is a number", { add_tags: [7] }, ["add_tags.0"]],
  ["a broken group id", { add_to_groups: [1.5] }, ["add_to_groups.0"]],
  [
    "an unknown group id",
    { add_to_groups: [999_999], remove_from_groups: ["x", 0] },
    ["add_to_groups.0", "remove_from_groups.1"],
  ],
  [
    "a dynamic group by name",
    { add_to_groups: ["in PUNE"], remove_from_groups: ["In Pune"] },
    ["add_to_groups.0", "remove_from_groups.0"],
  ],
  ["consent unknown", { consent: "unknown" }, ["consent"]],
  ["21 people", { people: Array.from({ length: 21 }, () => ({ name: "A" })) }, ["people"]],
  ["a person that is not an object", { people: [{ name: "A" }, "B"] }, ["people.1"]],
  ["a person without a name", { people: [{ ref: "1" }] }, ["people.0.name"]],
  ["a person with a blank name", person({ name: "  " }), ["people.0.name"]],
  ["a person's name of 192 characters", person({ name: "n".repeat(192) }), ["people.0.name"]],
  ["a ref of 65 characters", person({ ref: "r".repeat(65) }), ["people.0.ref"]],
  ["a ref that is a number", person({ ref: 7 }), ["people.0.ref"]],
  [
    "one ref twice",
    {
      people: [
        { name: "A", ref: "1" },
        { name: "B", ref: "1" },
      ],
    },
    ["people.1.ref"],
  ],
  ["a person's unknown member", person({ email: "a@b.example" }), ["people.0.email"]],
  [
    "the third person's birthday",
    { people: [{ name: "A" }, { name: "B" }, { name: "C", birthday: "x" }] },
    ["people.2.birthday"],
  ],
  ["unknown members", { nmae: "A", phone: "+911", tags: [], groups: [] }, ["groups", "nmae", "phone", "tags"]],
  ["an unknown custom field", { fields: { nick: "A", nikc: "B" } }, ["fields.nikc"]],
  ["another workspace's custom field", { fields: { theirs: "B" } }, ["fields.theirs"]],
  ["a built-in name as a custom field", { fields: { name: "B" } }, ["fields.name"]],
  ["half a character", { name: "\ud83d" }, ["name"]],
  ["several at once", { birthday: "x", email: "x", consent: "x" }, ["birthday", "consent", "email"]],
  ...Object.entries({
    nick: [1, true, [], {}],
    points: ["1", true, []],
    renews: ["2027-02-29", "--02-28", "28/02/2027", 1],
    member: ["true", 1, 0],
    tier: ["Gold", "bronze", "", 1],
  }).flatMap(([key, values]) =>
    values.map(
      (value) =>
        [`${key} ${JSON.stringify(value)}`, { fields: { [key]: value } }, [`fields.${key}`]] as [
          string,
          Record<string, unknown>,
          string[],
        ],
    ),
  ),
];

describe("a refused value of a contact names the path of the fault and changes nothing", () => {
  for (const [what, body, fields] of refused) test(what, () => expectFields(body, fields));
  test("groups: the id of a dynamic group, and the id of another workspace's group", () =>
    expectFields({ add_to_groups: ["Regulars", dynamicId, foreignId] }, ["add_to_groups.1", "add_to_groups.2"]));
});

async function expectFields(body: unknown, fields: string[]): Promise<void> {
  const answer = await putContactOf(app, shop, somebody(), body);
  expect([answer.status, answer.body.error?.code]).toEqual([400, "invalid_request"]);
  expect(Object.keys(answer.body.error.fields).sort()).toEqual(fields);
  for (const [sentence] of Object.values<string[]>(answer.body.error.fields)) expect(sentence).toMatch(/^\S.+[.?]$/s);
  expect(changesBetween(untouched, snapshot(app.store))).toEqual({});
}
