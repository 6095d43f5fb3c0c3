/**
 * What each of Meta's error codes must lead to, written before the code that does it: for a single message and for a
 * broadcast, whether the code comes in the answer or later in a failed status. `test/broadcasts/error-codes.test.ts`
 * plays every row, and `failures-everywhere.test.ts` what each does to other broadcasts of the number.
 */
import type { OutboundMessage } from "#src/networks/network.ts";
import { classify, graphErrorOf } from "#src/networks/whatsapp/errors.ts";
import { networkIdOf } from "./fake-network.ts";
import { isLong } from "./long-form.ts";
import { type ReportedStatus, reportStatus } from "./report.ts";
import type { TestServer, TestWorkspace } from "./server.ts";

/** Every code instead of one of each kind. */
export const isFull = isLong || process.env.ERROR_CODES_FULL === "1";

export const DETAILS = "What the network says of it";

const errorOf = (code: number) => ({ code, message: `(#${code}) A title`, error_data: { details: DETAILS } });

/** The outcome that the connector makes of the code. */
export function answerOf(code: number) {
  const error = graphErrorOf(errorOf(code));
  if (error === null) throw new Error("unreadable");
  return classify(error, 400, new Headers(), 0);
}

/** The network fails these messages with the code, by status. */
export async function reportFailed(
  { app, shop }: { app: TestServer; shop: TestWorkspace },
  outbounds: readonly OutboundMessage[],
  code: number,
): Promise<void> {
  if (outbounds.length === 0) return;
  const statuses = outbounds.map(
    (outbound): ReportedStatus => ({
      id: networkIdOf(outbound),
      status: "failed",
      sendToken: outbound.sendToken,
      code,
      details: DETAILS,
    }),
  );
  await reportStatus(app, shop, ...statuses);
}

/** What becomes of a broadcast in which every message meets the code. */
export interface BroadcastEnd {
  status: "completed" | "paused" | "failed";
  /** Why it is paused; null if it is not. */
  cause: string | null;
  /** The most messages that may leave; "all": everybody is sent to. */
  sends: number | "all";
  /** Recipients that failed: none, all that were sent to, or all that are in doubt. */
  failed: "none" | "sent" | "in_doubt";
}

export interface CodeClass {
  answer: BroadcastEnd;
  status: BroadcastEnd;
  /** The answer to `POST /messages`: HTTP status and `error.code`. */
  single: readonly [number, string];
  /** Resumes without a person, this many minutes after the network is well again (or after the time that it named). */
  resumesAfterMinutes: number | null;
  /** What is not ready, or not sendable, after a recipient of a list met it: for every other message. Absent: nothing. */
  stops?: "number" | "template" | "template_for_good";
  /** Also after a single message met it. */
  stopsBySingle?: true;
}

/**
 * At 80 messages a second and with answers at once, the bucket holds eight tokens: one claim may have left before the
 * first answer is recorded, and another beside it.
 */
const IN_FLIGHT = 24;
/** Statuses come 200 ms after the answer in these tests: 16 messages at 80 a second, and those in flight. */
const UNTIL_REPORTED = 16 + IN_FLIGHT;
/** Five consecutive ones at full pace, with what is in flight then; ten more one by one. */
const SICK = 5 + IN_FLIGHT + 10;

const refusedSingle = [502, "whatsapp_error"] as const;
const each: BroadcastEnd = { status: "completed", cause: null, sends: "all", failed: "sent" };
const stops = (cause: string, sends: number, failed: BroadcastEnd["failed"]): BroadcastEnd => ({
  status: "paused",
  cause,
  sends,
  failed,
});
const sick = {
  answer: stops("network", SICK, "none"),
  status: stops("network", SICK + UNTIL_REPORTED, "sent"),
};
/** Two good answers, a minute apart. */
const PROBES_MINUTES = 3;

