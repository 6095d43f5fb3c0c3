/**
 * The pipeline of every console request: check that the console's own page sent it, authenticate,
 * check the workspace and role, read the form, the path and the query by the route's schemas, call the handler.
 */
import { createHash } from "node:crypto";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import { touchMembership } from "#src/domain/users/change.ts";
import type { FormUse } from "#src/domain/users/form-answers.ts";
import { findWorkspaceAccess, type WorkspaceAccess } from "#src/domain/users/read.ts";
import { hasRight } from "#src/domain/users/roles.ts";
import { findSession, isTouchDue, type SignedIn, touchSession } from "#src/domain/users/sessions.ts";
import { BulkJobs } from "#src/transfer/bulk-jobs.ts";
import { ImportJobs } from "#src/transfer/import-jobs.ts";
import type { Answer } from "../answer.ts";
import { ENTRIES_MAX, readBody, readUnverifiedBody } from "../body.ts";
import { SMALL_BODY_BYTES } from "../body-budget.ts";
import { clientAddress } from "../client-address.ts";
import {
  type ConsoleCall,
  notFoundOrForbidden,
  Refusal,
  readPath,
  readQuery,
  requireValidBody,
  type UserCall,
} from "../endpoints/call.ts";
import { type ConsoleEndpoint, costOfRows } from "../endpoints/endpoint.ts";
import { answerProblem } from "../errors.ts";
import type { RequestIds } from "../headers.ts";
import { canonicalJson } from "../idempotency.ts";
import { KeyQueue } from "../key-queue.ts";
import { RateLimiter } from "../rate-limit.ts";
import { problemOf, splitUrl, toResponse, withRest } from "../respond.ts";
import { requireDeclaredAnswer, wholeAnswer } from "./answer-check.ts";
import { BroadcastStreams } from "./broadcast-stream.ts";
import type { ConsoleContext, ConsoleOptions } from "./context.ts";
import { readSessionCookie } from "./cookies.ts";
import { DashboardCounters } from "./dashboard.ts";
import { StreamPlaces } from "./event-stream.ts";
import { InboxStreams } from "./inbox-stream.ts";
import { requireOwnPage, requirePrivateWay, UntrustedProxyWatch } from "./origin.ts";
import { Passwords } from "./passwords.ts";
import { requireConfirmation } from "./sensitive.ts";

export const CONSOLE_API = "/console/api";
const FORM_KEY_LENGTH_MAX = 100;
const USE_NOTED_EVERY_MS = 60_000;

interface Peer {
  address: string;
  keepOpen: () => void;
  /** Closes the connection soon unless the request's body ends. */
  closeSoon: () => void;
}

interface RoutedRequest {
  request: Request;
  route: ConsoleEndpoint;
  /** Of the `{names}` in the path. */
  values: Readonly<Record<string, string>>;
  peer: Peer;
}

/** Forms of users that concern no workspace wait for turns of their own. */
const NO_WORKSPACE = 0;

/** `route`: null where no route has the request's method and path. `values`: of the `{names}` in the path. */
type ConsolePipeline = (
  request: Request,
  route: ConsoleEndpoint | null,
  values: Readonly<Record<string, string>>,
  peer: Peer,
) => Promise<Response>;

