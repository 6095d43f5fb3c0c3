/**
 * The life of a certificate as the server orders it, and the decision what to do next. Pure: from the rows of a domain and
 * the time to one step. The limits here are below those of Let's Encrypt (five failed checks an hour, five certificates
 * for a name in seven days), whatever happens to the process in between.
 */

/**
 * `ordering`: the intent is on disk, the authority may have the order. `validating`: its address is known, and the
 * authority checks the domain. `finalizing`: the private key is on disk, the request may be with the authority. `valid`:
 * the chain is on disk. `failed`: it ended without one.
 */
export const certificateStates = ["ordering", "validating", "finalizing", "valid", "failed"] as const;
export type CertificateState = (typeof certificateStates)[number];

/** Where each state leads. A row is changed only from a state that this names. */
export const certificateMoves: Readonly<Record<CertificateState, readonly CertificateState[]>> = {
  ordering: ["validating", "failed"],
  validating: ["finalizing", "failed"],
  finalizing: ["valid", "failed"],
  valid: [],
  failed: [],
};

export interface OrderFacts {
  id: number;
  status: CertificateState;
  orderedAt: number;
  /** Of a valid one: from when on it is renewed. */
  renewAt: number | null;
  /** Of a failed one: before this, nothing is ordered. */
  retryAt: number | null;
}

export type NextStep =
  | { kind: "order" }
  | { kind: "continue"; id: number }
  /** The process ended while the order was on its way: its address is lost, so it counts and is given up. */
  | { kind: "interrupted"; id: number }
  | { kind: "wait"; until: number };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
export const ORDERS_PER_HOUR_MAX = 4;
export const CERTIFICATES_PER_WEEK_MAX = 4;
const RETRY_MS = [2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 6 * HOUR_MS];
/** Where the authority was not reached, it has nothing to object to an earlier try. */
const RETRY_UNREACHED_MAX_MS = 30 * MINUTE_MS;
/**
 * What the operator corrects outside of this machine is tried once an hour for a day. Later less often: the authority
 * pauses a name after a thousand failures.
 */
const RETRY_OUTSIDE_MAX_MS = HOUR_MS;
const OUTSIDE_FAILURES_MAX = 27;
const RATE_LIMITED_MIN_MS = HOUR_MS;
const RETRY_AFTER_MAX_MS = 7 * DAY_MS;
const RETRY_JITTER = 0.2;
/** A certificate is renewed when this part of its life is left, or up to a tenth of that earlier. */
const RENEW_LEFT = 1 / 3;
const RENEW_JITTER = 0.1;

/**
 * `orders`: of this domain and authority, the newest first; at least those of the last seven days. `isAtOnce`: the wait
 * after a failure is over, because what failed was corrected; the limits hold.
 */
export function nextStep(orders: readonly OrderFacts[], now: number, isAtOnce = false): NextStep {
  const [newest] = orders;
  if (newest === undefined) return { kind: "order" };
  if (newest.status === "ordering") return { kind: "interrupted", id: newest.id };
  if (newest.status === "validating" || newest.status === "finalizing") return { kind: "continue", id: newest.id };
  const renewAt = orders.find(({ status }) => status === "valid")?.renewAt ?? null;
  const until = Math.max(
    renewAt ?? 0,
    newest.status === "failed" && !isAtOnce ? (newest.retryAt ?? 0) : 0,
    endOfWindow(orders, now, HOUR_MS, ORDERS_PER_HOUR_MAX),
    endOfWindow(
      orders.filter(({ status }) => status === "valid"),
      now,
      7 * DAY_MS,
      CERTIFICATES_PER_WEEK_MAX,
    ),
  );
  return until > now ? { kind: "wait", until } : { kind: "order" };
}

/** When fewer than `max` of the orders are younger than `windowMs`. An order of a clock that was ahead counts as young. */
function endOfWindow(orders: readonly OrderFacts[], now: number, windowMs: number, max: number): number {
  const young = orders.map(({ orderedAt }) => orderedAt + windowMs).filter((end) => end > now);
  return young.toSorted((a, b) => b - a)[max - 1] ?? 0;
}

/** When the next order may be made after a failure; `failures`: consecutive ones, this one included. */
export function retryAt(
  { kind, retryAfterMs, failures }: { kind: FailureKind; retryAfterMs: number | null; failures: number },
  now: number,
  fraction: number,
): number {
  const usual = RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? HOUR_MS;
  const unreached = kind === "unreachable" || kind === "port";
  const usualMax = unreached
    ? RETRY_UNREACHED_MAX_MS
    : isOutside(kind) && failures <= OUTSIDE_FAILURES_MAX
      ? RETRY_OUTSIDE_MAX_MS
      : usual;
  const waitMs = Math.max(
    Math.min(usual, usualMax),
    kind === "limited" ? RATE_LIMITED_MIN_MS : 0,
    Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS),
  );
  return now + Math.round(waitMs * (1 + RETRY_JITTER * fraction));
}

/** Whether DNS, or what is between this machine and the authority, is to be corrected. */
export function isOutside(kind: FailureKind | null): boolean {
  return kind === "dns" || kind === "elsewhere" || kind === "closed";
}

/** When to renew a certificate; `fraction` spreads the renewals of many servers. */
export function renewAt({ startsAt, endsAt }: { startsAt: number; endsAt: number }, fraction: number): number {
  const left = (endsAt - startsAt) * RENEW_LEFT;
  return Math.round(endsAt - left * (1 + RENEW_JITTER * fraction));
}

/** Why an order failed: what the operator has to look at. */
export type FailureKind =
  | "dns"
  | "elsewhere"
  | "closed"
  | "port"
  | "unreachable"
  | "limited"
  | "refused"
  | "interrupted"
  | "slow"
  /** Of this server. */
  | "fault";
