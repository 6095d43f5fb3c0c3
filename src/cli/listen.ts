/**
 * `waxwing listen`: passes a server's events on to a program on this machine, as its webhooks would arrive. It reads the
 * event log, so the server needs no way to reach this machine.
 */
import { sleep } from "#src/core/clock.ts";
import { plainJson, visible } from "#src/core/shown-text.ts";
import { version } from "#src/core/version.ts";
import { eventTypes } from "#src/domain/webhooks/event-types.ts";
import { findWebhookUrlProblem } from "#src/net/address.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { type Place, placeOf } from "./listen/place.ts";
import { required, text } from "./option.ts";
import { abortAtSignal } from "./running.ts";
import {
  CursorRefused,
  type FeedEvent,
  type FeedOptions,
  readFeed,
  retryDelay,
  untilAnswered,
} from "./server-calls.ts";
import { findTarget, requireApiKey, targetOptions } from "./server-target.ts";
import { UsageError } from "./usage-error.ts";

/** The cursor of the next event. */
const FROM_NOW = "latest";
const WAIT_S = 25;
const POST_TIMEOUT_MS = 10_000;
const RETRY_MAX_MS = 10_000;

export const commands: readonly Command[] = [
  command(
    "listen",
    {
      summary: "Pass a server's events on to a program on this machine",
      details:
        "Posts each event to --forward-to, in order and signed with the workspace's webhook secret, until it is accepted with a\n2xx answer. Started again with the same options, it continues where it stopped; the first time it begins with what\nhappens from now on.",
      needsNoData: "unless named",
    },
    {
      forwardTo: required(text("URL", "The receiver, such as http://localhost:3000/hook")),
      ...targetOptions,
      types: text("A,B", "Only events of these types (default: all)"),
      after: text("CURSOR", "Begin behind this cursor of the event log; latest: with what happens from now on"),
    },
    async (context, values) => {
      const { forwardTo, types = null } = values;
      const problem = findWebhookUrlProblem(forwardTo, { allowHttp: true, allowPrivate: true });
      if (problem !== null) throw new UsageError(`--forward-to ${forwardTo}: ${problem}`);
      if (types !== null) requireTypes(types);
      const signal = abortAtSignal(context.io);
      const target = await findTarget(context, values);
      const apiKey = requireApiKey(target);
      const feed = { origin: target.origin, apiKey, types };
      const place = placeOf(context.io, feed, forwardTo);
      await listen({ context, feed, forwardTo, place, signal }, values.after ?? null);
      return null;
    },
  ),
];

interface Listening {
  context: Context;
  feed: FeedOptions;
  forwardTo: string;
  place: Place;
  signal: AbortSignal;
}

async function listen(listening: Listening, given: string | null): Promise<void> {
  const { context, feed, forwardTo, place, signal } = listening;
  let after = await begin(listening, given);
  if (after === null) return;
  say(context, `Events of ${feed.origin} go to ${forwardTo}. Stop with Ctrl-C.`);
  while (!signal.aborted) {
    const page = await retried(listening, () => readFeed(feed, after ?? FROM_NOW, WAIT_S, signal));
    if (page === null) return;
    for (const event of page.events) if (!(await deliver(listening, event, page.next))) return;
    after = page.next;
    place.write(after);
  }
}

/** The first cursor, which is on disk before the first event can come. Null: stopped meanwhile. */
async function begin(listening: Listening, given: string | null): Promise<string | null> {
  const { feed, place, signal } = listening;
  const known = given ?? place.read();
  const isKnown = known !== null && known !== FROM_NOW && (await isContinued(listening, known, given !== null));
  const now = isKnown ? null : await retried(listening, () => readFeed(feed, FROM_NOW, 0, signal));
  const start = isKnown ? known : (now?.next ?? null);
  if (signal.aborted || start === null) return null;
  place.write(start);
  return start;
}

/** Whether the server continues from this cursor. Throws if it was asked for on the command line and is refused. */
async function isContinued(listening: Listening, cursor: string, isGiven: boolean): Promise<boolean> {
  const { context, feed, signal } = listening;
  try {
    await retried(listening, () => readFeed(feed, cursor, 0, signal));
    return true;
  } catch (error) {
    if (!(error instanceof CursorRefused) || isGiven) throw error;
    say(context, `${error.message} Beginning with what happens from now on.`);
    return false;
  }
}

function retried<T>({ context, signal }: Listening, request: () => Promise<T>): Promise<T | null> {
  const onDown = (message: string): void => say(context, `${message}; trying again.`);
  return untilAnswered({ clock: context.io.clock, signal }, request, RETRY_MAX_MS, onDown);
}

/** Posts one event until the receiver accepts it, so that the order is kept. False: stopped. */
async function deliver(listening: Listening, event: FeedEvent, after: string): Promise<boolean> {
  const { context, signal } = listening;
  for (let tries = 0; ; tries += 1) {
    const startedAt = context.io.clock.monotonic();
    const status = await post(listening, event);
    const ms = Math.round(context.io.clock.monotonic() - startedAt);
    if (signal.aborted && typeof status !== "number") return false;
    report(context, event, { status, ms, after });
    if (isAccepted(status)) return true;
    await sleep(context.io.clock, retryDelay(tries, RETRY_MAX_MS), signal);
    if (signal.aborted) return false;
  }
}

/** The status of the answer, or why there was none. */
async function post({ forwardTo, signal }: Listening, { body, signature }: FeedEvent): Promise<number | string> {
  try {
    const response = await fetch(forwardTo, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": `Waxwing/${version}`,
        ...(signature === null ? {} : { "service-signature": signature }),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(POST_TIMEOUT_MS)]),
    });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    return error instanceof Error ? ("code" in error ? String(error.code) : error.name) : "unknown error";
  }
}

/** For people a line for each attempt; with --json a line for each event that was accepted. */
function report(
  { io, options }: Context,
  { id, type }: FeedEvent,
  { status, ms, after }: { status: number | string; ms: number; after: string },
): void {
  if (!options.json) {
    io.out(
      `${visible(type).padEnd(26)} ${visible(id)}  ${typeof status === "number" ? status : `no answer (${status})`}, ${ms} ms\n`,
    );
  } else if (isAccepted(status)) io.out(`${plainJson({ id, type, status, ms, after })}\n`);
}

function isAccepted(status: number | string): boolean {
  return typeof status === "number" && status >= 200 && status <= 299;
}

function say({ io, options }: Context, sentence: string): void {
  if (!options.json) io.err(`${sentence}\n`);
}

function requireTypes(text: string): void {
  const unknown = text.split(",").find((name) => !eventTypes.some((known) => known === name.trim()));
  if (unknown === undefined) return;
  throw new UsageError(
    `--types: ${JSON.stringify(unknown)} is not an event type; choose one of ${eventTypes.join(", ")}`,
  );
}
