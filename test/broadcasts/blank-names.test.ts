/** People whose names and values have no visible character, whatever door brought them: a broadcast reaches them with its fallback. */
import { expect, test } from "bun:test";
import {
  field,
  greeting,
  list,
  MINUTE,
  phones,
  post,
  put,
  run,
  type Scenario,
  show,
  startScenario,
  valuesOf,
} from "#test/support/broadcast-scenarios.ts";
import { reportInbound } from "#test/support/report.ts";
import { contactsOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { Workshop } from "../cli/spawn.ts";

const BLANKS = ["\u3164", "\u200b", "\u2800", "\u200e\u200e", "\ufe0f", "\u00ad"];
const PEOPLE = 20;

const blankOf = (index: number): string => BLANKS[index % BLANKS.length] ?? "";

/** By turns with the API, a file, and a message whose sender has such a profile name. */
async function bring(scenario: Pick<Scenario, "app" | "shop">, workshop: Workshop, people: readonly string[]) {
  const { app, shop } = scenario;
  const lines = ["phone,name,first_name,plan"];
  for (const [index, phone] of people.entries()) {
    const blank = blankOf(index);
    if (index % 3 === 0) await put(scenario as Scenario, phone, { name: blank, fields: { plan: blank } });
    else if (index % 3 === 1) lines.push(`${phone},${blank},${blank},${blank.repeat(300)}`);
    else await reportInbound(app, shop, { from: phone.slice(1), name: blank });
  }
  const file = workshop.write("people.csv", `${lines.join("\n")}\n`);
  const argv = ["contact", "import", "--workspace", String(shop.id), file, "--data", app.directory];
  expect(await workshop.json(argv)).toMatchObject({ failed: 0 });
}

test("20 people with such names all get the fallback, and the broadcast completes", async () => {
  using workshop = new Workshop();
  await using app = await startTestServer();
  const shop = await app.workspace({});
  const scenario = { app, shop } as Scenario;
  await app.template(shop, { ...greeting, name: "simple" });
  await field(scenario, "plan");
  // The simulator has other answers for the first numbers.
  const people = phones(PEOPLE, 500);
  await bring(scenario, workshop, people);
  expect(contactsOf(app).map(({ name, firstName }) => [name, firstName])).toEqual(people.map(() => [null, null]));
  expect(app.store.client.prepare("SELECT count(*) FROM contact_fields").pluck().get()).toBe(0);
  const group = await list(scenario, people);
  const id = (
    await post(scenario, {
      name: "blank",
      template: "simple",
      group,
      variables: [{ field: "name", fallback: "friend" }],
    })
  ).body.data.id;
  await app.clock.advance(5 * MINUTE);
  expect(await show(scenario, id)).toMatchObject({
    status: "completed",
    status_reason: null,
    counts: { total: PEOPLE, failed: 0, skipped: 0 },
  });
  const values = app.store.client
    .prepare("SELECT DISTINCT variables FROM messages WHERE broadcast_id = ?")
    .pluck()
    .all(id);
  expect(values).toEqual([JSON.stringify({ header: [], body: ["friend"] })]);
}, 60_000);

test.each([...BLANKS, "\u00a0", " \u200b\t\u2800 ", ""])(
  "a stored value such as %j counts as missing in the preview of a group as it does when recipients are built",
  async (blank) => {
    await using scenario = await startScenario();
    const { app } = scenario;
    await field(scenario, "plan");
    const people = phones(2);
    for (const phone of people) await put(scenario, phone, { name: "Asha", fields: { plan: "gold" } });
    const group = await list(scenario, people);
    // As an earlier version has stored it.
    app.store.client.prepare("UPDATE contacts SET name = ? WHERE phone = ?").run(blank, people[0]);
    for (const name of ["name", "plan"]) {
      if (name === "plan")
        app.store.client
          .prepare(
            "UPDATE contact_fields SET text_value = ? WHERE contact_id = (SELECT id FROM contacts WHERE phone = ?)",
          )
          .run(blank, people[0]);
      const body = { name, template: greeting.name, group, variables: [{ field: name }] };
      const previewed = await post(scenario, body, undefined, "/api/v1/broadcasts/preview");
      expect([previewed.status, previewed.body.data?.skipped.missing_variable, previewed.body.data?.reached]).toEqual([
        200, 1, 1,
      ]);
      await run(scenario, body);
      await app.clock.advance(MINUTE);
    }
    expect(scenario.network.sent.map(valuesOf)).toEqual([["Asha"], ["gold"]]);
  },
);
