/**
 * The executable with workspaces of which one puts a load on the server from a process of its own, and another asks for
 * what its users need and measures how long the answers take. Limits are the default ones.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadKeys } from "#src/core/key-file.ts";
import { systemRandom } from "#src/core/random.ts";
import { createSecretBox, type SecretBox } from "#src/core/secret.ts";
import { createPrivateDirectory } from "#src/db/files.ts";
import { migrate } from "#src/db/migrate.ts";
import { openStore } from "#src/db/store.ts";
import { addNumber, type NewNumber, SIMULATOR_ACCOUNT } from "#src/domain/numbers/add.ts";
import { addTemplate, readNewTemplate } from "#src/domain/templates/add.ts";
import { templates } from "#src/domain/templates/table.ts";
import { inviteUser } from "#src/domain/users/invite.ts";
import { createKey } from "#src/domain/workspaces/api-keys.ts";
import { createWorkspace } from "#src/domain/workspaces/update.ts";
import { accessTokenContext } from "#src/networks/credentials.ts";
import { findPort } from "#test/bench/subject.ts";
import { linesOf } from "./database.ts";
import { placeExecutable } from "./executable.ts";
import { GRAPH_ACCOUNT_ID, GRAPH_APP_SECRET, GRAPH_PHONE_NUMBER_ID, GRAPH_TOKEN } from "./graph.ts";
import type { Kind } from "./neighbour-kinds.ts";
import type { Load } from "./neighbour-process.ts";
import { measureWait } from "./processor-wait.ts";

const PASSWORD = "correct horse battery";
/** Together under the limit of 50 requests a second, of the workspace and of the user. */
const PROBE_EVERY_MS = 10;
const ROWS_OF_IMPORT = 20_000;
const NEIGHBOUR_PEOPLE = 200;
/** The side whose people send files. It has a WhatsApp number, the others are with the simulator. */
const RECEIVING = 2;

export interface Latencies {
  count: number;
  medianMs: number;
  p99Ms: number;
  /** The same without the time in which the server's thread, or this one, was ready and had no processor. */
  ownMedianMs: number;
  ownP99Ms: number;
}

export interface Loaded {
  /** Pieces of work completed, and refused by the rate limit. */
  pieces: number;
  /** Files that were downloaded. */
  downloads: number;
  /** Webhook events that its receiver got. */
  events: number;
  refused: number;
  /** Answers that the load did not expect. */
  unexpected: string[];
}

export interface Neighbours extends AsyncDisposable {
  /** The first workspace reads all its contacts, 500 a page, one page after the other. */
  sync(): Promise<{ pages: number; contacts: number; refused: number }>;
  /** Resident memory of the server now, MB. */
  memoryMb(): number;
  /** The other workspace's answers during this time, by request. Throws for a refused one. */
  probe(forMs: number): Promise<Record<string, Latencies>>;
  /** The same beside a load that has begun. */
  probeBeside(kind: Kind, forMs: number): Promise<{ beside: Record<string, Latencies>; loaded: Loaded }>;
}

interface Side {
  workspace: number;
  key: string;
  token: string;
  group: number;
  writer: string;
}

