/**
 * Everything around the machines of the journey, on the loopback of its own network: a name server, Pebble as certificate
 * authority, an S3-compatible store (npm's s3rver), a mail server (npm's smtp-server), and the network, which outlives every
 * machine: it remembers each send request, and reports `sent` and `delivered` until that is answered with 200.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linesOf } from "#test/support/database.ts";
import { type AcceptedMessage, type Graph, startGraph } from "#test/support/graph.ts";
import { graphAccount, graphNumber, graphTemplate } from "#test/support/graph-account.ts";
import { type Pebble, startPebble } from "#test/support/pebble.ts";
import { TOOLS } from "./preparation.ts";

export const ACCOUNT_ID = "100000000000001";
export const PHONE_NUMBER_ID = "200000000000001";
export const APP_SECRET = "app-secret-of-the-test";
export const BUCKET = "shop-backups";
/** s3rver knows this pair alone. */
export const STORE_KEY = "S3RVER";
/** As each of them is called by name. */
export const STORE = "http://s3.example.com:4568";
export const MAIL = "smtp://mail.example.com:2525";

const [DNS_PORT, HTTP_PORT, STORE_PORT, MAIL_PORT] = [53, 80, 4568, 2525];
/** Of a message, after it was accepted. */
const LADDER = ["sent", "delivered"] as const;
const REPORTED_AT_ONCE = 20;

interface Mail {
  from: string;
  to: string[];
  text: string;
}

export interface World extends AsyncDisposable {
  pebble: Pebble;
  graph: Graph;
  mails: readonly Mail[];
  /** Names of the objects in the bucket. */
  stored(): string[];
  /** Whether every status of every message has been answered with 200. */
  isTold(): boolean;
  /** Posts to the domain's callback address; null: nothing answered. */
  hear(text: string, from: string): Promise<number | null>;
}

const names = (directory: string) => readdirSync(directory, { recursive: true, encoding: "utf8" });

export async function makeWorld(domain: string): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "waxwing-world-"));
  const pebble = await startPebble(HTTP_PORT, DNS_PORT);
  const ca = await pebble.root();
  const graph = await startGraph({
    appSecret: APP_SECRET,
    account: graphAccount({
      numbers: [graphNumber(PHONE_NUMBER_ID, "+49 30 1234567")],
      templates: [graphTemplate("hello", { components: [{ type: "BODY", text: "Hello." }] }), graphTemplate("news")],
      subscribedApps: [],
    }),
  });
  graph.callTo(`https://${domain}/networks/whatsapp`, ca);
  const programs: Bun.Subprocess<"ignore", "pipe", "inherit">[] = [];
  const start = (...words: string[]) => {
    const child = Bun.spawn(["node", ...words], { cwd: TOOLS, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
    programs.push(child);
    return linesOf(child.stdout);
  };
  const store = start(
    ...["node_modules/s3rver/bin/s3rver.js", "-d", folder, "-a", "127.0.0.1", "-p", String(STORE_PORT)],
    ...["--silent", "--no-vhost-buckets", "--configure-bucket", BUCKET],
  );
  await store.next();
  const mailLines = start(join(import.meta.dir, "tools/mail.mjs"), String(MAIL_PORT));
  await mailLines.next();
  const mails: Mail[] = [];
  const reading = (async () => {
    for await (const line of mailLines) mails.push(JSON.parse(line) as Mail);
  })();

  let isOver = false;
  let told = 0;
  const post = (change: Parameters<Graph["callback"]>[0]): Promise<number | null> =>
    graph.callback(change, { accountId: ACCOUNT_ID }).catch(() => null);
  const tell = async (message: AcceptedMessage): Promise<void> => {
    for (const name of LADDER)
      while (!isOver && (await post(graph.status(message, name))) !== 200) await Bun.sleep(500);
  };
  const reporting = (async () => {
    while (!isOver) {
      const next = graph.accepted.slice(told, told + REPORTED_AT_ONCE);
      await Promise.all(next.map(tell));
      told += next.length;
      if (next.length === 0) await Bun.sleep(100);
    }
  })();
  let inboundCount = 0;

  return {
    ...{ pebble, graph, mails },
    stored: () => names(join(folder, BUCKET)).filter((name) => name.endsWith("._S3rver_object")),
    isTold: () => told === graph.accepted.length,
    hear(text, from) {
      inboundCount += 1;
      const id = `wamid.inbound${inboundCount}`;
      const timestamp = String(Math.floor(Date.now() / 1000));
      const contacts = [{ wa_id: from.slice(1), profile: { name: "Somebody" } }];
      return post(
        graph.inbound({ from: from.slice(1), id, timestamp, type: "text", text: { body: text } }, { contacts }),
      );
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      await reporting;
      for (const child of programs) child.kill("SIGKILL");
      await Promise.all([...programs.map((child) => child.exited), reading]);
      await graph[Symbol.asyncDispose]();
      await pebble[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
