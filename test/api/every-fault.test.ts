/** A refused request names every fault at once, whatever part of the request it is in. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
});
afterAll(() => app[Symbol.asyncDispose]());

async function faultsOf(method: string, path: string, body?: unknown, key?: string): Promise<string[]> {
  const { status, body: answer } = await app.call(method, `/api/v1${path}`, {
    key: shop.key,
    body,
    headers: key === undefined ? {} : { "idempotency-key": key },
  });
  expect(status).toBe(400);
  return Object.keys(answer.error.fields).sort();
}

test("of a message: unknown fields, wrong types, lengths, values, the file and the key", async () => {
  const body = {
    to: 7,
    template: "x",
    colour: "red",
    reference: "",
    variables: ["ok", ""],
    media: { link: "http://a.example/x.pdf" },
  };
  expect(await faultsOf("POST", "/messages", body, "k".repeat(101))).toEqual(
    ["Idempotency-Key", "colour", "media.link", "reference", "to", "variables.1"].sort(),
  );
});

test("of a broadcast: its audience, its time, its values and the key", async () => {
  const body = { name: " ", template: "x", send_at: "tomorrow", variables: [{ field: 7 }] };
  expect(await faultsOf("POST", "/broadcasts", body, "k".repeat(101))).toEqual(
    ["Idempotency-Key", "group", "name", "send_at", "to", "variables.0.field"].sort(),
  );
});

test("of a list: all its filters and its page", async () => {
  const path = "/messages?reference=&idempotency_key=&status=x&since=y&to=z&per_page=0";
  expect(await faultsOf("GET", path)).toEqual(
    ["idempotency_key", "per_page", "reference", "since", "status", "to"].sort(),
  );
});

test("of a contact: an empty birthday is no date, beside every other fault", async () => {
  const people = [{ name: "Mr & Mrs Smith", birthday: "" }];
  const body = { birthday: "", anniversary: "", email: "", nickname: "x", people, add_tags: [""] };
  expect(await faultsOf("PUT", "/contacts/919876543210", body)).toEqual(
    ["add_tags.0", "anniversary", "birthday", "email", "nickname", "people.0.birthday"].sort(),
  );
});

test("the first name of a person is a word: neither a title nor a sign between two", async () => {
  const names = ["Mr & Mrs Smith", "Dr. Rao", "& Sons", "Mr + Ms", "Élodie Roux"];
  const { body } = await app.call("PUT", "/api/v1/contacts/919876543210", {
    key: shop.key,
    body: { people: names.map((name) => ({ name })) },
  });
  expect(body.data.people.map(({ first_name }: { first_name: string | null }) => first_name)).toEqual([
    "Smith",
    "Rao",
    "Sons",
    null,
    "Élodie",
  ]);
});

test("the count of a small dynamic group is fresh right after a write", async () => {
  const own = await app.workspace();
  const count = async () => (await app.call("GET", "/api/v1/groups", { key: own.key })).body.data[0].count;
  await app.store.write((tx) => {
    const now = tx.now;
    tx.db.run(`INSERT INTO groups (workspace_id, name, folded, filter, member_count, created_at)
      VALUES (${own.id}, 'Pune', 'pune', '{"field":"city","is":"Pune"}', 0, ${now})`);
  });
  expect(await count()).toBe(0);
  for (const index of [1, 2, 3]) {
    await app.call("PUT", `/api/v1/contacts/91987654321${index}`, { key: own.key, body: { city: "Pune" } });
    expect(await count()).toBe(index);
  }
});
