/** `waxwing listen`: what happens on a server arrives at a program on this machine, in order, whatever is killed. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { Workshop } from "./spawn.ts";

interface Ready {
  base_url: string;
  api_key: string;
  webhook_secret: string;
  control_url: string;
  control_token: string;
}

/** Half of them of each side. The long form: `LISTEN_KILLS=200 bun test --timeout 1800000 test/cli/listen.test.ts`. */
const KILLS = Number(process.env.LISTEN_KILLS ?? 4);

/** A receiver that checks signatures, and refuses or vanishes when a test says so. */
function startReceiver(secret: string) {
  const events: { id: string; type: string }[] = [];
  const unsigned: string[] = [];
  const state = { status: 204 };
  const counts = { refused: 0 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.text();
      const [, seconds, digest] =
        /^t=(\d+),v1=([0-9a-f]{64})$/.exec(request.headers.get("service-signature") ?? "") ?? [];
      const expected = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
      if (digest !== expected || Math.abs(Number(seconds) - Date.now() / 1000) > 60) unsigned.push(body);
      if (state.status === 204) events.push(JSON.parse(body));
      else counts.refused += 1;
      return new Response(null, { status: state.status });
    },
  });
  return {
    events,
    unsigned,
    state,
    counts,
    url: `http://127.0.0.1:${server.port}/hook`,
    stop: () => server.stop(true),
  };
}

const workshop = new Workshop();
let dev: Awaited<ReturnType<Workshop["start"]>>;
let ready: Ready;
let listenAt: string;
const env = { XDG_RUNTIME_DIR: workshop.directory, XDG_STATE_HOME: workshop.path("state") };

async function startDev(listen: string): Promise<void> {
  dev = await workshop.start(["dev", "--json", "--data", "kept", "--listen", listen], { env });
  ready = JSON.parse(dev.firstLine) as Ready;
  listenAt = new URL(ready.base_url).host;
}

beforeAll(() => startDev("127.0.0.1:0"));
afterAll(async () => {
  dev.child.kill("SIGKILL");
  await dev.child.exited;
  workshop[Symbol.dispose]();
});

/** A person writes. Returns the text. */
let written = 0;
async function write(): Promise<string> {
  const text = `message ${++written}`;
  const response = await fetch(`${ready.control_url}/inbound`, {
    method: "POST",
    headers: { authorization: `Bearer ${ready.control_token}`, "content-type": "application/json" },
    body: JSON.stringify({ from: "+442079460210", type: "text", text }),
  });
  expect(response.status).toBeLessThan(300);
  return text;
}

function textsOf(events: readonly { type: string }[]): string[] {
  return events.flatMap((event) =>
    event.type === "message.received"
      ? [(event as unknown as { data: { message: { text: string } } }).data.message.text]
      : [],
  );
}

async function until(isDone: () => boolean): Promise<void> {
  for (let round = 0; !isDone(); round += 1) {
    if (round > 3_000) throw new Error("it did not happen within a minute");
    await Bun.sleep(20);
  }
}

/** Writes until the first text arrives, which proves that `listen` has begun. Returns the texts from that one on. */
async function begin(receiver: ReturnType<typeof startReceiver>): Promise<string[]> {
  const texts: string[] = [];
  for (let round = 0; receiver.events.length === 0; round += 1) {
    if (round > 300) throw new Error("nothing arrived within a minute");
    texts.push(await write());
    await Bun.sleep(200);
  }
  return texts.slice(texts.indexOf(textsOf(receiver.events)[0] ?? ""));
}

test("finds the dev that runs, passes events on signed with the workspace's secret, and repeats what is refused", async () => {
  const receiver = startReceiver(ready.webhook_secret);
  const listener = workshop.background(["listen", "--forward-to", receiver.url, "--types", "message.received"], {
    env,
  });
  const texts = await begin(receiver);
  receiver.state.status = 500;
  texts.push(await write());
  await until(() => receiver.counts.refused > 1);
  receiver.state.status = 204;
  texts.push(await write());
  await until(() => receiver.events.length >= texts.length);
  expect(textsOf(receiver.events)).toEqual(texts);
  expect(receiver.unsigned).toEqual([]);
  listener.kill("SIGTERM");
  expect(await listener.exited).toBe(0);
  receiver.stop();
});

test(
  `${KILLS} kills of listen and of the server: nothing is missed, and the order stays`,
  async () => {
    const receiver = startReceiver(ready.webhook_secret);
    const args = ["listen", "--json", "--forward-to", receiver.url, "--types", "message.received"];
    const place = ["--server", ready.base_url, "--key-file", workshop.write("key", ready.api_key)];
    const start = () => workshop.background([...args, ...place], { env });
    let listener = start();
    const texts = await begin(receiver);
    for (let kill = 0; kill < KILLS; kill += 1) {
      texts.push(await write(), await write());
      if (kill % 2 === 0) {
        listener.kill("SIGKILL");
        await listener.exited;
        texts.push(await write());
        listener = start();
      } else {
        dev.child.kill("SIGKILL");
        await dev.child.exited;
        await startDev(listenAt);
      }
      texts.push(await write());
    }
    await until(() => textsOf(receiver.events).includes(texts.at(-1) ?? ""));
    // An event may arrive again after a kill, as with webhooks; a receiver knows it by its id.
    const seen = new Set<string>();
    const once = receiver.events.filter(({ id }) => !seen.has(id) && seen.add(id));
    expect(textsOf(once)).toEqual(texts);
    expect(receiver.unsigned).toEqual([]);
    listener.kill("SIGTERM");
    receiver.stop();
  },
  60_000 + KILLS * 10_000,
);

test("a wrong key, an unknown type, a foreign cursor and no server each say what to do", async () => {
  const to = ["--forward-to", "http://127.0.0.1:9/hook"];
  const wrong = ["--server", ready.base_url, "--key-file", workshop.write("wrong", "wx_live_wrong")];
  expect(await workshop.refusal(["listen", ...to, ...wrong], { env })).toMatchObject({ code: "refused" });
  expect(await workshop.refusal(["listen", ...to, "--after", "bm9uc2Vuc2U"], { env })).toMatchObject({
    code: "refused_cursor",
  });
  expect((await workshop.run(["listen", ...to, "--types", "message.sentt"], { env })).code).toBe(2);
  expect((await workshop.run(["listen", "--forward-to", "ftp://x"], { env })).code).toBe(2);
  const nowhere = { XDG_RUNTIME_DIR: workshop.path("nowhere") };
  expect(await workshop.refusal(["listen", ...to], { env: nowhere })).toMatchObject({ code: "no_server" });
});
