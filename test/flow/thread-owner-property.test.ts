/**
 * Whatever senders, people and we do to a thread, in whatever order it is reported, twice and across crashes: it has the
 * owner of the latest report, no free message goes into a thread of another sender, and no STOP is missed.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { Problem } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findByPhone } from "#src/domain/contacts/find.ts";
import { listThreads } from "#src/domain/contacts/threads.ts";
import { applyControlPass } from "#src/domain/inbound/control-pass.ts";
import { receive } from "#src/domain/inbound/receive.ts";
import { recordEcho } from "#src/domain/inbound/record-echo.ts";
import { reportAction } from "#src/domain/inbound/thread-owner.ts";
import { planSend } from "#src/domain/messages/plan.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { readSendMessage } from "#src/http/bodies/message.ts";
import { startTestServer } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

/** All of them: `THREAD_RUNS=10000 bun test --timeout 1200000 test/flow/thread-owner-property.test.ts`. */
const RUNS = Number(process.env.THREAD_RUNS ?? 200);
const HOUR_MS = 3_600_000;

const heard = ["writes", "standby", "echo", "passed", "taken", "stop to us", "stop to another", "stop passed"] as const;
const sends = ["send", "send and take", "send, never take", "template"] as const;
type Act = {
  kind: (typeof heard)[number] | (typeof sends)[number];
  agoMs: number;
  isTwice: boolean;
  isCrashed: boolean;
};

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(...heard.slice(0, 5), ...heard.slice(0, 5), ...heard, ...sends, ...sends),
  agoMs: fc.constantFrom(0, 1_000, 1_000, 2_000, 60_000, HOUR_MS, 23 * HOUR_MS, 25 * HOUR_MS, 60 * HOUR_MS),
  isTwice: fc.boolean(),
  isCrashed: fc.boolean(),
});

interface Report {
  owner: "us" | "other";
  at: number;
  rank: number;
}

class Crash extends Error {}

