/**
 * Endpoints that networks call: `GET|POST /networks/whatsapp`, and a separate address for each number whose operator
 * allowed callbacks without a signature. The server verifies a body, stores it unchanged in one write, and answers; `receiving/` applies it
 * later.
 */
import { Elysia } from "elysia";
import type { Log } from "#src/core/log.ts";
import type { Random } from "#src/core/random.ts";
import { constantTimeEqual } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import type { RefusalReason, Trust } from "#src/domain/inbound/table.ts";
import {
  CALLBACK_SECRET_HEADER,
  findCallbackAddress,
  isRightSecret,
  recordUse,
} from "#src/domain/numbers/callback-address.ts";
import { findTokenOwner, recordVerification } from "#src/domain/numbers/callback-verification.ts";
import type { Networks } from "#src/networks/network.ts";
import { SMALL_BODY_BYTES } from "./body-budget.ts";
import { addSecurityHeaders, requestIds } from "./headers.ts";
import { SenderTrust } from "./sender-trust.ts";
import {
  type BodyFault,
  BodyRefusal,
  LINGER_S,
  mayBeLarge,
  NO_ROOM_RETRY_MS,
  type UnverifiedBodies,
  withUnverifiedBody,
} from "./unverified-body.ts";

/**
 * The secrets that sign callbacks. `trustOf` returns the numbers whose secret signed a body, null if none did;
 * `matches` tests one secret.
 */
interface Secrets {
  trustOf(body: Uint8Array, matches: (secret: string) => boolean): Trust | null;
  /** No secret is configured, so no signature can be verified. */
  readonly isEmpty: boolean;
}

interface CallbackOptions {
  store: Store;
  random: Random;
  networks: Networks;
  secrets: Secrets;
  /** The configured token that the network repeats when it verifies the callback address; each workspace has its own too. */
  verifyToken: string | null;
  /** Learns when a verification was refused. */
  verification: { refusedAt: number | null };
  /** Called for each callback that cannot be trusted. `body`: its raw bytes; null if it was not read. */
  onRefused: (reason: RefusalReason, body: Uint8Array | null) => void;
  bodies: UnverifiedBodies;
  /** The network that a request comes from, given the address of its peer. */
  networkOf: (request: Request, peer: string) => string;
  log: Log;
}

/** The part of the HTTP server that knows connections. */
interface Connections {
  timeout(request: Request, seconds: number): void;
  requestIP(request: Request): { address: string } | null;
}

/** Meta's largest body is 3 MB; 4 MiB covers both meanings of MB. */
const BODY_BYTES_MAX = 4 * 1024 * 1024;
const FAULTS: Readonly<Record<BodyFault, { status: number; text: string }>> = {
  too_large: { status: 413, text: `a body has at most ${BODY_BYTES_MAX} bytes` },
  cut_short: { status: 400, text: "the body was cut short" },
  too_slow: { status: 408, text: "the body came too slowly; call again" },
  no_room: { status: 503, text: "too many callbacks at once; call again" },
};
/** Faults of the sender, after memory and time were spent on the body. */
const WORTHLESS: readonly BodyFault[] = ["cut_short", "too_slow"];
const CHALLENGE_LENGTH_MAX = 1_000;

const [CURLY_OPEN, CURLY_CLOSE] = [0x7b, 0x7d];
const WHITE_SPACE: readonly (number | undefined)[] = [0x20, 0x09, 0x0a, 0x0d];

