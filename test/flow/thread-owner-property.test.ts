/**
 * Whatever senders, people and we do to a thread, in whatever order it is reported, twice and across crashes: it has the
 * owner of the latest report, no free message goes into a thread of another sender, and no STOP is missed. Messages, thread
 * calls and broadcasts go through the API to a network that looks at each; reports go through the functions that apply
 * callbacks.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findByPhone } from "#src/domain/contacts/find.ts";
import { findConversationOn, listThreads } from "#src/domain/contacts/threads.ts";
import { applyControlPass } from "#src/domain/inbound/control-pass.ts";
import { receive } from "#src/domain/inbound/receive.ts";
import { recordEcho } from "#src/domain/inbound/record-echo.ts";
import { beginThreadCall, settleInterrupted } from "#src/domain/inbound/thread-calls.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { accepted, fakeNetwork } from "#test/support/fake-network.ts";
import { startTestServer } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

/** All of them: `THREAD_RUNS=10000 bun test --timeout 3600000 test/flow/thread-owner-property.test.ts`. */
const RUNS = Number(process.env.THREAD_RUNS ?? 100);
const HOUR_MS = 3_600_000;
/** After this many people the server is started anew on the same files. */
const RESTART_EVERY = 500;

const heard = [
  ...(["writes", "standby", "echo", "passed", "taken", "taken by the agent"] as const),
  ...(["stop to us", "stop to another", "stop passed"] as const),
] as const;
const acts = ["send", "send and take", "send, never take", "template", "take", "release", "broadcast"] as const;
type Act = {
  kind: (typeof heard)[number] | (typeof acts)[number];
  agoMs: number;
  isTwice: boolean;
  isCrashed: boolean;
  /** How the network answers a thread call. */
  answer: "done" | "refused" | "unknown";
};

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(...heard.slice(0, 6), ...heard.slice(0, 6), ...heard, ...acts, ...acts.slice(0, 6)),
  agoMs: fc.constantFrom(0, 1_000, 1_000, 2_000, 60_000, HOUR_MS, 23 * HOUR_MS, 25 * HOUR_MS, 60 * HOUR_MS),
  isTwice: fc.boolean(),
  isCrashed: fc.boolean(),
  answer: fc.constantFrom("done", "done", "refused", "unknown"),
});

interface Report {
  owner: "us" | "other" | "nobody";
  at: number;
  rank: 1 | 2 | 3;
  role?: string | null;
}

class Crash extends Error {}

/** The owner of one thread, by the rule: the latest report by the network's time, and none after 24 hours without a word. */
class Model {
  #last: Report | null = null;
  wroteAt = 0;

  report(next: Report): void {
    const last = this.#last;
    const isLater =
      last === null ||
      next.at > last.at ||
      (next.at === last.at && (next.rank > last.rank || (next.rank === 2 && last.rank === 2)));
    if (!isLater) return;
    const kept = last !== null && last.owner === next.owner ? (last.role ?? null) : null;
    this.#last = { ...next, role: next.role ?? kept };
  }

