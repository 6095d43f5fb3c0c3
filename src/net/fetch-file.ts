/**
 * Downloads a file from a URL that a customer chose. Like webhooks, it connects only to checked addresses, and checks
 * again at each redirect. It reads at most `maxBytes` and ends within `timeoutMs`. A failure is a message for people.
 */
import * as http from "node:http";
import * as https from "node:https";
import type { Clock } from "#src/core/clock.ts";
import { hostOf, requireWebhookUrl } from "./address.ts";
import { checkedLookup, type ResolveName, resolveName } from "./checked-lookup.ts";

export interface FileFetcher {
  clock: Clock;
  /** Also allows addresses of this machine and of private networks. */
  allowPrivate: boolean;
  lookup?: ResolveName | undefined;
}

interface FileRequest {
  link: string;
  /** Bytes. */
  maxBytes: number;
  timeoutMs: number;
}

interface FetchedFile {
  bytes: Uint8Array<ArrayBuffer>;
  /** In lower case, without parameters; "" if the answer names none. */
  contentType: string;
}

/** File stores redirect to the file's location, perhaps twice; more redirects are a loop. */
const REDIRECTS_MAX = 5;

/** The file, or the reason for a failure, phrased as the end of a sentence about "its address". */
export async function fetchFile(
  fetcher: FileFetcher,
  { link, maxBytes, timeoutMs }: FileRequest,
): Promise<FetchedFile | string> {
  const limit = new AbortController();
  const timer = fetcher.clock.setTimer(timeoutMs, () => limit.abort());
  const lookup = checkedLookup(fetcher.lookup ?? resolveName, fetcher.allowPrivate);
  try {
    let address = link;
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
      // Meta accepts links without TLS, so they are accepted here too.
      const checked = requireWebhookUrl(address, { allowHttp: true, allowPrivate: fetcher.allowPrivate });
      if ("refusal" in checked) return checked.refusal;
      const response = await request(checked.url, lookup, limit.signal);
      const { location } = response.headers;
      const status = response.statusCode ?? 0;
      if (status < 300 || status > 399 || location === undefined) return await read(response, maxBytes);
      response.destroy();
      if (!URL.canParse(location, checked.url.href)) return "redirects to no address";
      address = new URL(location, checked.url).href;
    }
    return "redirects in a circle";
  } catch (error) {
    return `could not be read (${limit.signal.aborted ? "too slow" : describeError(error)})`;
  } finally {
    timer.cancel();
  }
}

function request(
  url: URL,
  lookup: ReturnType<typeof checkedLookup>,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const path = `${url.pathname}${url.search}`;
    const options = { hostname: hostOf(url), port: url.port, path, agent: false, lookup, signal } as const;
    const sent = url.protocol === "https:" ? https.get(options, resolve) : http.get(options, resolve);
    sent.on("error", reject);
  });
}

async function read(response: http.IncomingMessage, maxBytes: number): Promise<FetchedFile | string> {
  const { statusCode = 0, headers } = response;
  if (statusCode < 200 || statusCode > 299) {
    response.destroy();
    return `answered HTTP ${statusCode}`;
  }
  const contentType = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > maxBytes) return `has more than ${maxBytes} bytes`;
    chunks.push(chunk);
  }
  return { bytes: new Uint8Array(Buffer.concat(chunks)), contentType };
}

/** The error's code if it has one, because the runtime's own messages are not helpful. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