test("the latest report owns the thread, free messages stay out of those of others, and every STOP is heard", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace({});
  await app.template(shop, orderShipped);
  const now = Math.floor(app.clock.now() / 1_000) * 1_000;
  const number = (tx: ReadTx) => getNumber(tx, shop.numberId);
  const ours = app.store.read(number);
  const threads = (phone: string) =>
    app.store.read((tx) => {
      const contact = findByPhone(tx, shop.id, phone as never);
      return contact === undefined ? [] : listThreads(tx, contact.id);
    });
  /** A crash before the commit leaves everything as it was; the network then reports again. */
  const apply = async (phone: string, { isTwice, isCrashed }: Act, change: (tx: Tx) => unknown) => {
    const before = threads(phone);
    const crashed = app.store.write((tx) => {
      change(tx);
      throw new Crash();
    });
    if (isCrashed) await expect(crashed).rejects.toThrow(Crash);
    else await crashed.catch(() => undefined);
    expect(threads(phone)).toEqual(before);
    for (const _ of isTwice ? [1, 2] : [1]) {
      await app.store.write((tx) => {
        change(tx);
      });
    }
  };
  // From the first report on, the number is shared.
  await app.store.write((tx) => recordEcho(tx, number(tx), echoOf(ours, "447700900000", "first", now)));
  let count = 0;
  const shown = new Map<string, unknown>();
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 10 }), async (acts) => {
      const digits = `91980${String(++count).padStart(7, "0")}`;
      const phone = `+${digits}`;
      const reports: Report[] = [];
      let wroteAt = 0;
      let hasStopped = false;
      const note = (owner: Report["owner"], at: number, rank: number) => reports.push({ owner, at, rank });
      const ownerIs = () => {
        const latest = reports.reduce<Report | null>(
          (last, one) =>
            last === null || one.at > last.at || (one.at === last.at && one.rank > last.rank) ? one : last,
          null,
        );
        return latest === null || now - wroteAt >= 24 * HOUR_MS ? "nobody" : latest.owner;
      };
      for (const [index, one] of acts.entries()) {
        const at = now - one.agoMs;
        const id = `wamid.${count}-${index}`;
        const said = one.kind.startsWith("stop") ? "STOP" : "Hello";
        if (said === "STOP") hasStopped = true;
        switch (one.kind) {
          case "writes":
          case "standby":
          case "stop to us":
          case "stop to another": {
            const isOurs = one.kind === "writes" || one.kind === "stop to us";
            const origin = isOurs ? {} : ({ origin: "standby" } as const);
            await apply(phone, one, (tx) =>
              receive(tx, number(tx), { ...inboundOf(ours, digits, id, at, said), ...origin }),
            );
            note(isOurs ? "us" : "other", at, 1);
            wroteAt = Math.max(wroteAt, at);
            break;
          }
          case "echo":
            await apply(phone, one, (tx) => recordEcho(tx, number(tx), echoOf(ours, digits, id, at)));
            note("other", at, 1);
            // Of a person who never wrote it is the beginning of the conversation.
            if (wroteAt === 0) wroteAt = at;
            break;
          case "passed":
          case "taken":
          case "stop passed": {
            const isOurs = one.kind !== "taken";
            const isKnown = reports.some((report) => report.rank === 3 && report.at === at);
            const written = one.kind === "stop passed" ? ["STOP"] : [];
            await apply(phone, one, (tx) =>
              applyControlPass(tx, number(tx), passOf(ours, digits, at, isOurs, written)),
            );
            if (!isKnown) note(isOurs ? "us" : "other", at, 3);
            if (isOurs || wroteAt === 0) wroteAt = Math.max(wroteAt, at);
            break;
          }
          default: {
            const take = { "send and take": true, "send, never take": false, send: null, template: null }[one.kind];
            const body = one.kind === "template" ? shipped(phone) : { to: phone, text: "Hello" };
            const input = { ...readSendMessage(body, "UTC"), take };
            const owner = ownerIs();
            const code = await app.store.write((tx) => {
              try {
                const plan = planSend(tx, shop.id, input);
                const contact = findByPhone(tx, shop.id, phone as never);
                // The network accepts it.
                if (plan.takes !== "nothing" && contact !== undefined)
                  reportAction(tx, number(tx), contact.id, { owner: "us", role: null });
                return "sent";
              } catch (error) {
                return error instanceof Problem ? error.code : String(error);
              }
            });
            if (hasStopped) expect(code).toBe("opted_out");
            else if (one.kind === "template") expect(code).toBe("sent");
            else if (owner === "other" && take !== true) expect(code).toBe("thread_owned_elsewhere");
            else expect(["sent", "window_closed"]).toContain(code);
            if (owner === "other" && code === "sent" && one.kind !== "template") note("us", app.clock.now(), 2);
          }
        }
        const thread = threads(phone)[0];
        if (thread !== undefined) expect([index, thread.owner]).toEqual([index, ownerIs()]);
      }
      if (hasStopped) {
        expect(app.store.read((tx) => findByPhone(tx, shop.id, phone as never)?.consent)).toBe("opted_out");
      }
      shown.set(phone, threads(phone));
    }),
    { numRuns: RUNS },
  );
  // A process that starts on the same file sees the same owners.
  const { directory } = app;
  await app.stop();
  await using again = await startTestServer({ directory, clock: app.clock });
  for (const [phone, before] of shown) {
    const contact = again.store.read((tx) => findByPhone(tx, shop.id, phone as never));
    const after = contact === undefined ? [] : again.store.read((tx) => listThreads(tx, contact.id));
    expect(after).toEqual(before as never);
  }
}, 1_200_000);

const WITHOUT = { reply_to: null, reaction: null, edited: null, deleted: null } as never;

function inboundOf({ phoneNumberId }: SendingNumber, from: string, networkMessageId: string, at: number, text: string) {
  return {
    ...({
      kind: "inbound",
      phoneNumberId,
      networkMessageId,
      from,
      fromNetworkUserId: null,
      profileName: null,
    } as const),
    ...{ type: "text", text, command: text, isWritten: true, payload: null, details: {}, networkMediaId: null },
    ...{ references: WITHOUT, at },
  };
}

function echoOf({ phoneNumberId }: SendingNumber, to: string, networkMessageId: string, at: number) {
  return {
    ...({ kind: "echo", phoneNumberId, networkMessageId, to, toNetworkUserId: null, origin: "phone" } as const),
    ...{ type: "text", text: "We are open", details: {}, references: WITHOUT, status: null, at },
  };
}

function passOf({ phoneNumberId }: SendingNumber, from: string, at: number, isOurs: boolean, written: string[]) {
  return {
    ...({ kind: "control_pass", phoneNumberId, from, fromNetworkUserId: null, summary: null } as const),
    ...{ previousOwner: null, newOwner: isOurs ? "escalation" : "app", isOurs, written, writtenAt: null, at },
  };
}