export function createPipeline(options: ConsoleOptions, ids: RequestIds): ConsolePipeline {
  const { isTrustedProxy, limits, bodies, checksAnswers, passwordCost, streams, ...rest } = options;
  const { store, clock, log, publicUrl, turns } = options;
  const isSecure = options.hasTls || (publicUrl?.startsWith("https:") ?? false);
  const places = new StreamPlaces();
  const inboxStreams = new InboxStreams(store, clock, places);
  options.otherCommits.add(() => inboxStreams.noteOtherCommit());
  const context: ConsoleContext = {
    ...rest,
    isSecure,
    passwords: new Passwords(passwordCost),
    keyQueue: new KeyQueue(),
    broadcastStreams: new BroadcastStreams(store, clock, places),
    inboxStreams,
    dashboard: new DashboardCounters(store, clock, options.readers.lists),
    imports: new ImportJobs({ store, clock, log, files: options.importFiles, stopping: options.stopping }),
    bulk: new BulkJobs({ store, clock, log, readers: options.readers.building, stopping: options.stopping }),
  };
  const untrustedProxies = new UntrustedProxyWatch({ store, clock, log, isTrusted: isTrustedProxy });
  const limiter = new RateLimiter(clock, limits, "person");
  /**
   * When each session's last use was last queued for writing, so that a busy session queues one write and not a
   * hundred.
   */
  const touched = new Map<number, number>();
  /** The same for each member of a workspace. */
  const used = new Map<string, number>();

  const requireSession = (headers: Headers): SignedIn => {
    const token = readSessionCookie(headers, isSecure);
    const found = token === null ? undefined : store.read((tx) => findSession(tx, token));
    if (found === undefined) throw new Problem("unauthenticated", "You are signed out. Sign in again.");
    const { id } = found.session;
    if (isTouchDue(found.session, clock.now()) && clock.now() - (touched.get(id) ?? 0) > 60_000) {
      if (touched.size > 10_000) touched.clear();
      touched.set(id, clock.now());
      store.write((tx) => touchSession(tx, id)).catch(() => undefined);
    }
    return found;
  };

  /** Says when a member last used the workspace. */
  const noteUse = (userId: number, { workspace, role, seenAt }: WorkspaceAccess): void => {
    const name = `${userId} ${workspace.id}`;
    const last = Math.max(seenAt ?? 0, used.get(name) ?? 0);
    if (role === "operator" || clock.now() - last < USE_NOTED_EVERY_MS) return;
    if (used.size > 10_000) used.clear();
    used.set(name, clock.now());
    store.write((tx) => touchMembership(tx, userId, workspace.id)).catch(() => undefined);
  };

  /** `workspaceId`: whose turn a large form waits for; null: the sender is not known. */
  const readForm = (request: Request, peer: Peer, workspaceId: number | null): Promise<Record<string, unknown>> => {
    if (workspaceId !== null) {
      return readBody(request, { bytes: limits.bodyBytes, entries: ENTRIES_MAX }, clock, (parse) =>
        turns.take(workspaceId, parse),
      );
    }
    return readUnverifiedBody(request, Math.min(limits.bodyBytes, SMALL_BODY_BYTES), bodies).catch((error: unknown) => {
      peer.closeSoon();
      throw error;
    });
  };

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the order of refusals is the promise, and is read from top to bottom.
  const answer = async ({ request, route, values, peer }: RoutedRequest): Promise<Answer | Response> => {
    const { pathname, query } = splitUrl(request.url);
    untrustedProxies.note(request, peer.address);
    const isChange = request.method !== "GET";
    if (isChange) requireOwnPage(request, publicUrl);
    const principal = route.session === "nobody" ? null : requireSession(request.headers);
    // Unauthenticated requests can only guess credentials, and guesses have their own limits.
    if (principal !== null) await requireTokens(limiter, request, principal.user.id, costOfRows(route, query));
    if (principal !== null) requireAccount(request, principal);
    const entry =
      principal === null || values.workspace === undefined ? null : requireEntry(context, principal, values.workspace);
    requireAccess(route, principal, entry);
    if (entry !== null && principal !== null) noteUse(principal.user.id, entry);
    if (principal !== null) requireConfirmation(route, principal.session, clock.now());
    if (route.takesSecrets === true) requirePrivateWay(request, isSecure, peer.address);
    // The handler streams a file itself. A plain HTML form on another site cannot send this content type.
    if (route.file === true) requireFileType(request);
    const isFile = route.file === true || route.form !== undefined;
    const workspaceId = entry?.workspace.id ?? NO_WORKSPACE;
    const body = isChange && !isFile ? await readForm(request, peer, principal && workspaceId) : {};
    if (route.body !== undefined && route.checkedBy !== "handler") requireValidBody(route.body, body);
    const call: ConsoleCall = {
      ...context,
      path: readPath(route.params, values),
      query: route.key === undefined ? readQuery(route.query, query) : query,
      headers: request.headers,
      body,
      method: request.method,
      pathname,
      request,
      address: clientAddress(request, peer.address, isTrustedProxy),
      keepOpen: peer.keepOpen,
    };
    if (route.session === "nobody") return route.run(call);
    if (principal === null) throw notFoundOrForbidden();
    const { id } = principal.user;
    const sending = { streams, limiter, id, workspaceId, close: peer.closeSoon };
    const userCall: UserCall = { ...call, ...principal, form: readFormUse(call, body, principal.user.id) };
    const run = async (call: object): Promise<Answer | Response> => {
      const answered = await route.run(call);
      if (answered instanceof Response || answered.rest === undefined) return answered;
      return checksAnswers ? wholeAnswer(answered) : withRest(answered, sending);
    };
    if (entry === null) return run(userCall);
    const { lists, searches, building } = options.readers;
    const of = <T>(readers: { of(id: number): T }): T => readers.of(entry.workspace.id);
    const readers = { reader: of(lists), searchReader: of(searches), exportReader: of(building) };
    const by = { source: "manual", evidence: { user: principal.user.id } } as const;
    return run({ ...userCall, ...entry, ...readers, by, limitedKey: null });
  };

  return async (request, route, values, peer) => {
    const requestId = ids(request);
    try {
      // The router also gives a HEAD request to the route of a GET.
      const isRouted = route?.method === request.method && isEncodedWell(request.url);
      if (!isRouted) throw new Problem("not_found", "Not found.");
      const answered = await answer({ request, route, values, peer });
      if (checksAnswers) requireDeclaredAnswer(route, answered);
      return answered instanceof Response ? answered : toResponse(answered, requestId);
    } catch (error) {
      return toResponse(
        answerRefusal(error) ?? answerProblem(problemOf(error, log, requestId), false, true),
        requestId,
      );
    }
  };
}

