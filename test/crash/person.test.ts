/**
 * A person's data is handed out, and then the person is forgotten, while the server is killed again and again. Each archive that is
 * offered is whole, and each erasure ends once, with one receipt and the right counts. The short form is part of every test
 * run: 4 kills. The full form kills the executable 20 times:
 *
 *   bun run test:crash person
 *
 * Processes and time are real, so no two runs are the same: a failure prints what it found, not how to repeat it.
 */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import { type MediaLoad, startMediaLoad } from "#test/support/media-load.ts";
import { unzip } from "#test/support/zip.ts";

const kills = roundsOf(20, 4);
/** Of each person: enough for an archive and an erasure of a good part of a second. */
const MESSAGES = 120;
/** More than one slice of an erasure deletes. */
const NOTES = 70;
const KILLED_WITHIN_MS = 400;
const ASKS_EVERY_MS = 20;
const PASSWORD = "a good long password";
const MARK = "Zqxmark";

/** The console of a server that comes and goes. */
class Owner {
  readonly #load: MediaLoad;
  #cookie = "";

  constructor(load: MediaLoad) {
    this.#load = load;
  }

  async fetch(method: string, path: string, body?: object): Promise<Response> {
    const answered = await fetch(`${this.#load.url}/console/api${path}`, {
      method,
      headers: { "sec-fetch-site": "same-origin", "content-type": "application/json", cookie: this.#cookie },
      ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
    });
    this.#cookie ||= answered.headers.get("set-cookie")?.split(";")[0] ?? "";
    return answered;
  }

  async ask<T>(method: string, path: string, body?: object): Promise<T> {
    const answered = await this.fetch(method, path, body);
    const text = await answered.text();
    if (!answered.ok) throw new Error(`${method} ${path}: ${answered.status} ${text}`);
    return (JSON.parse(text) as { data: T }).data;
  }
}

interface Job {
  id: number;
  state: string;
  report: { entries: number; files: number; bytes: number } | null;
  counts: Record<string, number>;
}

async function until(owner: Owner, path: string, holds: (job: Job) => boolean): Promise<Job> {
  for (;;) {
    const job = await owner.ask<Job>("GET", path);
    if (holds(job)) return job;
    await Bun.sleep(ASKS_EVERY_MS);
  }
}

/** A person who sent a file, wrote, and was answered. */
async function live(load: MediaLoad, owner: Owner, phone: string): Promise<void> {
  await load.write(phone);
  await load.settled(30_000);
  const headers = { authorization: `Bearer ${load.key}`, "content-type": "application/json" };
  for (let index = 0; index < MESSAGES; index++) {
    const body = JSON.stringify({ to: `+${phone}`, text: `${MARK} ${index} `.repeat(20) });
    const init = { method: "POST", headers: { ...headers, "idempotency-key": `${phone}-${index}` }, body };
    const answered = await fetch(`${load.url}/api/v1/messages`, init);
    expect([answered.status, await answered.text()]).toEqual([201, expect.anything()]);
  }
  const [thread] = load.rows<{ id: number }>(
    `SELECT id FROM conversations WHERE contact_id = (SELECT id FROM contacts WHERE phone = '+${phone}')`,
  );
  for (let index = 0; index < NOTES; index++)
    await owner.ask("POST", `/w/1/conversations/${thread?.id}/notes`, { text: `${MARK} note ${index}` });
}

/** Returns whether the job was cut off. */
async function killAndStart(load: MediaLoad): Promise<boolean> {
  await Bun.sleep(Math.random() * KILLED_WITHIN_MS);
  await load.kill();
  const open =
    "SELECT id FROM erasures WHERE ended_at IS NULL UNION ALL SELECT id FROM hand_outs WHERE state = 'making'";
  const isCutOff = load.rows(open).length > 0;
  await load.start();
  return isCutOff;
}

function filesWith(load: MediaLoad, mark: string): string[] {
  const data = join(load.directory, "data");
  return readdirSync(data, { recursive: true, encoding: "utf8" })
    .map((name) => join(data, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(mark));
}

test(
  "an archive is whole or not there, and a person who was to be forgotten is, once, whenever the server is killed",
  async () => {
    using waxwing = await program();
    await using load = await startMediaLoad(waxwing.command);
    await load.start();
    const owner = new Owner(load);
    const words = ["user", "create", "--email", "o@example.com", "--role", "owner", "--workspace", "1"];
    const { link } = JSON.parse((await load.command(...words, "--json")).out) as { link: string };
    await owner.ask("POST", "/links/use", { token: link.split("#")[1], password: PASSWORD });
    let cutOff = 0;
    for (let round = 0; round < kills / 2; round++) {
      const phone = `49151120000${String(round).padStart(2, "0")}`;
      await live(load, owner, phone);
      const contact = `/w/1/contacts/%2B${phone}`;

      await owner.ask("POST", `${contact}/hand-out`);
      if (await killAndStart(load)) cutOff += 1;
      const { id, state, report } = await until(owner, `${contact}/hand-out`, (job) => job.state !== "making");
      expect([state, report]).toMatchObject(["ready", { entries: MESSAGES + 1, files: 1 }]);
      const archive = await (await owner.fetch("GET", `/w/1/hand-outs/${id}/file`)).bytes();
      expect(archive).toHaveLength(report?.bytes ?? 0);
      const path = join(load.directory, "archive.zip");
      await Bun.write(path, archive);
      const data = JSON.parse(String((await unzip(path))["data.json"]));
      expect(data.contacts[0].conversation).toHaveLength(MESSAGES + 1);

      const begun = await owner.ask<Job>("POST", `${contact}/forget`, { typed: phone });
      if (await killAndStart(load)) cutOff += 1;
      expect((await owner.fetch("GET", contact)).status).toBe(404);
      const ended = await until(owner, `/w/1/erasures/${begun.id}`, (job) => job.state === "done");
      expect(ended.counts).toMatchObject({ sent: MESSAGES, received: 1, files: 1, notes: NOTES });
      const receipts = load.rows<{ action: string }>(
        `SELECT action FROM audit_log WHERE action IN ('contact.data', 'contact.erase', 'contact.erased') ORDER BY id`,
      );
      // One of each, for each person so far.
      expect(receipts.map(({ action }) => action)).toEqual(
        Array.from({ length: round + 1 }, () => ["contact.data", "contact.erase", "contact.erased"]).flat(),
      );
      expect(load.rows("SELECT id FROM outbox WHERE kind IN ('erase_person', 'hand_out')")).toEqual([]);
    }
    await load.stop();
    expect([...filesWith(load, MARK), ...filesWith(load, "4915112000")]).toEqual([]);
    expect(readdirSync(join(load.directory, "data", "hand-outs"))).toEqual([]);
    expect((await load.command("check")).code).toBe(0);
    if (isFull) console.log(`person: ${kills} kills, of which ${cutOff} cut off an archive or an erasure`);
  },
  60_000 + kills * 30_000,
);
