/** Makes an API key. The key itself is returned once and kept nowhere. */
import { invalidRequest } from "#src/primitives/problem.ts";
import { hashToken, newToken } from "#src/primitives/secret.ts";
import type { Tx } from "#src/storage/transaction.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { type ApiKey, apiKeys } from "./table.ts";

const KEY_PREFIX = "wx_";
const KEY_BYTES = 32;
/** Enough to tell keys apart, far too little to guess one. */
const SHOWN_CHARACTERS = 9;
const NAME_LENGTH_MAX = 100;

export interface CreatedKey extends ApiKey {
  /** The bearer key in clear. */
  key: string;
}

export function createKey(tx: Tx, workspaceId: number, name: string): CreatedKey {
  getWorkspace(tx, workspaceId);
  const shown = name.trim();
  if (shown === "" || [...shown].length > NAME_LENGTH_MAX) {
    throw invalidRequest({ name: [`A key's name has 1 to ${NAME_LENGTH_MAX} characters.`] });
  }
  const key = newToken(tx.random, KEY_PREFIX, KEY_BYTES);
  const row = tx.db
    .insert(apiKeys)
    .values({
      workspaceId,
      name: shown,
      prefix: key.slice(0, SHOWN_CHARACTERS),
      hash: hashToken(key),
      createdAt: tx.now,
    })
    .returning()
    .get();
  return { ...row, key };
}
