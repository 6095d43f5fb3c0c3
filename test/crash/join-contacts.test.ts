/**
 * Two contacts of one person are joined while the server is killed. Whenever that is, either nothing has happened or every
 * name leads to the contact that stays, and after the next start all rows have followed. The short form is part of every test
 * run: 3 kills. The full form kills the executable 15 times:
 *
 *   bun run test:crash join-contacts
 *
 * Processes and time are real, so no two runs are the same: a failure prints what it found, not how to repeat it.
 */
import { expect, test } from "bun:test";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import { startMediaLoad } from "#test/support/media-load.ts";

const kills = roundsOf(15, 3);
/** Enough for some dozen transactions. */
const MESSAGES = 150;
const KILLED_WITHIN_MS = 150;

test(
  "a join is whole after the next start, whenever the server is killed",
  async () => {
    using waxwing = await program();
    await using load = await startMediaLoad(waxwing.command);
    await load.start();
    let cutOff = 0;
    for (let round = 0; round < kills; round++) {
      const [stays, goes] = [`49151130000${10 + round}`, `49151140000${10 + round}`];
      for (const phone of [stays, goes]) await load.write(phone);
      await load.settled(30_000);
      const headers = { authorization: `Bearer ${load.key}`, "content-type": "application/json" };
      const ask = (path: string, body: object): Promise<Response> =>
        fetch(`${load.url}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      for (let index = 0; index < MESSAGES; index++)
        expect((await ask("/messages", { to: `+${goes}`, text: `Hello ${index}` })).status).toBe(201);
      expect((await ask(`/contacts/${goes}/opt-out`, {})).status).toBe(200);
      const [gone] = load.rows<{ id: number }>(`SELECT id FROM contacts WHERE phone = '+${goes}'`);
      const joining = ask(`/contacts/${stays}/join`, { with: goes }).catch(() => null);
      await Bun.sleep(Math.random() * KILLED_WITHIN_MS);
      await load.kill();
      await joining;
      const open = load.rows("SELECT id FROM contact_joins WHERE ended_at IS NULL");
      if (open.length > 0) cutOff += 1;
      await load.start();
      // A join that was not committed is asked for again, as a caller without an answer does.
      const joined = await ask(`/contacts/${stays}/join`, { with: goes });
      expect([200, 400]).toContain(joined.status);
      const isOpen = (): boolean =>
        load.rows(`SELECT id FROM contact_joins WHERE gone_id = ${gone?.id} AND ended_at IS NOT NULL`).length === 0;
      while (isOpen()) await Bun.sleep(20);
      const [kept] = load.rows<{ id: number; consent: string }>(
        `SELECT id, consent FROM contacts WHERE phone = '+${stays}'`,
      );
      expect(kept?.consent).toBe("opted_out");
      const ofPerson = (table: string, id: number | undefined): number =>
        load.rows(`SELECT 1 FROM ${table} WHERE contact_id = ${id}`).length;
      expect(ofPerson("messages", kept?.id)).toBe(MESSAGES);
      expect([ofPerson("inbounds", kept?.id), ofPerson("conversations", kept?.id)]).toEqual([2, 1]);
      for (const table of ["messages", "inbounds", "conversations", "contact_messages", "search_index"])
        expect([table, ofPerson(table, gone?.id)]).toEqual([table, 0]);
      expect(load.rows(`SELECT id FROM contact_joins WHERE gone_id = ${gone?.id}`)).toHaveLength(1);
      expect(load.rows("SELECT id FROM outbox WHERE kind = 'join_contacts'")).toEqual([]);
    }
    await load.stop();
    expect((await load.command("check")).code).toBe(0);
    if (isFull) console.log(`join-contacts: ${kills} kills, of which ${cutOff} cut off a join`);
  },
  60_000 + kills * 30_000,
);
