/**
 * Outages in the middle of a broadcast over the real connector and real sockets, with the clock moved: 10 seconds, 2 and
 * 20 minutes of HTML under a 502, refused connections, a black hole, and answers that take 30 seconds. Everybody gets
 * exactly one message or is honestly in doubt, and the broadcast resumes without a person.
 */

import { expect, test } from "bun:test";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { E164 } from "#src/core/phone.ts";
import { changeConsent } from "#src/domain/contacts/change-consent.ts";
import { createContact } from "#src/domain/contacts/create.ts";
import { createGroup } from "#src/domain/groups/create.ts";
import { addMember } from "#src/domain/groups/membership.ts";
import { portfolios } from "#src/domain/numbers/table.ts";
import { updateNumber } from "#src/domain/numbers/update.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { isLong } from "#test/support/long-form.ts";
import { startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

/** The long form plays every outage of every length. */
const PEOPLE = isLong ? 10_000 : 120;
const THROUGHPUT = 80;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const LIMIT_MS = 60_000 + PEOPLE * 60;

type Outage = "html_502" | "refused" | "black_hole" | "slow";

/** A door before the fake Cloud API, which can be shut in several ways. */
class Door {
  readonly #target: string;
  readonly #server: Server;
  /** Unanswered requests, until the outage is over. */
  readonly #open = new Set<ServerResponse>();
  mode: Outage | null = null;
  url = "";

  constructor(target: string) {
    this.#target = target;
    this.#server = createServer((...exchange) => void this.#serve(...exchange));
  }

  async start(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    const address = this.#server.address();
    if (typeof address === "object" && address !== null) this.url = `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async shut(mode: Outage): Promise<void> {
    this.mode = mode;
    if (mode === "refused") await this.stop();
  }

  async reopen(): Promise<void> {
    const wasRefusing = this.mode === "refused";
    this.mode = null;
    for (const response of this.#open) response.destroy();
    this.#open.clear();
    if (wasRefusing) await this.start(Number(new URL(this.url).port));
  }

  async #serve(request: Parameters<RequestListener>[0], response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (this.mode === "html_502") {
      response.writeHead(502, { "content-type": "text/html" }).end("<html><h1>Bad Gateway</h1></html>");
      return;
    }
    if (this.mode === "black_hole") {
      this.#open.add(response);
      return;
    }
    const headers = new Headers();
    for (const name of ["authorization", "content-type"]) {
      const value = request.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const isPost = request.method === "POST";
    const forwarded = await fetch(`${this.#target}${request.url}`, {
      method: request.method ?? "GET",
      headers,
      // A kept connection may be closed just when it is used, which is no outage of the network.
      keepalive: false,
      ...(isPost ? { body: Buffer.concat(parts) } : {}),
    });
    const body = await forwarded.text();
    // Taken by the network, and answered after the sender's time limit.
    if (this.mode === "slow") this.#open.add(response);
    else response.writeHead(forwarded.status, { "content-type": "application/json" }).end(body);
  }
}

interface Result {
  status: string;
  arrived: number;
  twice: number;
  inDoubt: number;
  neither: number;
}