export function callbackRoutes(options: CallbackOptions) {
  const { store, random, networks, secrets, verifyToken, onRefused, bodies, networkOf, log, verification } = options;
  const { whatsapp } = networks;
  const senders = new SenderTrust(bodies.clock);
  const ids = requestIds(random);

  /** Null: not signed. Throws `BodyRefusal`. */
  async function readTrusted(
    request: Request,
    sender: string,
    trustOf: (body: Uint8Array) => Trust | null,
  ): Promise<{ text: string | null; trust: Trust } | null> {
    const mayReadLarge = (): boolean => senders.mayReadLarge(sender);
    try {
      return await withUnverifiedBody(request, BODY_BYTES_MAX, { ...bodies, mayReadLarge }, (body) => {
        const trust = trustOf(body);
        if (trust === null) {
          if (body.byteLength > SMALL_BODY_BYTES) senders.noteWorthless(sender);
          onRefused(secrets.isEmpty ? "no_secret" : "wrong_signature", body);
          return null;
        }
        senders.noteSigned(sender);
        return { text: readObject(body), trust };
      });
    } catch (error) {
      if (error instanceof BodyRefusal && WORTHLESS.includes(error.fault) && mayBeLarge(request))
        senders.noteWorthless(sender);
      throw error;
    }
  }

  /** Returns null, and counts the callback, if the body is not a JSON object. */
  function readObject(body: Uint8Array): string | null {
    if (looksLikeObject(body)) return new TextDecoder().decode(body);
    onRefused("not_an_object", body);
    return null;
  }

  async function receive(
    request: Request,
    server: Connections | null,
    trustOf: (body: Uint8Array) => Trust | null,
    onStored: (tx: Tx) => void = () => undefined,
  ): Promise<Response> {
    // The signature covers the raw bytes, and no network compresses its callbacks.
    const encoding = request.headers.get("content-encoding");
    if (encoding !== null && encoding.toLowerCase() !== "identity")
      return answerUnread(request, server, 415, "send the body as it is");
    const sender = networkOf(request, server?.requestIP(request)?.address ?? "");
    let read: { text: string | null; trust: Trust } | null;
    try {
      read = await readTrusted(request, sender, trustOf);
    } catch (error) {
      if (!(error instanceof BodyRefusal)) throw error;
      const { status, text } = FAULTS[error.fault];
      return answerUnread(request, server, status, text);
    }
    if (read === null) return answerText(403, "not signed with a secret of a number on this server");
    const { text, trust } = read;
    if (text === null) return answerText(400, "the body is not a JSON object");
    try {
      await store.writeRepeatable((tx) => {
        storeCallback(tx, "whatsapp", text, tx.now, trust);
        onStored(tx);
      });
    } catch (error) {
      log.error("callback.not_stored", "Callback could not be stored; the network will repeat it", { error });
      return answerText(503, "not stored; call again");
    }
    return answerText(200, "stored");
  }

  async function verify(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams;
    const token = query.get("hub.verify_token");
    const challenge = query.get("hub.challenge") ?? "";
    if (query.get("hub.mode") === "subscribe" && token !== null && challenge.length <= CHALLENGE_LENGTH_MAX) {
      if (verifyToken !== null && constantTimeEqual(token, verifyToken)) return plain(200, challenge);
      const workspaceId = store.read((tx) => findTokenOwner(tx, token));
      if (workspaceId !== null && (await recorded(workspaceId))) return plain(200, challenge);
      verification.refusedAt = store.read(({ now }) => now);
    }
    return answerText(403, "the verify token is another one");
  }

  /** False: the workspace does not exist. */
  function recorded(workspaceId: number): Promise<boolean> {
    return store.writeRepeatable((tx) => recordVerification(tx, workspaceId));
  }

  return new Elysia({ normalize: false })
    .mapResponse(({ request, responseValue }) =>
      responseValue instanceof Response ? addSecurityHeaders(responseValue, ids(request)) : undefined,
    )
    .get("/networks/whatsapp", ({ request }) => verify(request), { parse: "none" })
    .post(
      "/networks/whatsapp",
      ({ request, server }) => {
        const signature = request.headers.get("x-hub-signature-256");
        // Do not read a body that carries no signature at all.
        if (signature === null) {
          onRefused("no_signature", null);
          return answerUnread(request, server, 403, "not signed");
        }
        return receive(request, server, (body) =>
          secrets.trustOf(body, (secret) => whatsapp.verify?.(body, signature, secret) === true),
        );
      },
      { parse: "none" },
    )
    .post(
      "/networks/whatsapp/:token",
      ({ request, params, server }) => {
        // The router gives null for a part of the path that is not valid percent-encoding.
        const token: string | null = params.token;
        const found = token === null ? undefined : store.read((tx) => findCallbackAddress(tx, token));
        if (found === undefined) {
          onRefused("unknown_address", null);
          return answerUnread(request, server, 403, "there is no such callback address");
        }
        const { address, number } = found;
        const header = request.headers.get(CALLBACK_SECRET_HEADER);
        if (!isRightSecret(address, header)) {
          onRefused("wrong_header", null);
          return answerUnread(request, server, 403, `the header ${CALLBACK_SECRET_HEADER} is missing or wrong`);
        }
        const trust = { configuration: false, numbers: [number.id] };
        return receive(
          request,
          server,
          () => trust,
          (tx) => recordUse(tx, address, header !== null),
        );
      },
      { parse: "none" },
    );
}

/** A cheap check: a body of 3 MB is not parsed before it is answered, only when it is applied. */
function looksLikeObject(body: Uint8Array): boolean {
  let end = body.length - 1;
  while (end >= 0 && WHITE_SPACE.includes(body[end])) end -= 1;
  let start = 0;
  while (start < end && WHITE_SPACE.includes(body[start])) start += 1;
  return end > start && body[start] === CURLY_OPEN && body[end] === CURLY_CLOSE;
}

/**
 * The runtime discards the rest of a small body without keeping it. The connection closes after `LINGER_S` if the body
 * does not end: if it closed at once, some senders would not see the answer. A large body is not worth that: reading it
 * to its end would take the time of other requests, so its connection closes with the answer.
 */
function answerUnread(request: Request, server: Connections | null, status: number, text: string): Response {
  const response = answerText(status, text);
  if (mayBeLarge(request)) response.headers.set("connection", "close");
  else server?.timeout(request, LINGER_S);
  if (status === 503) response.headers.set("retry-after", String(NO_ROOM_RETRY_MS / 1_000));
  return response;
}

function answerText(status: number, text: string): Response {
  return plain(status, `${text}\n`);
}

function plain(status: number, text: string): Response {
  return new Response(text, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8" },
  });
}