  ownerAt(now: number): Report["owner"] {
    if (this.#last === null) return "nobody";
    if (this.#last.owner === "nobody") return "nobody";
    return now - this.wroteAt >= 24 * HOUR_MS ? "nobody" : this.#last.owner;
  }

  isAgentsAt(now: number): boolean {
    return this.ownerAt(now) === "other" && this.#last?.role === "ai_agent";
  }
}

test("the latest report owns the thread, free messages stay out of those of others, and every STOP is heard", async () => {
  const network = fakeNetwork();
  /** Of the send that is under way: whether the thread may be taken by it. */
  const state = { intruded: [] as string[], mayIntrude: false, owner: (_: string): Report["owner"] => "nobody" };
  network.always((outbound) => {
    const isFree = outbound.content.type !== "template";
    if (isFree && !state.mayIntrude && state.owner(outbound.to ?? "") === "other")
      state.intruded.push(String(outbound.to));
    return accepted(outbound);
  });
  await using first = await startTestServer({ networks: { simulator: network } });
  let app = first;
  const shop = await app.workspace({});
  await app.template(shop, orderShipped);
  const clock = app.clock;
  const now = () => Math.floor(clock.now() / 1_000) * 1_000;
  const number = (tx: ReadTx) => getNumber(tx, shop.numberId);
  const ours = app.store.read(number);
  const contact = (tx: ReadTx, phone: string) => findByPhone(tx, shop.id, phone as never);
  const threads = (phone: string) =>
    app.store.read((tx) => {
      const found = contact(tx, phone);
      return found === undefined ? [] : listThreads(tx, found);
    });
  const call = (method: string, path: string, body: object) =>
    app.call(method, `/api/v1${path}`, { key: shop.key, body });
  /** A crash before the commit leaves everything as it was; the network then reports again. */
  const apply = async (phone: string, { isTwice, isCrashed }: Act, change: (tx: Tx) => unknown) => {
    const before = threads(phone);
    if (isCrashed) {
      const crashed = app.store.write((tx) => {
        change(tx);
        throw new Crash();
      });
      await expect(crashed).rejects.toThrow(Crash);
      expect(threads(phone)).toEqual(before);
    }
    for (const _ of isTwice ? [1, 2] : [1]) {
      await app.store.write((tx) => {
        change(tx);
      });
    }
  };
  // From the first report on, the number is shared.
  await app.store.write((tx) => recordEcho(tx, number(tx), echoOf(ours, "447700900000", "first", now())));
  let count = 0;
  const shown: string[] = [];
  /** Rows that move to an index pause by the clock between their steps. */
  const stop = async () => {
    let isStopped = false;
    const stopped = app.stop().then(() => {
      isStopped = true;
    });
    while (!isStopped) await clock.advance(10);
    await stopped;
  };
  const restart = async () => {
    const { directory } = app;
    const before = shown.slice(-RESTART_EVERY).map((phone) => [phone, threads(phone)]);
    await stop();
    app = await startTestServer({ directory, clock, networks: { simulator: network } });
    expect(shown.slice(-RESTART_EVERY).map((phone) => [phone, threads(phone)])).toEqual(before);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 10 }), async (run) => {
      count += 1;
      if (count % RESTART_EVERY === 0) await restart();
      const digits = `91980${String(count).padStart(7, "0")}`;
      const phone = `+${digits}`;
      const model = new Model();
      const ownerIs = () => model.ownerAt(clock.now());
      state.owner = (to) => (to === phone ? ownerIs() : "nobody");
      let hasStopped = false;
      for (const [index, one] of run.entries()) {
        // The number's pace and the limit of requests are renewed.
        await clock.advance(1_000);
        const at = now() - one.agoMs;
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
            model.report({ owner: isOurs ? "us" : "other", at, rank: 1 });
            model.wroteAt = Math.max(model.wroteAt, at);
            break;
          }
          case "echo":
            await apply(phone, one, (tx) => recordEcho(tx, number(tx), echoOf(ours, digits, id, at)));
            model.report({ owner: "other", at, rank: 1, role: "phone" });
            // Of a person who never wrote it is the beginning of the conversation.
            if (model.wroteAt === 0) model.wroteAt = at;
            break;
          case "passed":
          case "taken":
          case "taken by the agent":
          case "stop passed": {
            const isOurs = one.kind === "passed" || one.kind === "stop passed";
            const newOwner = isOurs ? "escalation" : one.kind === "taken" ? "app" : "ai_agent";
            const written = one.kind === "stop passed" ? ["STOP"] : [];
            await apply(phone, one, (tx) =>
              applyControlPass(tx, number(tx), { ...passOf(ours, digits, at, isOurs, written), newOwner }),
            );
            model.report({ owner: isOurs ? "us" : "other", at, rank: 3, role: isOurs ? null : newOwner });
            if (isOurs || model.wroteAt === 0) model.wroteAt = Math.max(model.wroteAt, at);
            break;
          }
          case "take":
          case "release": {
            const conversation = app.store.read((tx) => findConversationOn(tx, ours, contact(tx, phone) ?? null));
            if (conversation === undefined) break;
            const before = ownerIs();
            const isSo = (before === "us") === (one.kind === "take");
            const asked = network.threadCalls.length;
            if (one.isCrashed) {
              // The process dies while the network is asked, and the next one starts.
              await app.store.write((tx) => {
                beginThreadCall(tx, conversation, number(tx), { action: one.kind as "take", targetRole: null }, 10_000);
              });
              await app.store.write((tx) => void settleInterrupted(tx));
              expect([index, ownerIs()]).toEqual([index, before]);
              break;
            }
            network.threads(
              one.answer === "refused"
                ? { kind: "refused", code: "2494191", message: "No.", scope: "recipient" }
                : one.answer === "unknown"
                  ? { kind: "unknown", reason: "reset" }
                  : { kind: "done" },
            );
            const { status } = await call("POST", `/conversations/${conversation.id}/thread`, { action: one.kind });
            network.threads({ kind: "done" });
            expect(network.threadCalls.length - asked).toBe(isSo ? 0 : 1);
            expect([index, status]).toEqual([index, isSo || one.answer === "done" ? 200 : 502]);
            if (!isSo && one.answer === "done")
              model.report({ owner: one.kind === "take" ? "us" : "nobody", at: clock.now(), rank: 2 });
            break;
          }
          case "broadcast": {
            const sentTo = () => network.sent.filter(({ to }) => to === phone).length;
            const before = sentTo();
            const { status } = await call("POST", "/broadcasts", { ...shipped(phone), name: "All", to: [phone] });
            expect(status).toBe(202);
            // To one person a broadcast sends at most once in six seconds.
            await clock.advance(8_000);
            expect([index, sentTo() - before]).toEqual([index, hasStopped ? 0 : 1]);
            break;
          }
          default: {
            const take = { "send and take": true, "send, never take": false, send: null, template: null }[one.kind];
            const body = one.kind === "template" ? shipped(phone) : { to: phone, text: "Hello" };
            const owner = ownerIs();
            const isAgents = model.isAgentsAt(clock.now());
            state.mayIntrude = take === true || (take === null && isAgents);
            const asked = network.threadCalls.length;
            const answer = await call("POST", "/messages", take === null ? body : { ...body, take });
            state.mayIntrude = false;
            const code = answer.status === 201 ? "sent" : answer.body.error.code;
            if (hasStopped) expect(code).toBe("opted_out");
            else if (one.kind === "template") expect(code).toBe("sent");
            else if (owner === "other" && take !== true && !(isAgents && take !== false))
              expect(code).toBe("thread_owned_elsewhere");
            else expect(["sent", "window_closed"]).toContain(code);
            // An opted-out person's thread is not taken, nor one into which nothing can be sent.
            const isAsked = code === "sent" && owner === "other" && take === true && !isAgents;
            expect([index, network.threadCalls.length - asked]).toEqual([index, isAsked ? 1 : 0]);
            if (owner === "other" && code === "sent" && one.kind !== "template")
              model.report({ owner: "us", at: clock.now(), rank: 2 });
          }
        }
        expect(state.intruded).toEqual([]);
        const all = threads(phone);
        expect(all.length).toBeLessThanOrEqual(1);
        if (all[0] !== undefined) expect([index, all[0].owner]).toEqual([index, ownerIs()]);
      }
      if (hasStopped) expect(app.store.read((tx) => contact(tx, phone)?.consent)).toBe("opted_out");
      shown.push(phone);
    }),
    { numRuns: RUNS },
  );
  await restart();
  await stop();
  await app[Symbol.asyncDispose]();
}, 3_600_000);

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
    ...{ previousOwner: null, isOurs, written, writtenAt: null, at },
  };
}
