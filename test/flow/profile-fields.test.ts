/** Every row of the table of profile fields is everywhere: in the API, filters, CSV files, broadcasts and erasure. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveValues } from "#src/domain/broadcasts/values.ts";
import { findKeyProblem } from "#src/domain/contacts/custom-field.ts";
import { broadcastNames, profileFields, profileNames } from "#src/domain/contacts/profile-fields.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { redact } from "#src/domain/erasure/redact.ts";
import { compileIds } from "#src/domain/filters/compile.ts";
import { readFilter } from "#src/domain/filters/filter.ts";
import { csvLine } from "#src/transfer/csv-line.ts";
import { exportContacts } from "#src/transfer/export-contacts.ts";
import { importContacts } from "#src/transfer/import-contacts.ts";
import { getContactOf, putContactOf } from "#test/support/contacts.ts";
import { jumpingClock } from "#test/support/database.ts";
import { erase } from "#test/support/erase.ts";
import { contactsOf, required } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const asha = "+919876543210";
const other = "+919876543211";
const values = { text: "Pune", email: "asha@mail.example", date: "1990-02-28" } as const;
const full = Object.fromEntries(profileNames.map((name) => [name, values[profileFields[name].kind]]));

let app: TestServer;
let directory = "";

beforeAll(async () => {
  app = await startTestServer();
  directory = mkdtempSync(join(tmpdir(), "waxwing-fields-"));
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const profileOf = (contact: Record<string, unknown>) =>
  Object.fromEntries(profileNames.map((name) => [name, contact[name]]));

function ashaOf({ id }: TestWorkspace): Contact {
  const found = contactsOf(app).find(({ workspaceId, phone }) => workspaceId === id && phone === asha);
  return required(found, "the workspace has no contact");
}

async function importFile({ id }: TestWorkspace, lines: readonly (readonly string[])[]): Promise<void> {
  const path = join(directory, "people.csv");
  writeFileSync(path, lines.map(csvLine).join(""));
  await importContacts({
    store: app.store,
    clock: jumpingClock(),
    workspaceId: id,
    path,
    map: new Map(),
    optIn: false,
    skipsBadCells: false,
    isDryRun: false,
    isServerRunning: () => true,
    onProgress: () => {},
    onFound: () => {},
    onFailure: (line, _, reason) => {
      throw new Error(`line ${line}: ${reason}`);
    },
  });
}

describe.each(profileNames)("%s", (name) => {
  const { kind, column, csvNames } = profileFields[name];
  const value = values[kind];

  test("is set and cleared alone", async () => {
    const shop = await app.workspace();
    expect((await putContactOf(app, shop, asha, { [name]: value })).body.data).toMatchObject({ [name]: value });
    expect((await putContactOf(app, shop, asha, {})).body.data[name]).toBe(value);
    expect((await putContactOf(app, shop, asha, { [name]: null })).body.data[name]).toBeNull();
  });

  test("selects contacts in a filter", async () => {
    const shop = await app.workspace();
    await putContactOf(app, shop, asha, { [name]: value });
    await putContactOf(app, shop, other, {});
    const { sql, parameters } = compileIds(
      readFilter({ field: name, is: value }, [], "IN"),
      { workspaceId: shop.id, timezone: "UTC", now: app.clock.now() },
      0,
      10,
    );
    const found = app.store.read(({ db }) => db.$client.prepare(sql).all(...parameters));
    expect(found).toEqual([{ id: ashaOf(shop).id }]);
  });

  test("is found by each of its names in the header of an imported file", async () => {
    for (const csvName of csvNames) {
      const shop = await app.workspace();
      await importFile(shop, [
        ["phone", csvName],
        [asha, value],
      ]);
      expect([csvName, ashaOf(shop)[column]]).toEqual([csvName, value]);
    }
  });

  test("cannot be the key of a custom field", () => {
    expect(findKeyProblem(name)).toBe(`${name} is a built-in field; choose another key.`);
  });
});

test("an import refuses the e-mail address that the API refuses, also one that is too long", async () => {
  const shop = await app.workspace();
  for (const email of ["asha@mail", `${"a".repeat(246)}@mail.com`]) {
    expect((await putContactOf(app, shop, asha, { email })).status).toBe(400);
    await expect(
      importFile(shop, [
        ["phone", "email"],
        [asha, email],
      ]),
    ).rejects.toThrow("line 2");
  }
});

test("an import reads every field of an export", async () => {
  const [from, to] = [await app.workspace(), await app.workspace()];
  await putContactOf(app, from, asha, full);
  let file = "";
  await exportContacts(app.store, from.id, (text) => {
    file += text;
  });
  expect(file.split(/\r?\n/)[0]?.split(",")).toEqual(expect.arrayContaining([...profileNames]));
  await importFile(
    to,
    file
      .trim()
      .split(/\r?\n/)
      .map((line) => line.split(",")),
  );
  expect(profileOf((await getContactOf(app, to, asha)).body.data)).toEqual(full);
});

test("a broadcast inserts the fields that it can insert", async () => {
  const shop = await app.workspace();
  await putContactOf(app, shop, asha, full);
  const contact = ashaOf(shop);
  const body = broadcastNames.map((field) => ({ field, fallback: null }));
  expect(app.store.read((tx) => resolveValues(tx, { isList: false, header: [], body }, contact))).toEqual({
    values: { header: [], body: broadcastNames.map((name) => String(full[name])) },
  });
});

test("an erased person has no profile left, in the row and in what was told of them", async () => {
  const shop = await app.workspace();
  const { data } = (await putContactOf(app, shop, asha, full)).body;
  const contact = ashaOf(shop);
  await app.store.write((tx) => erase(tx, contact));
  const row = app.store.read(({ db }) => db.$client.prepare("SELECT * FROM contacts WHERE id = ?").get(contact.id));
  expect(profileOf(row as Record<string, unknown>)).toEqual(
    Object.fromEntries(profileNames.map((name) => [name, null])),
  );
  expect(JSON.stringify(redact(data))).not.toMatch(new RegExp(Object.values(values).join("|")));
});
