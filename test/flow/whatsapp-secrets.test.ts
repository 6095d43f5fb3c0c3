/**
 * Tokens and secrets: sealed on disk, stored nowhere else, replaced by command, and reported when they cannot be read.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { senderOf } from "#src/networks/credentials.ts";
import { CallingWorkshop } from "#test/cli/spawn.ts";
import { GRAPH_APP_SECRET, GRAPH_TOKEN } from "#test/support/graph.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { rows, startWhatsapp, textFrom, VERIFY_TOKEN } from "#test/support/whatsapp.ts";

const OWN_SECRET = "own-app-secret-7f3a9c";

/** The secret itself, and every encoding in which it might leak. */
function forms(secret: string): Buffer[] {
  const bytes = Buffer.from(secret);
  return [
    bytes,
    Buffer.from(bytes.toString("base64").slice(0, -3)),
    Buffer.from(bytes.toString("hex")),
    Buffer.from(secret, "utf16le"),
  ];
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true })
    .map((name) => join(directory, String(name)))
    .filter((path) => statSync(path).isFile());
}

test("no byte of a token or a secret is in the database, its log, our log, an answer or an event", async () => {
  await using world = await startWhatsapp({
    number: { appSecret: OWN_SECRET },
    appSecret: "configured-app-secret-51",
    expectedErrors: /./,
  });
  const { app, graph, workspace, account } = world;
  const answers: string[] = [];
  const send = async (key: string): Promise<void> => {
    const { text } = await app.send("POST", "/api/v1/messages", {
      key: workspace.key,
      body: { to: "+4915112345678", template: "greeting", variables: ["Anna"] },
      headers: { "Idempotency-Key": key },
    });
    answers.push(text);
  };
  await send("1");
  // Meta's errors about a token repeat the token, in sentences and in addresses.
  const leak = `Error validating access token: ${GRAPH_TOKEN}`;
  graph.fault({ fault: { kind: "error", code: 190, status: 401, details: leak } });
  await send("2");
  graph.fault({ fault: { kind: "answer", status: 500, body: `<html>${GRAPH_TOKEN}</html>` } });
  await send("3");
  graph.fault({ fault: { kind: "lost" } });
  await send("4");
  account.refuse = () => ({ code: 190, status: 401, details: leak });
  await world.clock.advance(4_000_000);
  account.refuse = () => ({ status: 500, body: GRAPH_TOKEN, contentType: "text/html" });
  await world.clock.advance(4_000_000);
  await world.hear(textFrom(graph, "+4915112345678", "Hi"), { appSecret: OWN_SECRET });
  await graph.callback("{}", { appSecret: "wrong" });
  for (const path of ["/api/v1/me", "/api/v1/templates", "/api/v1/contacts", "/readyz", "/nothing"]) {
    answers.push((await app.send("GET", path, { key: workspace.key })).text);
  }
  const webhookSecret = await app.webhook(workspace, world.webhooks.url);
  const events = world.webhooks.received.map(({ body }) => body);
  const written = Buffer.from([...answers, ...events, ...app.logged].join("\n"));
  const files = filesIn(app.directory).filter((path) => !path.endsWith("waxwing.key"));
  expect(files.some((path) => path.endsWith("-wal"))).toBe(true);
  for (const secret of [GRAPH_TOKEN, OWN_SECRET, "configured-app-secret-51", VERIFY_TOKEN, webhookSecret]) {
    for (const form of forms(secret)) {
      expect(written.includes(form)).toBe(false);
      for (const path of files)
        expect({ path, found: readFileSync(path).includes(form) }).toEqual({ path, found: false });
    }
  }
  // The search works: it finds a text that the files do contain.
  expect(files.some((path) => readFileSync(path).includes(Buffer.from("greeting")))).toBe(true);
  expect(world.number().accessToken).toStartWith("v1.");
});