/** `program`: an executable to measure instead of the one of these sources. */
export async function settle(people: number, program?: string): Promise<Neighbours> {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-neighbours-"));
  const executable = program ?? join(directory, "waxwing");
  if (program === undefined) await placeExecutable(executable);
  const [loud, quiet, receiving] = await makeSides(directory, [people, NEIGHBOUR_PEOPLE, 1]);
  if (loud === undefined || quiet === undefined || receiving === undefined) throw new Error("there are three sides");
  const graphPort = findPort();
  const server = Bun.spawn([executable, "serve", "--listen", "127.0.0.1:0"], {
    cwd: directory,
    env: {
      WAXWING_WHATSAPP_GRAPH_URL: `http://127.0.0.1:${graphPort}`,
      WAXWING_WHATSAPP_APP_SECRET: GRAPH_APP_SECRET,
      WAXWING_WEBHOOKS_ALLOW_HTTP: "true",
      WAXWING_WEBHOOKS_ALLOW_PRIVATE: "true",
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const { value: line } = await linesOf(server.stdout).next();
  const url = /^listening on (http:\S+)$/.exec(line ?? "")?.[1];
  if (url === undefined) throw new Error(`the server did not start: ${line}`);
  const cookies = { loud: await signIn(url, loud), quiet: await signIn(url, quiet) };

  async function probe(forMs: number): Promise<Record<string, Latencies>> {
    const own = { authorization: `Bearer ${quiet?.key}`, "content-type": "application/json" };
    const page = { cookie: cookies.quiet, "sec-fetch-site": "same-origin", "content-type": "application/json" };
    const console = `/console/api/w/${quiet?.workspace}`;
    const filter = { field: "name", contains: "Person 1" };
    const requests: Record<string, [string, RequestInit]> = {
      "GET /me": ["/api/v1/me", { headers: own }],
      "POST /messages": [
        "/api/v1/messages",
        { method: "POST", headers: own, body: JSON.stringify({ to: quiet?.writer, text: "Your table is ready." }) },
      ],
      "a page of contacts": [`${console}/contacts?q=Person`, { headers: page }],
      "a count of a group": [
        `${console}/groups/count`,
        { method: "POST", headers: page, body: JSON.stringify({ filter }) },
      ],
    };
    const times: Record<string, Timed[]> = {};
    for (const until = performance.now() + forMs; performance.now() < until; ) {
      for (const [name, [path, init]] of Object.entries(requests)) {
        const [startedAt, waitedMs] = [performance.now(), measureWait(server.pid)];
        const answer = await fetch(url + path, init);
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${name} was answered ${answer.status}: ${text}`);
        const ms = performance.now() - startedAt;
        times[name] = [...(times[name] ?? []), { ms, ownMs: ms - waitedMs() }];
        await Bun.sleep(PROBE_EVERY_MS);
      }
      await Bun.sleep(PROBE_EVERY_MS);
    }
    return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, latenciesOf(values)]));
  }

  return {
    memoryMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1_000,
    async sync() {
      const read = { pages: 0, contacts: 0, refused: 0 };
      for (let after: string | null = ""; after !== null; ) {
        const address = `${url}/api/v1/contacts?per_page=500${after === "" ? "" : `&after=${after}`}`;
        const answer = await fetch(address, { headers: { authorization: `Bearer ${loud.key}` } });
        if (answer.status === 429) read.refused += 1;
        if (answer.status !== 200) throw new Error(`a page was answered ${answer.status}`);
        const { data, meta } = (await answer.json()) as { data: unknown[]; meta: { next: string | null } };
        read.pages += 1;
        read.contacts += data.length;
        after = meta.next;
      }
      return read;
    },
    probe,
    async probeBeside(kind, forMs) {
      const network = { graphPort, mediaKey: receiving.key };
      const load: Load = { ...loud, ...network, kind, url, cookie: cookies.loud, rows: ROWS_OF_IMPORT };
      const child = Bun.spawn([process.execPath, join(import.meta.dir, "neighbour-process.ts"), JSON.stringify(load)], {
        stdin: "ignore",
        stdout: "pipe",
        stderr: "ignore",
      });
      try {
        const lines = linesOf(child.stdout);
        await lines.next();
        const beside = await probe(forMs);
        child.kill("SIGTERM");
        const { value } = await lines.next();
        return { beside, loaded: JSON.parse(String(value)) as Loaded };
      } finally {
        child.kill("SIGKILL");
        await child.exited;
      }
    },
    async [Symbol.asyncDispose]() {
      server.kill("SIGKILL");
      await server.exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

interface Timed {
  ms: number;
  /** `ms` without the time in which the server or this process waited for a processor. */
  ownMs: number;
}

function latenciesOf(values: readonly Timed[]): Latencies {
  const at = (key: keyof Timed, share: number): number => {
    const sorted = values.map((one) => one[key]).toSorted((a, b) => a - b);
    return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  };
  return {
    count: values.length,
    ...{ medianMs: at("ms", 0.5), p99Ms: at("ms", 0.99) },
    ...{ ownMedianMs: at("ownMs", 0.5), ownP99Ms: at("ownMs", 0.99) },
  };
}

async function signIn(url: string, { token }: Side): Promise<string> {
  const answer = await fetch(`${url}/console/api/links/use`, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin", "content-type": "application/json" },
    body: JSON.stringify({ token, password: PASSWORD }),
  });
  if (answer.status !== 201) throw new Error(`the link was answered ${answer.status}: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

function whatsapp(box: SecretBox): NewNumber["route"] {
  const accessToken = box.seal(GRAPH_TOKEN, accessTokenContext(GRAPH_PHONE_NUMBER_ID));
  const ids = { phoneNumberId: GRAPH_PHONE_NUMBER_ID, accountId: GRAPH_ACCOUNT_ID };
  return { network: "whatsapp", ...ids, accessToken, appSecret: null };
}

/** Workspaces with so many contacts who opted in, all of them in a group; the first of them wrote just now. */
async function makeSides(directory: string, sizes: readonly number[]): Promise<Side[]> {
  createPrivateDirectory(join(directory, "data"));
  const keys = loadKeys({ keyFile: join(directory, "data", "waxwing.key"), env: {}, random: systemRandom }, true);
  const box = createSecretBox(keys, systemRandom);
  const store = openStore(join(directory, "data", "waxwing.db"), { busyTimeoutMs: 5_000 });
  migrate(store.client);
  const { client } = store;
  const sides: Side[] = [];
  for (const [place, size] of sizes.entries()) {
    const made = await store.write((tx) => {
      const settings = { country: "IN", timezone: "Asia/Kolkata", dailyCap: null, stopWords: [], startWords: [] };
      const { id } = createWorkspace(tx, { ...settings, name: `Side ${place}` }, true);
      addNumber(tx, id, {
        phone: `+91124400110${place}`,
        name: "Side",
        throughput: 1_000,
        route: place === RECEIVING ? whatsapp(box) : { network: "simulator" },
      });
      const body = { type: "BODY", text: "Hi {{1}}, everything is 20 percent off until Sunday." };
      const template = { name: "offer", language: "en_US", category: "MARKETING", components: [body] };
      addTemplate(tx, id, readNewTemplate(template), "APPROVED");
      tx.db.update(templates).set({ accountId: SIMULATOR_ACCOUNT }).run();
      const { link } = inviteUser(tx, { email: `owner${place}@example.com`, role: "owner", workspaceId: id });
      return { workspace: id, key: createKey(tx, id, "load").key, token: link?.token ?? "" };
    });
    const phone = (index: number): string => `+9198${place}${String(index).padStart(7, "0")}`;
    const now = Date.now();
    client.exec("BEGIN");
    const contact = client.prepare(
      "INSERT INTO contacts (workspace_id, phone, name, first_name, consent, consent_source, consent_at, last_message_at, created_at, updated_at) VALUES (?, ?, ?, ?, 'opted_in', 'import', ?, ?, ?, ?)",
    );
    for (let index = 0; index < size; index++) {
      contact.run(
        made.workspace,
        phone(index),
        `Person ${index}`,
        `Person${index}`,
        now,
        index === 0 ? now : null,
        now,
        now,
      );
    }
    const group = Number(
      client
        .prepare(
          "INSERT INTO groups (workspace_id, name, folded, member_count, created_at) VALUES (?, 'All', 'all', 0, ?)",
        )
        .run(made.workspace, now).lastInsertRowid,
    );
    client
      .prepare("INSERT INTO group_members (group_id, contact_id) SELECT ?, id FROM contacts WHERE workspace_id = ?")
      .run(group, made.workspace);
    client.exec("COMMIT");
    if (place === 0) makeFat(client, made.workspace);
    sides.push({ ...made, group, writer: phone(0) });
  }
  store.checkpoint();
  store.close();
  return sides;
}

/** Together a page of 500 of them is a JSON of 13 MB, as is a page of the events about them. */
const FAT = { contacts: 500, fields: 130, characters: 180 };

/** Contacts that changed last, so that they are the first page of the list; and an event about each. */
function makeFat(client: ReturnType<typeof openStore>["client"], workspace: number): void {
  const now = Date.now() + 1_000;
  client.exec("BEGIN");
  const addField = client.prepare(
    "INSERT INTO custom_fields (workspace_id, key, label, kind, created_at) VALUES (?, ?, ?, 'text', ?)",
  );
  const fields = Array.from({ length: FAT.fields }, (_, index) =>
    Number(addField.run(workspace, `field_${index}`, `Field ${index}`, now).lastInsertRowid),
  );
  const addContact = client.prepare(
    "INSERT INTO contacts (workspace_id, phone, name, consent, created_at, updated_at) VALUES (?, ?, ?, 'unknown', ?, ?)",
  );
  const addValue = client.prepare("INSERT INTO contact_fields (contact_id, field_id, text_value) VALUES (?, ?, ?)");
  const addEvent = client.prepare(
    "INSERT INTO events (id, workspace_id, type, body, created_at) VALUES (?, ?, 'contact.opted_out', ?, ?)",
  );
  const value = "x".repeat(FAT.characters);
  const body = (id: string): string =>
    JSON.stringify({ id, type: "contact.opted_out", data: value.repeat(FAT.fields) });
  for (let index = 0; index < FAT.contacts; index++) {
    const phone = `+9197${String(index).padStart(8, "0")}`;
    const { lastInsertRowid: contact } = addContact.run(workspace, phone, `Fat ${index}`, now, now + index);
    for (const field of fields) addValue.run(contact, field, value);
    addEvent.run(`evt_fat${index}`, workspace, body(`evt_fat${index}`), now);
  }
  client.exec("COMMIT");
}