/** Throws `rate_limited`; after a delay for a caller that keeps sending. */
async function requireTokens(
  limiter: RateLimiter,
  request: Request,
  userId: number,
  rowCost: number | null,
): Promise<void> {
  try {
    if (rowCost === null) limiter.requireToken(userId);
    else await limiter.takeInTurn(userId, 1 + rowCost);
  } catch (error) {
    await limiter.delayRefusal(userId, request);
    throw error;
  }
}

/**
 * Throws `not_found` for a workspace that does not exist and for one that the user may not enter, without distinction.
 */
function requireEntry({ store }: ConsoleContext, { user }: SignedIn, id: string) {
  const workspaceId = /^[1-9]\d{0,15}$/.test(id) ? Number(id) : 0;
  const entry = store.read((tx) => findWorkspaceAccess(tx, user, workspaceId));
  if (entry === undefined) throw notFoundOrForbidden();
  return entry;
}

/** What was written by one account is never sent by another that has signed in since, in the same browser. */
function requireAccount({ headers }: Request, { user }: SignedIn): void {
  const account = headers.get("waxwing-account");
  if (account === null || account === String(user.id)) return;
  throw new Refusal(409, "other_account", "Another account is signed in in this browser now. Nothing was sent.");
}

function requireAccess(
  route: ConsoleEndpoint,
  principal: SignedIn | null,
  entry: ReturnType<typeof requireEntry> | null,
): void {
  const { session: needs } = route;
  if (needs === "nobody" || needs === "user") return;
  if (needs === "server operator" ? principal?.user.isOperator : entry !== null && hasRight(entry.role, needs)) return;
  throw notFoundOrForbidden();
}

function requireFileType({ headers }: Request): void {
  if (headers.get("content-type") === "application/octet-stream") return;
  throw invalidRequest({ "Content-Type": ["Send the file unencoded, as application/octet-stream."] });
}

function readFormUse(
  { headers, method, pathname }: ConsoleCall,
  body: Readonly<Record<string, unknown>>,
  userId: number,
): FormUse | null {
  const key = headers.get("idempotency-key");
  if (key === null || method === "GET") return null;
  if (key === "" || key.length > FORM_KEY_LENGTH_MAX) {
    throw invalidRequest({ "Idempotency-Key": [`A key must have 1 to ${FORM_KEY_LENGTH_MAX} characters.`] });
  }
  const fingerprint = createHash("sha256")
    .update(`${method} ${pathname}\n${canonicalJson(body)}`)
    .digest();
  return { userId, key, fingerprint: new Uint8Array(fingerprint) };
}

function answerRefusal(error: unknown): Answer | null {
  if (!(error instanceof Refusal)) return null;
  const { status, code, message, details } = error;
  return { status, body: JSON.stringify({ error: { code, message, ...details } }) };
}

/** No route has a path that is not valid percent-encoding. The router decodes what it can and passes on the rest. */
function isEncodedWell(url: string): boolean {
  if (!url.includes("%")) return true;
  try {
    decodeURIComponent(splitUrl(url).pathname);
    return true;
  } catch {
    return false;
  }
}
