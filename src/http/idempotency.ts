/**
 * Idempotency keys of requests: the same key with the same request acts once. A request that arrives while the first
 * one is running waits for its answer in memory (`key-queue.ts`); the stored answer, kept by the domain, outlives the
 * process.
 */

import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import { isLonger } from "#src/core/text-limits.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { claimKey, findKey, isFinal, type KeyUse, storeAnswer, toKeptProblem } from "#src/domain/idempotency/keys.ts";
import type { IdempotencyKey } from "#src/domain/idempotency/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { Answer } from "./answer.ts";
import { answerProblem } from "./errors.ts";
import type { KeyQueue } from "./key-queue.ts";

const KEY_LENGTH_MAX = 100;

/** The header of an endpoint whose requests may carry a key. */
export const IdempotencyHeader = Type.String({
  minLength: 1,
  maxLength: KEY_LENGTH_MAX,
  description:
    "Repeating a request with the same key and the same body within 24 hours returns the original response and has no further effect. Responses that are not final (400, 401, 403, 429, 500, 503) do not use up the key.",
});

interface KeyedRequest {
  headers: Headers;
  method: string;
  pathname: string;
  body: unknown;
}

interface KeyedCall {
  store: Store;
  workspace: Workspace;
}

/** The request's key and fingerprint; null if it carries no key. Throws `invalid_request` for a malformed key. */
export function readKey({ headers, method, pathname, body }: KeyedRequest): KeyUse | null {
  const header = headers.get("idempotency-key");
  if (header === null) return null;
  const key = decodeHeader(header);
  if (key === "" || isLonger(key, KEY_LENGTH_MAX)) {
    const sentence = `A key has 1 to ${KEY_LENGTH_MAX} characters.`;
    throw invalidRequest({
      "Idempotency-Key": [
        key === "" ? { rule: "too_short", sentence } : { rule: "too_long", sentence, limit: KEY_LENGTH_MAX },
      ],
    });
  }
  const fingerprint = createHash("sha256")
    .update(`${method} ${pathname}\n${canonicalJson(body)}`)
    .digest();
  return { key, fingerprint: new Uint8Array(fingerprint) };
}

/**
 * The runtime decodes headers as Latin-1. Valid UTF-8 is decoded again, so that a key is counted and compared in
 * characters.
 */
function decodeHeader(header: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(header, "latin1"));
  } catch {
    return header;
  }
}

/** JSON that is identical for equal values: fields sorted by name, no white space. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}

/**
 * Runs `act` alone among the requests with this key, unless its answer is there already. `open`: the key of an earlier
 * request whose answer was not recorded.
 */
export async function actOnce<Given extends Answer>(
  call: KeyedCall & { keyQueue: KeyQueue },
  use: KeyUse | null,
  act: (open: IdempotencyKey | undefined) => Promise<Given>,
): Promise<Given> {
  if (use === null) return act(undefined);
  // The stored answer has the form of the one that was given first.
  return (await call.keyQueue.run<Answer>(call.workspace.id, use, () => replay(call, use), act)) as Given;
}

/**
 * Runs one transaction with the change, the key, and the answer that repetitions get. Of a refusal only the answer is
 * kept; one that is not final is thrown, and the key stays unused.
 */
export async function changeOnce(call: KeyedCall, use: KeyUse | null, act: (tx: Tx) => Answer): Promise<Answer> {
  const { store, workspace } = call;
  for (;;) {
    const answer = await store.write((tx): Answer | Problem | "claimed" => {
      if (use !== null && findKey(tx, workspace.id, use) !== undefined) return "claimed";
      const keep = (given: Answer): Answer => {
        if (use !== null) storeAnswer(tx, claimKey(tx, workspace.id, use), given);
        return given;
      };
      try {
        return keep(tx.savepoint(() => act(tx)));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (!isFinal(error)) return error;
        return keep(answerKept(use, error));
      }
    });
    if (answer instanceof Problem) throw answer;
    if (answer !== "claimed") return answer;
    const found = use === null ? null : replay(call, use);
    if (found !== null && "answer" in found) return found.answer;
  }
}

/** A refusal whose answer is kept, if there is a key to keep it under. */
function answerKept(use: KeyUse | null, problem: Problem): Answer {
  return answerProblem(use === null ? problem : toKeptProblem(problem), true);
}

/** The stored answer for the key, or the key without one; undefined: the key is free. */
function replay(
  { store, workspace }: KeyedCall,
  use: KeyUse,
): { answer: Answer } | { open: IdempotencyKey | undefined } {
  const found = store.read((tx) => findKey(tx, workspace.id, use));
  if (found === undefined || found.status === null) return { open: found };
  return {
    answer: { status: found.status, body: found.body ?? "", headers: { "idempotent-replayed": "true" } },
  };
}
