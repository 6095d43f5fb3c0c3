/**
 * Fetches files that people sent, and uploads those that messages send. Meta gives a file in two steps: its id leads to an address that lives for minutes, and
 * the address gives the bytes to a client that shows the token. The token goes only to hosts of Meta, and to the one that was
 * configured.
 */
import type { Clock } from "#src/core/clock.ts";
import type { Downloader } from "#src/net/download.ts";
import { targetOf } from "#src/net/target.ts";
import type { Transport } from "#src/net/transport.ts";
import type { MediaAnswer, MediaPort, Sender } from "../network.ts";
import { failureOf, isAboutProof, readGraphError, readWaitHint } from "./errors.ts";
import { asObject, type JsonObject, numberOf, parseJson, stringOf } from "./json.ts";
import { type Endpoint, endpointOf } from "./profile.ts";
import { findHeaders, poolOf, withProof } from "./request.ts";
import type { WhatsappSettings } from "./settings.ts";
import { uploadFile } from "./upload.ts";

const QUERY_TIMEOUT_MS = 30_000;
const IDLE_MS = 30_000;
/** Hosts from which Meta gives files. */
const META_HOSTS = [".fbsbx.com", ".fbcdn.net", ".whatsapp.net", ".facebook.com"];
/** Meta's code for an object that does not exist, or that this token may not see. */
const MISSING_CODE = 100;

interface MediaOptions {
  settings: WhatsappSettings;
  clock: Clock;
  transport: Transport;
  downloader: Downloader;
}

export function createMediaPort({ settings, clock, transport, downloader }: MediaOptions): MediaPort {
  async function find(
    endpoint: Endpoint,
    sender: Sender,
    headers: Headers,
    id: string,
  ): Promise<JsonObject | MediaAnswer> {
    const result = await transport.exchange({
      target: targetOf(withProof(queryOf(endpoint, sender, id), endpoint, sender), {
        headers,
        secret: sender.accessToken,
      }),
      method: "GET",
      timeoutMs: QUERY_TIMEOUT_MS,
      pool: poolOf(sender),
    });
    if (result.kind !== "answered") return later(result.reason);
    const error = readGraphError(result.body);
    const body = asObject(parseJson(result.body));
    const hintMs = readWaitHint(result.headers, "number", clock.now());
    if (error?.code === MISSING_CODE && !isAboutProof(error))
      return { kind: "missing", says: failureOf(error).message };
    if (error !== null) return later(failureOf(error).message, hintMs);
    if (result.status === 404) return { kind: "missing", says: "the network does not know the file (HTTP 404)" };
    if (!result.ok || body === null) return later(`HTTP ${result.status} without a readable answer`, hintMs);
    return body;
  }

  return {
    uploadFile: (sender, file) => uploadFile(settings, transport, sender, file),

    async fetch(sender, networkMediaId, sink, stopping) {
      const endpoint = endpointOf(settings, sender);
      const headers = findHeaders(endpoint, sender.accessToken);
      if (headers === null) return later("the number has no usable access token");
      const found = await find(endpoint, sender, headers, networkMediaId);
      if ("kind" in found) return found as MediaAnswer;
      const url = downloadUrl(stringOf(found as JsonObject, "url"), endpoint);
      if (url === null) return later("the network names no address of the file that may be asked");
      let bytes = numberOf(found as JsonObject, "file_size");
      const isBegun = bytes !== null;
      if (isBegun && !(await sink.begin(bytes))) return { kind: "declined" };
      const result = await downloader.run({
        ...{ url, headers, stopping },
        idleMs: IDLE_MS,
        begin: (length) => {
          bytes ??= length;
          return isBegun ? Promise.resolve(true) : sink.begin(bytes);
        },
        write: (chunk) => sink.write(chunk),
      });
      if (result.kind === "complete") return { kind: "fetched", bytes };
      if (result.kind === "declined") return { kind: "declined" };
      if (result.kind === "lost") return later(result.reason);
      // The address is over: a new one is asked for at the next attempt.
      return later(
        `the address of the file answered HTTP ${result.status}`,
        readWaitHint(result.headers, "pair", clock.now()),
      );
    },
  };
}

function later(says: string, retryAfterMs: number | null = null): MediaAnswer {
  return { kind: "later", says, retryAfterMs };
}

function queryOf({ graphUrl, apiVersion, pathStyle }: Endpoint, { phoneNumberId }: Sender, id: string): string {
  const base = graphUrl.replace(/\/+$/, "");
  const name = encodeURIComponent(id);
  if (pathStyle === "bare") return `${base}/${name}`;
  return `${base}/${encodeURIComponent(apiVersion)}/${name}?phone_number_id=${encodeURIComponent(phoneNumberId)}`;
}

/** Null: an address that must not get the token. A provider gives Meta's files under its own host. */
function downloadUrl(address: string | null, { graphUrl, pathStyle }: Endpoint): string | null {
  if (address === null || !URL.canParse(address)) return null;
  const url = new URL(address);
  const configured = new URL(graphUrl);
  if (url.origin === configured.origin) return url.href;
  const isOfMeta =
    url.protocol === "https:" && url.port === "" && META_HOSTS.some((host) => url.hostname.endsWith(host));
  if (!isOfMeta) return null;
  return pathStyle === "bare" ? new URL(`${url.pathname}${url.search}`, configured).href : url.href;
}
