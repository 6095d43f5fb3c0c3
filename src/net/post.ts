/**
 * The only place that posts to a URL that a customer chose. It connects only to addresses that it has checked itself (a
 * name's addresses in the lookup of that same connection, an IP literal before each post), follows no redirects, reads
 * a limited part of the answer and aborts the whole exchange after `timeoutMs` of the clock. `post` never rejects:
 * every result is a `PostResult`.
 *
 * The connections of a host and port are kept for the next post of any workspace. Each of them leads to an address that
 * was checked when it was opened, by rules that never change while a poster lives.
 */
import type { Clock } from "#src/core/clock.ts";
import { requireWebhookUrl } from "./address.ts";
import { checkedLookup, type ResolveName, resolveName } from "./checked-lookup.ts";
import { ConnectionPools } from "./connection-pools.ts";
import { PostExchange } from "./post-exchange.ts";
import type { PostFailure } from "./post-failure.ts";
import { RequestQueue } from "./request-queue.ts";
import { startOf } from "./target.ts";
import { headerLines } from "./write-request.ts";

export interface WebhookPoster {
  /** Sends `body` once. `content-length` and `host` are added; all other headers come from the caller. */
  post(webhook: Webhook): Promise<PostResult>;
  /** Fails the posts in flight and closes every connection. Later posts fail. */
  close(): void;
}

interface Webhook {
  /** Whose it is; missing if it is the server's own. */
  workspaceId?: number;
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface WebhookPosterSettings {
  clock: Clock;
  allowHttp: boolean;
  allowPrivate: boolean;
  /** For the whole exchange: lookup, connection, TLS, request and the complete answer. */
  timeoutMs: number;
  lookup?: ResolveName | undefined;
}

export type PostResult =
  /** `body` is the beginning of the answer's body; invalid UTF-8 is replaced. */
  | { kind: "answered"; status: number; body: string; durationMs: number }
  /** `message` is a sentence for the operator. */
  | { kind: "failed"; reason: PostFailure; message: string; durationMs: number };

/**
 * Per host and port. Many workspaces may share a host (an automation platform), each with a few attempts in flight. A
 * post that queues here uses up its own time limit, so the maximum only protects against running out of file
 * descriptors.
 */
const LIMITS = { poolMax: 256, totalMax: Number.POSITIVE_INFINITY, reserve: 0 };
const IDLE_CONNECTIONS_MAX = 32;
/** URLs whose check is remembered. */
const CHECKED_MAX = 1_000;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

type CheckedUrl = { url: URL; origin: string; start: string } | { refusal: string };

export function createWebhookPoster(settings: WebhookPosterSettings): WebhookPoster {
  const { clock, timeoutMs, allowPrivate } = settings;
  const lookup = checkedLookup(settings.lookup ?? resolveName, allowPrivate);
  const pools = new ConnectionPools({ idleMax: IDLE_CONNECTIONS_MAX, lookup });
  const queue = new RequestQueue(LIMITS);
  const inFlight = new Set<PostExchange>();
  const checkedUrls = new Map<string, CheckedUrl>();
  let isClosed = false;

  /** Checked here too and not only when the URL is stored, because the settings may have become stricter since. */
  function check(text: string): CheckedUrl {
    const known = checkedUrls.get(text);
    if (known !== undefined) return known;
    if (checkedUrls.size >= CHECKED_MAX) checkedUrls.clear();
    const found = requireWebhookUrl(text, settings);
    const checked = "refusal" in found ? found : { ...found, origin: found.url.origin, start: startOf(found.url) };
    checkedUrls.set(text, checked);
    return checked;
  }

  return {
    post({ url: text, headers, body }) {
      const startedAt = clock.monotonic();
      const elapsedMs = (): number => Math.round(clock.monotonic() - startedAt);
      const refuse = (reason: PostFailure, message: string): Promise<PostResult> =>
        Promise.resolve({ kind: "failed", reason, message, durationMs: elapsedMs() });
      if (isClosed) return refuse("connection", "The server is stopping.");
      const checked = check(text);
      if ("refusal" in checked) return refuse("refused_address", `The webhook address ${checked.refusal}.`);
      const fields = Object.entries(headers);
      const unfit = fields.find(([name, value]) => !HEADER_NAME.test(name) || !HEADER_VALUE.test(value));
      if (unfit !== undefined) return refuse("protocol", `The header ${JSON.stringify(unfit[0])} cannot be sent.`);

      const { url, origin, start } = checked;
      const pool = pools.get(origin, url);
      pool.inUse += 1;
      return new Promise((resolve) => {
        const request = { head: start + headerLines(fields), body };
        const exchange = new PostExchange(pool.connections, request, (result) => {
          timer.cancel();
          inFlight.delete(exchange);
          pool.inUse -= 1;
          place?.leave();
          resolve({ ...result, durationMs: elapsedMs() });
        });
        let place: { leave(): void } | null = null;
        const timer = clock.setTimer(timeoutMs, () => exchange.timeOut(timeoutMs));
        inFlight.add(exchange);
        place = queue.enter(pool.name, false, () => exchange.start());
        // It may have failed while it was started, before `place` existed.
        if (exchange.isSettled) place.leave();
      });
    },

    close() {
      isClosed = true;
      for (const exchange of inFlight) exchange.fail("connection", "The server stopped before the receiver answered.");
      pools.closeIdle();
    },
  };
}

/** True if the webhook was delivered. A redirect does not count and is never followed. */
export function isSuccess(result: PostResult): boolean {
  return result.kind === "answered" && result.status >= 200 && result.status <= 299;
}