async function run(world: WhatsappWorld, door: Door, outage: Outage, ms: number): Promise<Result> {
  const { app, graph, workspace, clock } = world;
  const number = world.number();
  await app.store.write((tx) => void updateNumber(tx, number, { throughput: THROUGHPUT, apiUrl: door.url }));
  await clock.advance(2 * SECOND);
  const to = Array.from({ length: PEOPLE }, (_, index) => `+49151${String(10_000_000 + index)}`);
  const body = { name: "News", template: "greeting", variables: ["Anna"], ...(await audience(world, to)) };
  const created = await app.send("POST", "/api/v1/broadcasts", { key: workspace.key, body });
  expect(created.status).toBe(202);
  while (graph.requests.length < PEOPLE / 3) await clock.advance(200);
  await door.shut(outage);
  await advance(world, ms);
  await door.reopen();
  // Two probes, a pause of at most a minute, the wait for echoes, and the rest of the list.
  const path = `/api/v1/broadcasts/${created.body.data.id}`;
  const limit = clock.now() + 25 * MINUTE + (PEOPLE / THROUGHPUT) * SECOND;
  let status = "running";
  while (status !== "completed" && clock.now() < limit) {
    await advance(world, 30 * SECOND);
    status = (await app.send("GET", path, { key: workspace.key })).body.data.status;
  }
  const counts = new Map<string, number>();
  for (const { to: one } of graph.accepted) counts.set(one ?? "", (counts.get(one ?? "") ?? 0) + 1);
  const rows = app.store.client
    .prepare("SELECT to_phone AS phone, status, outcome_unknown AS inDoubt FROM messages WHERE broadcast_id = ?")
    .all(created.body.data.id) as { phone: string; status: string; inDoubt: number }[];
  const doubtful = rows.filter(({ inDoubt }) => inDoubt === 1);
  const sent = rows.filter(({ status: one }) => one === "sent");
  for (const { phone } of sent) expect([phone, counts.get(phone)]).toEqual([phone, 1]);
  return {
    status,
    arrived: sent.length,
    twice: [...counts.values()].filter((count) => count > 1).length,
    inDoubt: doubtful.length,
    neither: PEOPLE - sent.length - doubtful.length,
  };
}

const TO_MAX = 1_000;

/** A list, or a group of more people than a list may have. */
async function audience({ app, workspace }: WhatsappWorld, to: readonly string[]): Promise<object> {
  if (to.length <= TO_MAX) return { to };
  const group = await app.store.write((tx) => {
    const { id: groupId } = createGroup(tx, workspace.id, { name: "All", checkedFilter: null });
    for (const phone of to) {
      const contact = createContact(tx, workspace.id, { phone: phone as E164 });
      changeConsent(
        tx,
        getWorkspace(tx, workspace.id),
        contact,
        { kind: "opt_in" },
        { source: "import", evidence: {} },
      );
      addMember(tx, groupId, contact.id);
    }
    return groupId;
  });
  return { group };
}

/** In small steps, so that requests are answered between them. */
async function advance({ clock }: WhatsappWorld, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += SECOND) await clock.advance(Math.min(SECOND, ms - passed));
}

/** At full pace until the first failures are recorded, or for a second of silence; then one at a time, twice at most. */
const IN_DOUBT_MAX = 2 * THROUGHPUT + 3 * 12;

const lengths: readonly [string, number][] = [
  ["10 seconds", 10 * SECOND],
  ["2 minutes", 2 * MINUTE],
  ["20 minutes", 20 * MINUTE],
];

const short: Readonly<Record<Outage, string>> = {
  html_502: "2 minutes",
  refused: "20 minutes",
  black_hole: "2 minutes",
  slow: "10 seconds",
};

/** The network's limit of people is not what is tested here. */
async function removeLimit({ app, account }: WhatsappWorld): Promise<void> {
  for (const number of account.numbers) number.whatsapp_business_manager_messaging_limit = "TIER_UNLIMITED";
  await app.store.write((tx) => tx.db.update(portfolios).set({ personLimit: null }).run());
}

for (const outage of ["html_502", "refused", "black_hole", "slow"] as const) {
  for (const [name, ms] of lengths.filter(([one]) => isLong || one === short[outage])) {
    test(
      `an outage of ${name} (${outage}) leaves everybody with one message or in doubt, and the broadcast resumes automatically`,
      async () => {
        await using world = await startWhatsapp();
        await removeLimit(world);
        const door = new Door(world.graph.url);
        await door.start();
        try {
          const result = await run(world, door, outage, ms);
          if (isLong) console.log(outage, name, JSON.stringify(result));
          expect(result).toMatchObject({ status: "completed", twice: 0, neither: 0 });
          if (outage === "refused") expect(result.inDoubt).toBe(0);
          else expect(result.inDoubt).toBeLessThanOrEqual(IN_DOUBT_MAX);
        } finally {
          await door.stop();
        }
      },
      LIMIT_MS,
    );
  }
}
