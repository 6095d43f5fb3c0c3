/** `waxwing tail`: the requests that a server under test control answers, and its events, as they happen. */
import { plainJson, visible } from "#src/core/shown-text.ts";
import type { ShownRequest } from "#src/http/control/journals.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { number, text } from "./option.ts";
import { abortAtSignal } from "./running.ts";
import { callServer, type FeedOptions, readFeed, untilAnswered } from "./server-calls.ts";
import { controlTokenOption, findTarget, requireApiKey, requireControl, targetOptions } from "./server-target.ts";

const WAIT_S = 25;
const RETRY_MS = 500;

export const commands: readonly Command[] = [
  command(
    "tail",
    {
      summary: "Show requests and events as they happen",
      details:
        "Begins with what happens from now on. Each line of --json has a cursor, with which the next run continues.",
      needsNoData: "unless named",
    },
    {
      ...targetOptions,
      ...controlTokenOption,
      after: text("CURSOR", "Begin behind this cursor of the event log"),
      afterRequest: number("N", "Begin behind this number of a request", 0),
    },
    async (context, values) => {
      const signal = abortAtSignal(context.io);
      const target = await findTarget(context, values);
      const following = {
        context,
        origin: target.origin,
        ...{ apiKey: requireApiKey(target), types: null },
        control: requireControl(target),
        signal,
      };
      const events = values.after ?? (await readFeed(following, "latest", 0, signal)).next;
      const requests = values.afterRequest ?? (await newestRequest(following));
      if (!context.options.json) context.io.err(`Requests and events of ${target.origin}. Stop with Ctrl-C.\n`);
      await Promise.all([followEvents(following, events), followRequests(following, requests)]);
      return null;
    },
  ),
];

interface Following extends FeedOptions {
  context: Context;
  control: { url: string; token: string };
  signal: AbortSignal;
}

interface RequestPage {
  data: ShownRequest[];
  /** How many requests between the cursor and the first one shown are no longer known. */
  missed: number;
  next: number;
}

async function newestRequest(following: Following): Promise<number> {
  for (let after = 0; ; ) {
    const { next, data } = await readRequests(following, after, 0);
    if (data.length === 0) return next;
    after = next;
  }
}

async function followEvents(following: Following, from: string): Promise<void> {
  const { context, signal } = following;
  for (let after = from; !signal.aborted; ) {
    const page = await retried(following, () => readFeed(following, after, WAIT_S, signal));
    if (page === null) return;
    after = page.next;
    for (const { id, type, body } of page.events) {
      show(context, { kind: "event", id, type, event: JSON.parse(body), after }, `event    ${type.padEnd(26)} ${id}`);
    }
  }
}

async function followRequests(following: Following, from: number): Promise<void> {
  const { context, signal } = following;
  for (let after = from; !signal.aborted; ) {
    const page = await retried(following, () => readRequests(following, after, WAIT_S));
    if (page === null) return;
    // A server that was restarted counts from 1 again.
    after = page.next;
    if (page.missed > 0) context.io.err(`${page.missed} requests were too long ago to be shown.\n`);
    for (const { number, ...seen } of page.data) {
      const { method, path, status, ms } = seen;
      show(context, { kind: "request", ...seen, after: number }, `request  ${status} ${method} ${path}, ${ms} ms`);
    }
  }
}

function readRequests({ control, signal }: Following, after: number, waitS: number): Promise<RequestPage> {
  const url = `${control.url}/requests?after=${after}&wait=${waitS}s`;
  return callServer(url, { token: control.token, method: "GET", signal }) as Promise<RequestPage>;
}

function retried<T>({ context, signal }: Following, request: () => Promise<T>): Promise<T | null> {
  return untilAnswered({ clock: context.io.clock, signal }, request, RETRY_MS);
}

function show({ io, options }: Context, json: object, text: string): void {
  io.out(options.json ? `${plainJson(json)}\n` : `${visible(text)}\n`);
}