test("a new token is used from the next message on, without a restart, and the old one is gone from the row", async () => {
  await using world = await startWhatsapp();
  const { app } = world;
  using workshop = new CallingWorkshop(`[whatsapp]\ngraph_url = "${world.graph.url}"\n`);
  workshop.data = app.directory;
  writeFileSync(workshop.path("token"), "the-new-token\n");
  const before = world.number().accessToken;
  const ran = await workshop.run([
    "number",
    "update",
    String(world.number().id),
    "--token-file",
    workshop.path("token"),
    "--json",
  ]);
  expect(ran.code).toBe(0);
  // The fake knows only the old token, and the command reports the fake's error.
  expect(JSON.parse(ran.stdout)).toMatchObject({
    ready: false,
    problems: expect.arrayContaining([expect.stringContaining("token")]),
  });
  expect(ran.stdout + ran.stderr).not.toContain("the-new-token");
  expect(world.number().accessToken).not.toBe(before);
  expect(senderOf(world.box, world.number()).accessToken).toBe("the-new-token");
  await app.store.write(
    (tx) => void tx.db.run("UPDATE numbers SET ready = 1, unready_by = NULL, unready_reason = NULL"),
  );
  await app.send("POST", "/api/v1/messages", {
    key: world.workspace.key,
    body: { to: "+4915112345678", template: "greeting", variables: ["Anna"] },
    headers: { "Idempotency-Key": "1" },
  });
  expect(world.graph.requests.at(-1)?.headers.authorization).toBe("Bearer the-new-token");
});

test("a token that this key file cannot read stops its number with the reason, and the other numbers keep sending", async () => {
  await using world = await startWhatsapp({
    account: graphAccount({ templates: [graphTemplate("greeting")] }),
    expectedErrors: /event=callback\.secret_unreadable /,
  });
  const other = await world.app.workspace({ country: "DE", number: null, name: "Other" });
  const moved = world.number().accessToken;
  const second = await world.addNumber(other.id, {
    phone: "+4930000001",
    phoneNumberId: "200000000000002",
    accountId: "100000000000002",
    appSecret: "another",
  });
  // A sealed value that was moved to another row cannot be opened there.
  await world.app.store.write(
    (tx) =>
      void tx.db.run(`UPDATE numbers SET access_token = '${moved}', app_secret = '${moved}' WHERE id = ${second.id}`),
  );
  await world.clock.advance(4_000_000);
  const found = rows<{ reason: string }>(
    world.app.store,
    `SELECT unready_reason AS reason FROM numbers WHERE id = ${second.id}`,
  );
  expect(found).toEqual([{ reason: "The access token cannot be read with this server's key file." }]);
  expect(world.number().ready).toBe(true);
  expect(await world.hear(textFrom(world.graph, "+4915112345678", "Hi"))).toBe(200);
});

describe("the proof of the app secret", () => {
  const proofs = (paths: readonly { path: string }[]): boolean[] =>
    paths.map(({ path }) => path.includes("appsecret_proof="));

  test("is in every request once the network accepts it: an app that demands it can send", async () => {
    const account = graphAccount({
      ...{ appSecret: GRAPH_APP_SECRET, requiresProof: true },
      templates: [graphTemplate("greeting")],
    });
    await using world = await startWhatsapp({ account });
    expect(world.number()).toMatchObject({ ready: true, sendsProof: true });
    expect((await world.send()).status).toBe(201);
    expect(proofs(world.graph.requests)).toEqual([true]);
    expect(JSON.stringify(world.app.logged)).not.toContain(GRAPH_APP_SECRET);
  });

  test("is omitted where our secret is another app's and no proof is demanded: the number still sends", async () => {
    const account = graphAccount({ appSecret: "another app's", templates: [graphTemplate("greeting")] });
    await using world = await startWhatsapp({ account });
    expect(world.number()).toMatchObject({ ready: true, sendsProof: false });
    expect((await world.send()).status).toBe(201);
    expect(proofs(world.graph.requests)).toEqual([false]);
  });

  test("that becomes wrong is refused with words that name it, until the next synchronization", async () => {
    const account = graphAccount({ appSecret: GRAPH_APP_SECRET, templates: [graphTemplate("greeting")] });
    await using world = await startWhatsapp({ account });
    account.appSecret = "a new one";
    const refused = await world.send();
    expect(refused.status).toBe(502);
    expect(refused.body.error.message).toContain("app secret");
    await world.clock.advance(70 * 60_000);
    expect((await world.send()).status).toBe(201);
  });
});
