/** Provider profiles: one server sends through Meta and through 360dialog, each with its own address, header and errors. */
import { expect, test } from "bun:test";
import { updateNumber } from "#src/domain/numbers/update.ts";
import { endpointOf } from "#src/networks/whatsapp/profile.ts";
import { GRAPH_PHONE_NUMBER_ID, startGraph } from "#test/support/graph.ts";
import { startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const KEY = "key-of-the-test";

const settings = {
  graphUrl: "https://graph.example",
  apiVersion: "v25.0",
  authHeader: "X-Own",
  authPrefix: "",
  pathStyle: "bare",
} as const;

test("the settings of the configuration belong to the graph profile; 360dialog has its own, and a number's address wins", () => {
  expect(endpointOf(settings, {})).toMatchObject(settings);
  expect(endpointOf(settings, { provider: "graph", apiUrl: "https://own.example" })).toMatchObject({
    ...settings,
    graphUrl: "https://own.example",
  });
  const dialog = { authHeader: "D360-API-KEY", authPrefix: "", pathStyle: "bare" };
  expect(endpointOf(settings, { provider: "360dialog", apiUrl: null })).toMatchObject({
    ...dialog,
    graphUrl: "https://waba-v2.360dialog.io",
  });
  expect(endpointOf(settings, { provider: "360dialog", apiUrl: "http://127.0.0.1:1" })).toMatchObject(dialog);
});

const meta = (words: string) => JSON.stringify({ meta: { http_code: 400, success: false, developer_message: words } });

test.each([
  [401, '{"error":"Invalid api_key"}', { kind: "refused", scope: "account", code: "360dialog_401" }],
  [403, meta("This URL is blocked."), { kind: "refused", scope: "account", code: "360dialog_403" }],
  [400, meta("Could not send: overdue invoices"), { kind: "refused", scope: "account", code: "360dialog_400" }],
  [400, meta("The API has been disabled"), { kind: "refused", scope: "account" }],
  [
    400,
    meta("You have exceeded the endpoint rate limit."),
    { kind: "throttled", scope: "number", retryAfterMs: 7_000 },
  ],
  [429, '{"error":"slow down"}', { kind: "throttled", scope: "number" }],
  [400, meta("Something else"), { kind: "refused", scope: "network" }],
])("360dialog's own %d %s is read as what it means, with its words", (status, body, expected) => {
  const outcome = endpointOf(settings, { provider: "360dialog" }).readRefusal(status, body, 7_000);
  expect(outcome).toMatchObject(expected as never);
  expect(outcome).toMatchObject({ message: expect.stringContaining("says: ") });
  expect(endpointOf(settings, {}).readRefusal(status, body, null)).toBeNull();
});

test.each([
  [500, '{"error":"Internal server error"}'],
  [502, meta("not available")],
  [401, "<html>Unauthorized</html>"],
  [400, '{"success":false}'],
])("360dialog's %d %s proves nothing", (status, body) => {
  expect(endpointOf(settings, { provider: "360dialog" }).readRefusal(status, body, null)).toBeNull();
});

async function moveTo360dialog(world: WhatsappWorld, url: string): Promise<void> {
  const number = world.number();
  const accessToken = world.box.seal(KEY, `access_token:${GRAPH_PHONE_NUMBER_ID}`);
  await world.app.store.write(
    (tx) => void updateNumber(tx, number, { provider: "360dialog", apiUrl: url, accessToken }),
  );
  await world.clock.advance(1_000);
}

test("a number of 360dialog sends to its own address, and a wrong key pauses its broadcast and says why", async () => {
  await using world = await startWhatsapp();
  await using dialog = await startGraph({
    now: () => world.clock.now(),
    account: world.account,
    authHeader: "D360-API-KEY",
    authPrefix: "",
    accessToken: KEY,
    pathStyle: "bare",
  });
  await moveTo360dialog(world, dialog.url);
  expect((await world.send()).status).toBe(201);
  expect(dialog.requests.map(({ path }) => path)).toEqual(["/messages"]);
  expect(world.graph.requests).toHaveLength(0);

  const body = '{"error":"Invalid api_key"}';
  dialog.fault({ fault: { kind: "answer", status: 401, body, contentType: "application/json" }, times: Infinity });
  const to = Array.from({ length: 600 }, (_, index) => `+491511234${String(5_000 + index)}`);
  const broadcast = { name: "News", template: "greeting", variables: ["Anna"], to };
  const { key } = world.workspace;
  const created = await world.app.send("POST", "/api/v1/broadcasts", { key, body: broadcast });
  await world.clock.advance(60_000);
  const { data } = (await world.app.send("GET", `/api/v1/broadcasts/${created.body.data.id}`, { key })).body;
  expect(data).toMatchObject({ status: "paused", counts: { failed: 0, sent: 0 } });
  expect(data.status_reason).toMatch(/API key.*Invalid api_key.*\(error 360dialog_401\)/);
  // At 1,000 a second: what was in flight, and no more.
  expect(dialog.requests.length).toBeLessThan(300);
});
