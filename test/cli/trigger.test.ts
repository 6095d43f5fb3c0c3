/** `waxwing trigger`: every event and fault of its list happens on a dev, by its name alone. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { scenarios } from "#src/cli/trigger/scenarios.ts";
import { defaultTypes, eventTypes } from "#src/domain/webhooks/event-types.ts";
import { Workshop } from "./spawn.ts";

const workshop = new Workshop();
const env = { XDG_RUNTIME_DIR: workshop.directory };
/** The network reports at once. */
const early = { WAXWING_SIMULATOR_DELIVER_AFTER: "0s", WAXWING_SIMULATOR_READ_AFTER: "0s" };
let dev: Awaited<ReturnType<Workshop["start"]>>;
let ready: { base_url: string; api_key: string; control_url: string; control_token: string };

beforeAll(async () => {
  dev = await workshop.start(["dev", "--json", "--listen", "127.0.0.1:0"], { env: { ...env, ...early } });
  ready = JSON.parse(dev.firstLine);
});
afterAll(() => {
  dev.child.kill("SIGTERM");
  workshop[Symbol.dispose]();
});

interface Triggered {
  triggered: string;
  event: {
    type: string;
    data: Record<string, { error?: { whatsapp_code: string }; text?: string; status?: string }>;
  } | null;
}

interface Listed {
  data: unknown[];
  meta: { next: string };
}

const trigger = (...args: string[]): Promise<Triggered> => workshop.json<Triggered>(["trigger", ...args], { env });

test("there is one for each type of event", () => {
  expect([...scenarios.keys()]).toEqual(expect.arrayContaining([...eventTypes]));
});

test.each([...scenarios].filter(([, { event }]) => event !== null))("%s", async (name, { event }) => {
  expect(await trigger(name)).toMatchObject({ triggered: name, event: { type: event } });
});

/** Such a type is recorded only where it is wanted, and `trigger` does not wait for it: the test above skips it. */
test("every type that an address has to ask for is published, too", async () => {
  const onRequest = eventTypes.filter((type) => !defaultTypes.includes(type));
  const api = async (method: string, path: string, body?: object): Promise<Listed> => {
    const headers = { authorization: `Bearer ${ready.api_key}`, "content-type": "application/json" };
    const answer = await fetch(`${ready.base_url}${path}`, {
      ...{ method, headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const shown = (await answer.json()) as Listed;
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(shown)}`);
    return shown;
  };
  await api("POST", "/webhooks", { url: "http://127.0.0.1:9/hook", types: onRequest });
  for (const type of onRequest) {
    const { meta } = await api("GET", "/events?after=latest");
    await trigger(type);
    const { data } = await api("GET", `/events?after=${meta.next}&types=${type}&wait=5`);
    expect([type, data.length > 0]).toEqual([type, true]);
  }
});

test("options say which code, text and type", async () => {
  const failed = await trigger("message.failed", "--code", "131049");
  expect(failed.event?.data.message?.error?.whatsapp_code).toBe("131049");
  const received = await trigger("message.received", "--text", "Where is it?", "--from", "+919812345678");
  expect(received.event?.data.message?.text).toBe("Where is it?");
  const located = await trigger("message.received", "--type", "location");
  expect(located.event?.data.message).toMatchObject({ type: "location" });
});

test("a proxy of this machine is not asked for the server on this machine", async () => {
  const proxy = { http_proxy: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9" };
  for (const more of [{}, { NO_PROXY: "example.com" }, { no_proxy: "example.com" }]) {
    const ran = await workshop.run(["trigger", "message.received"], { env: { ...env, ...proxy, ...more } });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
  }
});

test("a fault that lasts is one until it ends or the server is reset", async () => {
  expect(await trigger("outage")).toEqual({ triggered: "outage", event: null });
  const headers = { authorization: `Bearer ${ready.control_token}` };
  const rules = await (await fetch(`${ready.control_url}/rules`, { headers })).text();
  expect(rules).toContain('"then":{"outage":"30000ms"}');
});

test("an unknown name lists those that there are; without test control it says how to get it", async () => {
  const unknown = await workshop.run(["trigger", "message.sentt"], { env });
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain("message.sent, message.delivered");
  const nowhere = { XDG_RUNTIME_DIR: workshop.path("nowhere") };
  const given = ["--server", ready.base_url, "--key-file", workshop.write("key", "wx_live_x")];
  expect(await workshop.refusal(["trigger", "message.sent", ...given], { env: nowhere })).toMatchObject({
    code: "no_control",
  });
});
