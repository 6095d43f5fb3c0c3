/**
 * The network outside: it sees the requests that arrive, checks each send at that moment, answers early, late or never,
 * and reports statuses later: twice, in another order, long after. It outlives every process, as the real one does.
 */

import { NETWORK_RETRIES_MAX } from "#src/domain/messages/failure.ts";
import { textOf } from "#src/domain/messages/kinds/kinds.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { SendPath } from "#src/domain/messages/send-path.ts";
import type { DoneOutcome, OutboundMessage, Network as Port } from "#src/networks/network.ts";
import { inboundCallback, statusCallback } from "#src/networks/simulator/callback.ts";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";
import {
  type AnswerKind,
  isNetworkRefusal,
  isProofOfNothing,
  isTrouble,
  outcomeOf,
  type Weather,
  weathers,
} from "./answers.ts";
import type { Life } from "./process.ts";
import type { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

/** One request as it arrived. */
interface Arrived {
  token: string;
  celebrant: string;
  to: string;
  /** Null: no answer has reached the process that sent the request. */
  told: Outcome | null;
  path: SendPath;
  sendToken: string;
}

export interface Row {
  id: number;
  status: string;
  broadcastId: number | null;
  isBirthday: boolean;
  /** The condition that forbade it in the transaction that dispatched it; null: none did. */
  fault: string | null;
}

export interface NetworkOptions {
  scheduler: Scheduler;
  random: SeededRandom;
  /** The row on disk with this send token. */
  rowOf(reference: string): Row | null;
  /** The thread call about this person that has no answer on disk. */
  threadCallOf(phone: string): number | null;
  complain(what: string): void;
  note(what: string): void;
  /** Called at each send, before and after it counts as arrived: a moment to crash. */
  atDispatch(moment: "before" | "after"): void;
  /** Delivers a callback body; it is repeated until the server has said that it is stored. */
  callBack(body: string, onStored: () => void): void;
  /** The phone of a contact with whom this one may be confused. */
  anotherThan(phone: string): string;
}

type FromNumber = Parameters<typeof inboundCallback>[0];
type Status = "sent" | "delivered" | "read" | "failed";

const HOUR = 3_600_000;
const NETWORK_CODE = "131000";

export class OutsideNetwork {
  weather: Weather = "fair";
  /** How many requests have arrived. */
  count = 0;
  /** How many answers and statuses were about the network itself. */
  troubles = 0;
  /** Every accepted message, for statuses that a scenario sends on its own. */
  readonly taken: { reference: string; to: string; outbound: OutboundMessage }[] = [];
  readonly #options: NetworkOptions;
  /** By the token of a wish, the time before which nothing of it may arrive. */
  readonly #notBefore = new Map<string, number>();
  /** Tokens of wishes that their callers were told are cancelled. */
  readonly #forbidden = new Set<string>();
  /** Ids of the thread calls that have arrived. */
  readonly #controlled = new Set<number>();
  readonly #arrived = new Map<string, Arrived[]>();
  readonly #isOnly: (weather: Weather) => boolean;

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.#isOnly = (weather) => this.weather === weather;
  }

  connect(life: Life): Port {
    return {
      name: "simulator",
      parse: parseCallback,
      isReachable: async () => !this.#isOnly("away"),
      probe: async () => !this.#isOnly("away") && !this.#isOnly("silent"),
      controlThread: (_, control, timeoutMs) => this.#control(life, control.to ?? "", timeoutMs),
      send: (outbound, timeoutMs, onAnswer) => this.#take(life, outbound, timeoutMs, onAnswer),
    };
  }

  /** A request about who owns a thread: on disk before it arrives, and once. */
  #control(life: Life, to: string, timeoutMs: number): Promise<DoneOutcome> {
    const { scheduler, random, note, atDispatch, threadCallOf, complain } = this.#options;
    return new Promise((resolve) => {
      if (!life.isDead) atDispatch("before");
      if (life.isDead) return;
      const id = threadCallOf(to);
      if (id === null || this.#controlled.has(id)) complain(`a thread call about ${to} is not on disk, or came twice`);
      else this.#controlled.add(id);
      const outcome = random.weighted<DoneOutcome>([
        [6, { kind: "done" }],
        [2, { kind: "refused", code: "2494191", message: "Not the escalation partner.", scope: "recipient" }],
        [1, { kind: "unknown", reason: "no answer" }],
        [1, { kind: "unreachable", reason: "no route" }],
      ]);
      note(`thread call ${id} about ${to}: ${outcome.kind}`);
      scheduler.later(outcome.kind === "unknown" ? timeoutMs : random.between(1, 900), () => {
        if (!life.isDead) resolve(outcome);
      });
      atDispatch("after");
    });
  }

  #take(
    life: Life,
    outbound: OutboundMessage,
    timeoutMs: number,
    onAnswer: Parameters<Port["send"]>[2],
  ): Promise<Outcome> {
    const { scheduler, random, note, atDispatch } = this.#options;
    return new Promise((resolve) => {
      if (!life.isDead) atDispatch("before");
      if (life.isDead) return;
      this.count += 1;
      const arrived = this.#check(outbound);
      const kind = this.#answerTo(outbound);
      note(`dispatch ${outbound.sendToken} to ${outbound.to} (${arrived.token}): ${kind}`);
      const outcome = this.#outcome(kind, outbound);
      const isTaken = outcome.kind === "accepted" || (outcome.kind === "unknown" && random.chance(0.5));
      if (isTaken) this.#reportLater(outbound);
      const delayMs = kind === "lost" ? timeoutMs : this.#latency(timeoutMs);
      const isLate = delayMs >= timeoutMs && kind !== "lost";
      scheduler.later(Math.min(delayMs, timeoutMs), () => {
        if (life.isDead) return;
        // An answer after the time limit is not heard: the port itself returns an unknown outcome.
        arrived.told = isLate ? { kind: "unknown", reason: "no answer in time" } : outcome;
        note(`answer ${outbound.sendToken}: ${arrived.told.kind}`);
        if (isTrouble(arrived.told)) this.troubles += 1;
        if (arrived.told.kind === "accepted") onAnswer?.({ httpStatus: 200, body: outbound.sendToken, at: null });
        resolve(arrived.told);
      });
      atDispatch("after");
    });
  }

  /** The endpoint for marketing calls some messages not its own, in any weather. */
  #answerTo({ path }: OutboundMessage): AnswerKind {
    const { random } = this.#options;
    return path === "marketing" && random.chance(0.2) ? "wrong_path" : random.weighted(weathers[this.weather]);
  }

  #latency(timeoutMs: number): number {
    const { random } = this.#options;
    return random.weighted([
      [60, random.between(1, 40)],
      [25, random.between(40, 900)],
      [10, random.between(900, 9_000)],
      [1, timeoutMs],
    ]);
  }

  #outcome(kind: AnswerKind, outbound: OutboundMessage): Outcome {
    const { random, anotherThan } = this.#options;
    const to = kind === "accepted_as_another" ? anotherThan(outbound.to ?? "") : (outbound.to ?? "");
    const retryAfterMs = random.weighted([
      [3, null],
      [1, 200],
      [1, 3_000],
      [1, 60_000],
    ]);
    return outcomeOf(kind, idOf(outbound), to.slice(1), retryAfterMs);
  }

  /** Checks everything that must be true at this moment, as seen from outside and from the disk. */
  #check(outbound: OutboundMessage): Arrived {
    const { rowOf, complain } = this.#options;
    const to = outbound.to ?? "";
    const [token, celebrant] = tokenOf(outbound);
    const fault = (what: string): void => complain(`${what}: ${token} to ${to} as ${outbound.sendToken}`);
    const row = rowOf(outbound.sendToken);
    if (row === null) fault("sent before it was on disk");
    else if (row.status !== "sending") fault(`sent although its row says ${row.status}`);
    else if (row.fault !== null) fault(`sent although ${row.fault}`);
    if (this.#options.scheduler.now() < (this.#notBefore.get(token) ?? 0)) fault("sent before its time");
    if (this.#forbidden.has(token)) fault("sent although it was cancelled");
    const { path = "general", sendToken } = outbound;
    const about = { token, celebrant: row?.isBirthday === true ? celebrant : "", to };
    const arrived: Arrived = { ...about, told: null, path, sendToken };
    const same = this.#arrived.get(token) ?? [];
    const wrong = wrongPathOf(outbound, same);
    if (wrong !== null) fault(wrong);
    this.#arrived.set(token, same);
    const theirs = same.filter((other) => other.to === to && other.celebrant === arrived.celebrant);
    const refusals = theirs.filter((other) => isNetworkRefusal(other.told)).length;
    if (refusals > NETWORK_RETRIES_MAX) fault(`sent although the network refused it ${refusals} times`);
    for (const other of same) {
      if (other.told !== null && isProofOfNothing(other.told)) continue;
      if (other.to === to && other.celebrant === arrived.celebrant) fault("a second message to the same person");
    }
    same.push(arrived);
    return arrived;
  }

  /** From now on, a message with this token may not arrive before `at`. */
  notBefore(token: string, at: number): void {
    this.#notBefore.set(token, at);
  }

  /** The caller was told that the message will not be sent. */
  forbid(token: string): void {
    if (this.mayHave(token)) this.#options.complain(`${token} was cancelled, and may have been sent`);
    this.#forbidden.add(token);
  }

  /** Whether the network may have a message with this token. */
  mayHave(token: string): boolean {
    return (this.#arrived.get(token) ?? []).some(({ told }) => told === null || !isProofOfNothing(told));
  }

  #reportLater(outbound: OutboundMessage): void {
    const { random } = this.#options;
    this.taken.push({ reference: outbound.sendToken, to: outbound.to ?? "", outbound });
    const course = random.weighted<Status[]>([
      [40, ["sent", "delivered", "read"]],
      [25, ["sent", "delivered"]],
      [10, ["delivered"]],
      [10, ["sent"]],
      [8, ["sent", "failed"]],
      [7, []],
    ]);
    const statuses = random.chance(0.2) ? course.toReversed() : course;
    let delayMs = random.weighted([
      [10, random.between(0, 30)],
      [60, random.between(30, 3_000)],
      [10, random.between(3_000, 120_000)],
      [5, random.between(HOUR, 20 * HOUR)],
    ]);
    for (const status of statuses) {
      const times = random.chance(0.15) ? 2 : 1;
      for (let i = 0; i < times; i++) this.report(outbound, status, delayMs + random.below(20));
      delayMs += random.below(2_000);
    }
  }

  /** Reports one status after a delay. */
  report(outbound: OutboundMessage, status: Status, delayMs: number): void {
    const { scheduler, random, callBack } = this.#options;
    const hasReference = random.chance(0.85);
    scheduler.later(delayMs, () => {
      const code = random.pick(["131026", "131026", "131049", "132012", NETWORK_CODE, "131042", "132015", "139999"]);
      if (status === "failed" && code === NETWORK_CODE) this.troubles += 1;
      const body = statusCallback(outbound.sender, {
        networkMessageId: idOf(outbound),
        sendToken: outbound.sendToken,
        status,
        at: scheduler.now(),
        to: outbound.to ?? "",
        error: status === "failed" ? { code, title: "failed" } : null,
      });
      callBack(hasReference ? body : body.replace(/,"biz_opaque_callback_data":"[^"]*"/, ""), () => undefined);
    });
  }

  /** Another sender on the number does something. */
  tell(body: string): void {
    this.#options.callBack(body, () => undefined);
  }

  /** A contact writes to the number. */
  write(
    number: FromNumber,
    written: { from: string; text: string; id: string; at: number },
    onStored: () => void,
  ): void {
    const { id, ...rest } = written;
    this.#options.callBack(inboundCallback(number, { networkMessageId: id, ...rest }), onStored);
  }
}

/** Marketing goes to its own endpoint until that says, in an answer that was heard, that the message is not its own. */
function wrongPathOf({ content, path = "general", sendToken }: OutboundMessage, before: Arrived[]): string | null {
  const isRedirected = before.some(
    (one) => one.sendToken === sendToken && one.told?.kind === "refused" && one.told.isWrongPath === true,
  );
  const isMarketing = content.type === "template" && content.name === "summer_sale";
  const due: SendPath = isMarketing && !isRedirected ? "marketing" : "general";
  return path === due ? null : `sent to the ${path} endpoint and not to the ${due} one`;
}

function idOf({ sendToken }: OutboundMessage): string {
  return `wamid.${sendToken}`;
}

/** The scenario's token of the request, which travels in the message, and the name of the celebrant, if any. */
function tokenOf({ content }: OutboundMessage): [string, string] {
  if (content.type !== "template") return [textOf(content), ""];
  return [content.body[0]?.text ?? "", content.body[1]?.text ?? ""];
}