export const classes = {
  person: { answer: each, status: each, single: refusedSingle, resumesAfterMinutes: null },
  not_on_network: { answer: each, status: each, single: [422, "invalid_number"], resumesAfterMinutes: null },
  window: { answer: each, status: each, single: [422, "window_closed"], resumesAfterMinutes: null },
  /** Twenty consecutive people. */
  message: {
    answer: stops("breaker", 20 + IN_FLIGHT, "sent"),
    status: stops("breaker", 20 + UNTIL_REPORTED, "sent"),
    single: refusedSingle,
    resumesAfterMinutes: null,
  },
  template: {
    answer: stops("template", IN_FLIGHT, "none"),
    status: stops("template", UNTIL_REPORTED, "sent"),
    single: refusedSingle,
    resumesAfterMinutes: null,
    stops: "template",
  },
  template_unknown: {
    answer: stops("template", IN_FLIGHT, "none"),
    status: stops("template", UNTIL_REPORTED, "sent"),
    single: [422, "template_not_found"],
    resumesAfterMinutes: null,
    stops: "template",
  },
  template_gone: {
    answer: { status: "failed", cause: null, sends: IN_FLIGHT, failed: "none" },
    status: { status: "failed", cause: null, sends: UNTIL_REPORTED, failed: "sent" },
    single: refusedSingle,
    resumesAfterMinutes: null,
    stops: "template_for_good",
  },
  /** 134101: ready in ten minutes. */
  template_soon: {
    answer: stops("wait", IN_FLIGHT, "none"),
    status: stops("wait", UNTIL_REPORTED, "sent"),
    single: refusedSingle,
    resumesAfterMinutes: 11,
  },
  number: {
    answer: stops("account", IN_FLIGHT, "none"),
    status: stops("account", UNTIL_REPORTED, "sent"),
    single: refusedSingle,
    resumesAfterMinutes: null,
    stops: "number",
  },
  number_unready: {
    answer: stops("number", IN_FLIGHT, "none"),
    status: stops("number", UNTIL_REPORTED, "sent"),
    single: refusedSingle,
    resumesAfterMinutes: null,
    stops: "number",
    stopsBySingle: true,
  },
  /** 2494100: maintenance of minutes. */
  number_soon: {
    answer: stops("wait", IN_FLIGHT, "none"),
    status: stops("wait", UNTIL_REPORTED, "sent"),
    single: refusedSingle,
    resumesAfterMinutes: 6,
  },
  account: {
    answer: stops("account", IN_FLIGHT, "none"),
    status: stops("account", UNTIL_REPORTED, "sent"),
    single: refusedSingle,
    resumesAfterMinutes: null,
    stops: "number",
  },
  /** Others of the number may be accepted: its kind, its endpoint, its category. */
  kind: {
    answer: stops("account", IN_FLIGHT, "none"),
    status: stops("account", UNTIL_REPORTED, "sent"),
    single: refusedSingle,
    resumesAfterMinutes: null,
  },
  network: { ...sick, single: refusedSingle, resumesAfterMinutes: PROBES_MINUTES },
  /** Codes that the table does not have: ten consecutive people. */
  unlisted: {
    answer: stops("breaker", 10 + IN_FLIGHT, "sent"),
    status: stops("breaker", 10 + UNTIL_REPORTED, "sent"),
    single: refusedSingle,
    resumesAfterMinutes: null,
  },
  /** Slower and slower, for 15 minutes, and no recipient is lost. As a status nothing can be repeated: the network is sick. */
  throttled: {
    answer: stops("throttled", 1_100, "none"),
    status: sick.status,
    single: [429, "rate_limited"],
    resumesAfterMinutes: null,
  },
  /** Each person waits alone, for half an hour. */
  pair: { answer: each, status: each, single: [429, "rate_limited"], resumesAfterMinutes: null },
  /** The message may have been sent before: no recipient is sent to twice, all are in doubt. */
  doubtful: {
    answer: stops("network", SICK, "in_doubt"),
    status: sick.status,
    single: refusedSingle,
    resumesAfterMinutes: PROBES_MINUTES,
  },
} as const satisfies Record<string, CodeClass>;

export type CodeClassName = keyof typeof classes;

/** Meta's list of error codes as far as it is public, and codes seen in answers and statuses. */
export const codes: Readonly<Record<CodeClassName, readonly number[]>> = {
  person: [130403, 130472, 131021, 131043, 131049, 131050, 131060, 137000, 138001, 138006, 2494191],
  not_on_network: [1013, 1026, 131026, 131062],
  window: [131047],
  message: [
    100, 130497, 139200, 131001, 131002, 131008, 131009, 131014, 131020, 131030, 131041, 131051, 131052, 131053, 132000,
    132005, 132008, 132012, 132018,
  ],
  template: [
    131058, 132007, 132013, 132015, 132068, 132069, 134100, 134102, 2388019, 2388040, 2388047, 2388072, 2388073,
    2388293, 2388299,
  ],
  template_unknown: [132001],
  template_gone: [132016],
  template_soon: [134101],
  number: [33, 803, 131006, 131048, 133000, 133001, 133002, 133003, 133005, 133006, 133008, 133009, 133015, 136025],
  number_unready: [131037, 131045, 133010],
  number_soon: [2494100],
  account: [0, 3, 5, 10, 102, 104, 190, 200, 250, 299, 368, 459, 463, 464, 467, 2635, 131005, 131031, 131042, 133007],
  kind: [131044, 131055, 131063, 131064, 134011, 138000, 2593107, 2593108],
  network: [1, 131000, 131036, 131059, 131061, 135000],
  unlisted: [139999, 424242],
  throttled: [2, 4, 17, 32, 341, 613, 80007, 80008, 80014, 130429, 131016, 131057, 133004, 133016],
  pair: [131056],
  doubtful: [506],
};
