/** `PUT /contacts`: each contact gets what `PUT /contacts/{phone}` would have answered, in the order of the request. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addField } from "#src/domain/contacts/custom-fields.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { fillDisk, freezeDisk, mendDisk } from "#test/support/broken-disk.ts";
import { getContactOf, optOutOf, putContactOf, putContactsOf } from "#test/support/contacts.ts";
import { changesBetween, snapshot } from "#test/support/scenarios.ts";
import { type Answered, startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const asha = "+919876543210";
const ravi = "+919876543211";
const mia = "IN.12345678901234567";

let app: TestServer;
let shop: TestWorkspace;

beforeAll(async () => {
  app = await startTestServer();
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(async () => {
  shop = await freshShop();
});

async function freshShop(): Promise<TestWorkspace> {
  const made = await app.workspace();
  await app.store.write((tx) => {
    addField(tx, made.id, { key: "points", label: "Points", kind: "number", choices: [] });
    saveGroup(tx, made.id, { name: "In Pune", filter: { field: "city", is: "Pune" } });
  });
  return made;
}

const phoneOf = (index: number): string => `+9198765${String(index).padStart(5, "0")}`;
const put = (...contacts: unknown[]) => putContactsOf(app, shop, contacts);

/** The results without what a contact shows of itself. */
async function outcomes(...contacts: unknown[]): Promise<unknown[]> {
  const { status, body } = await put(...contacts);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data.map((one: Record<string, Record<string, unknown>>) => [one.phone, one.status, one.error?.code]);
}

test("the results have the order of the request, with 201 for a new contact and 200 for a known one", async () => {
  await putContactOf(app, shop, ravi, { name: "Ravi" });
  const { body } = await put({ phone: asha, name: "Asha" }, { phone: "98765 43211", city: "Goa" }, { phone: mia });
  expect(body).toEqual({
    data: [
      { phone: asha, status: 201, contact: (await getContactOf(app, shop, asha)).body.data },
      { phone: ravi, status: 200, contact: (await getContactOf(app, shop, ravi)).body.data },
      { phone: mia, status: 201, contact: (await getContactOf(app, shop, mia)).body.data },
    ],
  });
  expect(body.data[1].contact).toMatchObject({ name: "Ravi", city: "Goa" });
});

test("two contacts with the same number are applied one after the other", async () => {
  const { body } = await put(
    { phone: asha, name: "Asha", city: "Pune" },
    { phone: "9876543210", city: "Goa" },
    { phone: asha, consent: "opted_out" },
    { phone: asha, consent: "opted_in" },
  );
  expect(body.data.map(({ status }: Answered) => status)).toEqual([201, 200, 200, 422]);
  expect(body.data[0].contact).toMatchObject({ city: "Pune" });
  expect((await getContactOf(app, shop, asha)).body.data).toMatchObject({
    name: "Asha",
    city: "Goa",
    consent: { status: "opted_out" },
  });
});

test("a repeated request changes nothing", async () => {
  const contacts = [{ phone: asha, name: "Asha", add_tags: ["vip"], consent: "opted_in" }, { phone: ravi }];
  await put(...contacts);
  await app.clock.advance(60_000);
  const before = snapshot(app.store);
  expect(await outcomes(...contacts)).toEqual([
    [asha, 200, undefined],
    [ravi, 200, undefined],
  ]);
  expect(changesBetween(before, snapshot(app.store))).toEqual({});
});

/** What is wrong with a contact, and the status, the code and the text that its result has. */
const faults: Record<string, [contact: unknown, status: number, code: string, phone: string | null]> = {
  "no object": ["+919876543210", 400, "invalid_request", null],
  null: [null, 400, "invalid_request", null],
  "a list": [[asha], 400, "invalid_request", null],
  "no phone": [{ name: "Asha" }, 400, "invalid_request", null],
  "a number as phone": [{ phone: 919876543210 }, 400, "invalid_request", null],
  "an unknown member": [{ phone: asha, nmae: "Asha" }, 400, "invalid_request", asha],
  "a wrong date": [{ phone: " 98765 43210", birthday: "1990-02-30" }, 400, "invalid_request", " 98765 43210"],
  "half of a character": [{ phone: "\ud800" }, 400, "invalid_request", "\ud800"],
  "an unknown custom field": [{ phone: asha, fields: { size: 1 } }, 400, "invalid_request", asha],
  "a group of no one": [{ phone: asha, add_to_groups: [999_999] }, 400, "invalid_request", asha],
  "a dynamic group": [{ phone: asha, add_to_groups: ["In Pune"] }, 400, "invalid_request", asha],
  "an empty phone": [{ phone: "" }, 422, "invalid_number", ""],
  "no phone number": [{ phone: "12", name: "Asha" }, 422, "invalid_number", "12"],
  "an opt-in after an opt-out": [{ phone: "9876500009", consent: "opted_in" }, 422, "opted_out", "9876500009"],
};

describe("a contact that is refused changes nothing, and the others are written", () => {
  for (const [what, [contact, status, code, phone]] of Object.entries(faults)) {
    test(what, async () => {
      await optOutOf(app, shop, "+919876500009");
      const before = snapshot(app.store);
      expect(await outcomes(contact)).toEqual([[phone, status, code]]);
      expect(changesBetween(before, snapshot(app.store))).toEqual({});
      expect(await outcomes({ phone: phoneOf(1) }, contact, { phone: phoneOf(2) })).toEqual([
        [phoneOf(1), 201, undefined],
        [phone, status, code],
        [phoneOf(2), 201, undefined],
      ]);
    });
  }

  test("each mistake of one contact is named", async () => {
    const { body } = await put({ name: 1, email: "nobody", birthday: "x" });
    expect(Object.keys(body.data[0].error.fields).toSorted()).toEqual(["birthday", "email", "name", "phone"]);
  });

  test("a group of another workspace is unknown", async () => {
    const other = await app.workspace();
    const theirs = await app.store.write((tx) => saveGroup(tx, other.id, { name: "Theirs", filter: null }).id);
    const { body } = await put({ phone: asha, add_to_groups: [theirs] });
    expect(body.data[0].error.fields).toEqual({ "add_to_groups.0": [`There is no group ${theirs}.`] });
  });
});

