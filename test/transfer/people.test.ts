/** Columns of further people on a number become `people`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#src/core/clock.ts";
import { importContacts } from "#src/transfer/import-contacts.ts";
import { getContactOf, putContactOf } from "#test/support/contacts.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const asha = "+919812340001";
let app: TestServer;
let shop: TestWorkspace;
beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
});
afterAll(() => app[Symbol.asyncDispose]());

async function bring(lines: readonly string[], badCells = true) {
  const path = join(tmpdir(), `people-${process.pid}.csv`);
  writeFileSync(path, lines.join("\n"));
  try {
    return await importContacts({
      ...{ store: app.store, clock: systemClock, workspaceId: shop.id, path, map: new Map(), optIn: false },
      ...{ isDryRun: false, skipsBadCells: badCells, isServerRunning: () => false },
      ...{ onFound: () => undefined, onProgress: () => undefined, onFailure: () => undefined },
    });
  } finally {
    rmSync(path);
  }
}

const peopleOf = async (phone: string) => (await getContactOf(app, shop, phone)).body.data.people;
const person = (name: string, birthday: string | null = null, ref: string | null = null) => {
  const [first_name] = name.split(" ");
  return { name, first_name, birthday, ref };
};

const HEADER = "phone,name,person_2_name,person_2_birthday,person_2_ref,Person 3 Name,person_3_birthday";

test("a family's columns become its people, with 29 February, and blanks add no person", async () => {
  const report = await bring([
    HEADER,
    `${asha},Asha,Meera Rao,29/02/2000,m1,Ravi Rao,--02-29`,
    "+919812340002,Tara,,,,Noor Shah,29.02.2001",
    "+919812340003,Uma,,,,-,",
    "+919812340004,Vani,\u200b,0000-00-00,,Zoya,31/12/1999",
  ]);
  expect(report).toMatchObject({ created: 4, failed: 0, cells_left_out: 1 });
  expect(report.omitted).toMatchObject([{ reason: "the day does not exist", example_line: 3 }]);
  expect(await peopleOf(asha)).toEqual([person("Meera Rao", "2000-02-29", "m1"), person("Ravi Rao", "--02-29")]);
  expect(await peopleOf("+919812340002")).toEqual([person("Noor Shah")]);
  expect(await peopleOf("+919812340004")).toEqual([person("Zoya", "1999-12-31")]);
});

test("the same file again changes nothing, and an empty cell keeps what is stored", async () => {
  const rows = [HEADER, `${asha},Asha,Meera Rao,,m1,,`];
  expect(await bring(rows)).toMatchObject({ unchanged: 1, updated: 0 });
  expect(await peopleOf(asha)).toEqual([person("Meera Rao", "2000-02-29", "m1"), person("Ravi Rao", "--02-29")]);
});

test("a ref leads to its person wherever it stands, and a new one is added", async () => {
  await putContactOf(app, shop, asha, {
    people: [{ name: "Ravi Rao" }, { name: "Meera Rao", ref: "m1" }],
  });
  await bring(["phone,person_2_name,person_2_ref,person_3_name,person_3_ref", `${asha},Meera Das,m1,Leela,l1`]);
  expect(await peopleOf(asha)).toEqual([
    person("Ravi Rao"),
    person("Meera Das", null, "m1"),
    person("Leela", null, "l1"),
  ]);
});

test("a person without a name is counted and skipped, and the row is refused where bad cells are", async () => {
  const rows = ["phone,person_2_name,person_2_birthday", "+919812340005,,1990-02-28"];
  expect((await bring(rows)).omitted).toMatchObject([{ reason: "a further person has no name", rows: 1 }]);
  expect(await peopleOf("+919812340005")).toEqual([]);
  const refused = await bring(["phone,person_2_name,person_2_birthday", "+919812340006,,1990-02-28"], false);
  expect(refused).toMatchObject({ created: 0, failed: 1 });
});
