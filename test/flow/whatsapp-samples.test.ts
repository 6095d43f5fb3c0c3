/**
 * Stored samples of templates: uploaded once for each number, sent by their id, renewed before the id ends, and never a
 * reason to stop a number.
 */
import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { scheduleSync } from "#src/domain/numbers/account-sync.ts";
import { setSample } from "#src/domain/templates/decide.ts";
import { graphAccount, graphNumber, graphTemplate } from "#test/support/graph-account.ts";
import { rows, startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const DAY = 86_400_000;

function startFiles() {
  const state = { count: 0, type: "image/jpeg", status: 200, size: 2_000 };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      state.count += 1;
      return new Response(new Uint8Array(state.size), {
        status: state.status,
        headers: { "content-type": state.type },
      });
    },
  });
  return { state, link: `http://127.0.0.1:${server.port}/offer.jpg`, [Symbol.asyncDispose]: () => server.stop(true) };
}

function startPicture(more: object = {}) {
  const components = [
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "Look" },
  ];
  return startWhatsapp({
    config: { whatsapp: { syncEveryMs: DAY / 2 } },
    account: graphAccount({ templates: [graphTemplate("picture", { components })], ...more }),
  });
}

async function store(world: WhatsappWorld, link: string): Promise<void> {
  const number = world.number();
  await world.app.store.write((tx) => {
    setSample(tx, world.workspace.id, "picture", "en_US", "https://files.example/picture.jpg");
    // The test serves its files from this machine, where a sample address may not lead, so it writes the link straight
    // into the table.
    tx.db.run(sql`UPDATE templates SET sample_link = ${link}`);
    scheduleSync(tx, number, 0);
  });
  await world.clock.advance(100);
}

let keys = 0;

async function headerOf(world: WhatsappWorld, more: object = {}): Promise<unknown> {
  const sent = await world.app.send("POST", "/api/v1/messages", {
    key: world.workspace.key,
    body: { to: "+4915112345678", template: "picture", ...more },
    headers: { "Idempotency-Key": `k${keys++}` },
  });
  expect(sent.body).toMatchObject({ data: { status: "sent" } });
  const body = world.graph.requests.at(-1)?.body as { template: { components: [{ parameters: [unknown] }] } };
  return body.template.components[0].parameters[0];
}

test("a sample is uploaded once, sent by its id when the request brings no media, and uploaded again before the id ends", async () => {
  await using files = startFiles();
  await using world = await startPicture();
  await store(world, files.link);
  expect(world.account.uploads).toMatchObject([
    { contentType: "image/jpeg", size: 2_000, name: "offer.jpg", phoneNumberId: "200000000000001" },
  ]);
  expect(await headerOf(world)).toEqual({ type: "image", image: { id: world.account.uploads[0]?.id } });
  expect(await headerOf(world, { media: { link: "https://files.example/other.jpg" } })).toEqual({
    type: "image",
    image: { link: "https://files.example/other.jpg" },
  });
  await world.clock.advance(DAY);
  expect(world.account.uploads).toHaveLength(1);
  // As if 25 days had passed: advancing the clock would run every one of their minutes.
  await world.app.store.write(
    (tx) => void tx.db.run(`UPDATE sample_uploads SET expires_at = expires_at - ${25 * DAY}`),
  );
  await world.clock.advance(DAY);
  expect(world.account.uploads).toHaveLength(2);
  expect(files.state.count).toBe(2);
  expect(await headerOf(world)).toEqual({ type: "image", image: { id: world.account.uploads[1]?.id } });
});

test("every number of an account has its own id of a sample, because Meta's ids belong to a number", async () => {
  await using files = startFiles();
  const numbers = [graphNumber("200000000000001", "+49 30 000000"), graphNumber("200000000000002", "+49 30 000001")];
  await using world = await startPicture({ numbers });
  await world.addNumber(world.workspace.id, { phone: "+4930000001", phoneNumberId: "200000000000002" });
  await store(world, files.link);
  expect(world.account.uploads.map(({ phoneNumberId }) => phoneNumberId)).toEqual([
    "200000000000001",
    "200000000000002",
  ]);
  expect(files.state.count).toBe(1);
  expect(await headerOf(world, { from: "+4930000001" })).toEqual({
    type: "image",
    image: { id: world.account.uploads[1]?.id },
  });
});

test.each([
  ["an address that answers with an error", { status: 404 }, "HTTP 404"],
  ["a type that the network does not take", { type: "text/html" }, "text/html"],
  ["a file that is too large", { size: 6 * 1024 * 1024 }, "bytes"],
])("%s is reported, the sample is not uploaded, and the number stays ready", async (_, wrong, words) => {
  await using files = startFiles();
  Object.assign(files.state, wrong);
  await using world = await startPicture();
  await store(world, files.link);
  expect(world.account.uploads).toEqual([]);
  expect(world.number().ready).toBe(true);
  const [sync] = rows<{ error: string }>(world.app.store, "SELECT error FROM account_syncs");
  expect(sync?.error).toContain(words);
  // Not again with every sync.
  const { count } = files.state;
  const number = world.number();
  await world.app.store.write((tx) => scheduleSync(tx, number, 0));
  await world.clock.advance(100);
  expect(files.state.count).toBe(count);
});

test("an unreachable sample address is reported with the system's error code", async () => {
  await using files = startFiles();
  await using world = await startPicture();
  await files[Symbol.asyncDispose]();
  await store(world, files.link);
  const [sync] = rows<{ error: string }>(world.app.store, "SELECT error FROM account_syncs");
  expect(sync?.error).toContain("its address could not be read (ECONNREFUSED).");
});

test("a replaced sample is uploaded, and the old one is discarded", async () => {
  await using files = startFiles();
  await using world = await startPicture();
  await store(world, files.link);
  await store(world, `${files.link}?2`);
  expect(world.account.uploads).toHaveLength(2);
  expect(rows(world.app.store, "SELECT link FROM sample_uploads")).toEqual([{ link: `${files.link}?2` }]);
});

test("an id that the network refuses is sent once: the next message uses the link, and the file is uploaded again", async () => {
  await using files = startFiles();
  await using world = await startPicture();
  await store(world, files.link);
  world.graph.fault({ fault: { kind: "error", code: 131009, details: "Media ID is not valid" } });
  const refused = await world.app.send("POST", "/api/v1/messages", {
    key: world.workspace.key,
    body: { to: "+4915112345678", template: "picture" },
    headers: { "Idempotency-Key": `k${keys++}` },
  });
  expect(refused.status).toBe(502);
  // The link leads to this machine, which the fake refuses as Meta would: only the requests count here.
  world.graph.fault({ fault: { kind: "answer", status: 500, body: "" } });
  await world.app.send("POST", "/api/v1/messages", {
    key: world.workspace.key,
    body: { to: "+4915112345678", template: "picture" },
    headers: { "Idempotency-Key": `k${keys++}` },
  });
  expect(JSON.stringify(world.graph.requests.at(-1)?.body)).toContain(files.link);
  await world.clock.advance(DAY);
  expect(world.account.uploads).toHaveLength(2);
});