describe("a request is refused as a whole", () => {
  const wrong: Record<string, [body: unknown, field: string]> = {
    "without contacts": [{}, "contacts"],
    "with contacts that are no list": [{ contacts: { phone: asha } }, "contacts"],
    "with an empty list": [{ contacts: [] }, "contacts"],
    "with 501 contacts": [{ contacts: Array.from({ length: 501 }, () => ({ phone: asha })) }, "contacts"],
    "with an unknown member": [{ contacts: [{ phone: asha }], dry_run: true }, "dry_run"],
  };
  for (const [what, [body, field]] of Object.entries(wrong)) {
    test(what, async () => {
      const before = snapshot(app.store);
      const answer = await app.call("PUT", "/api/v1/contacts", { key: shop.key, body });
      expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_request"]);
      expect(Object.keys(answer.body.error.fields)).toEqual([field]);
      expect(changesBetween(before, snapshot(app.store))).toEqual({});
    });
  }
});

test("500 contacts are written, in groups that let other writes in between", async () => {
  const contacts = Array.from({ length: 500 }, (_, index) => ({ phone: phoneOf(index), name: `Person ${index}` }));
  const answer = put(...contacts);
  const between = putContactOf(app, shop, "+919876599999", { name: "In between" });
  const first = await Promise.race([between.then(() => "the other write"), answer.then(() => "all of them")]);
  expect(first).toBe("the other write");
  const { status, body } = await answer;
  expect(status).toBe(200);
  expect(body.data.map((one: { phone: string }) => one.phone)).toEqual(contacts.map(({ phone }) => phone));
  expect(new Set(body.data.map((one: { status: number }) => one.status))).toEqual(new Set([201]));
});

test("storage that fails in the middle is 503, what is on disk stays, and the repeated request writes the rest", async () => {
  await using own = await startTestServer({ expectedErrors: /event=request\.unavailable / });
  const made = await own.workspace();
  const contacts = Array.from({ length: 500 }, (_, index) => ({ phone: phoneOf(index), name: "N".repeat(1_000) }));
  const write = own.store.write.bind(own.store);
  let writeCount = 0;
  own.store.write = (operation) => {
    writeCount += 1;
    if (writeCount === 200) fillDisk(own.store);
    return write(operation);
  };
  const { status, body, headers } = await putContactsOf(own, made, contacts);
  expect([status, body.error.code, body.error.retryable]).toEqual([503, "unavailable", true]);
  expect(body.error.message).toContain("Repeat the whole request");
  expect(headers.get("retry-after")).not.toBeNull();
  freezeDisk(own.store);
  const refused = await putContactsOf(own, made, contacts.slice(-1));
  expect([refused.status, refused.body.error.message]).toEqual([503, expect.stringContaining("Nothing was changed")]);

  mendDisk(own.store);
  const again = (await putContactsOf(own, made, contacts)).body.data.map((one: { status: number }) => one.status);
  expect([again[0], again.at(-1), again.length]).toEqual([200, 201, 500]);
});

/** Contacts with and without faults, and few numbers, so that several are about the same person. */
const someContact = fc.record(
  {
    phone: fc.constantFrom(asha, "98765 43210", "919876543211", phoneOf(7), mia, "12", ""),
    name: fc.constantFrom<unknown>("Asha", "", null, 7),
    birthday: fc.constantFrom<unknown>("1990-02-28", "28/02/1990", "1990-02-30", null),
    fields: fc.constantFrom<unknown>({ points: 7 }, { points: null }, { points: "many" }, { size: 1 }, []),
    people: fc.constantFrom<unknown>([], [{ name: "Mia", ref: "m" }], [{ name: "" }]),
    add_tags: fc.constantFrom<unknown>(["vip"], ["a", "b"], [""]),
    remove_tags: fc.constantFrom<unknown>(["vip"], "vip"),
    add_to_groups: fc.constantFrom<unknown>(["Regulars"], ["In Pune"], [999_999]),
    consent: fc.constantFrom<unknown>("opted_in", "opted_out", "unknown"),
    qqqqqqqq: fc.constant(1),
  },
  { requiredKeys: ["phone"] },
);

test("each result is that of a single PUT, whatever the contacts", async () => {
  /** Ids differ between two workspaces. */
  const withoutIds = (value: unknown) => JSON.parse(JSON.stringify(value), (key, of) => (key === "id" ? 0 : of));
  const property = fc.asyncProperty(fc.array(someContact, { minLength: 1, maxLength: 12 }), async (contacts) => {
    const [one, many] = [await freshShop(), await freshShop()];
    const { body } = await putContactsOf(app, many, contacts);
    for (const [index, { phone, ...changes }] of contacts.entries()) {
      const { status, contact, error, phone: shown } = body.data[index];
      // No path has an empty number.
      const alone = phone === "" ? null : await putContactOf(app, one, phone, changes);
      if (alone === null) expect([400, 422]).toContain(status);
      else {
        const { data, error: refused } = alone.body;
        expect(withoutIds({ status, contact, error })).toEqual(
          withoutIds({ status: alone.status, contact: data, error: refused }),
        );
      }
      expect(shown).toBe(contact === undefined ? phone : (contact.phone ?? contact.user_id));
    }
  });
  await fc.assert(property, { numRuns: 40 });
}, 60_000);
