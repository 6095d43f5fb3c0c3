/** Seals every stored secret again with the current master key, a few rows at a time, also while a server runs. */
import { accountContext, certificateContext } from "#src/certificates/rows.ts";
import { keyIdOf, type SecretBox, SecretUnreadable } from "#src/core/secret.ts";
import type { Client } from "#src/db/driver.ts";
import { HASH_KEY_CONTEXT } from "#src/db/kept-keys.ts";
import type { Store } from "#src/db/store.ts";
import { totpContext } from "#src/domain/users/second-factor.ts";
import { webhookSecretContext } from "#src/domain/webhooks/address.ts";
import {
  accessTokenContext,
  appSecretContext,
  draftSecretContext,
  draftTokenContext,
} from "#src/networks/credentials.ts";

interface SealedColumn {
  table: string;
  column: string;
  /** Column with the row's key. */
  key: string;
  /** Column that the context names. */
  bound: string;
  context: (bound: string) => string;
}

/** Every column that holds sealed values; a test compares the list with what a database contains. */
export const sealedColumns: readonly SealedColumn[] = [
  sealed("kept_keys.sealed", "purpose", "purpose", () => HASH_KEY_CONTEXT),
  sealed("acme_accounts.private_key", "directory", "directory", accountContext),
  sealed("certificates.private_key", "id", "id", byNumber(certificateContext)),
  sealed("numbers.access_token", "id", "phone_number_id", accessTokenContext),
  sealed("numbers.app_secret", "id", "phone_number_id", appSecretContext),
  ...["secret", "previous_secret"].flatMap((column) => [
    sealed(`webhooks.${column}`, "workspace_id", "workspace_id", byNumber(webhookSecretContext)),
    sealed(`further_webhooks.${column}`, "id", "workspace_id", byNumber(webhookSecretContext)),
  ]),
  sealed("connection_drafts.access_token", "workspace_id", "workspace_id", byNumber(draftTokenContext)),
  sealed("connection_drafts.app_secret", "workspace_id", "workspace_id", byNumber(draftSecretContext)),
  sealed("users.totp_secret", "id", "id", byNumber(totpContext)),
  sealed("users.totp_pending", "id", "id", byNumber(totpContext)),
];

function sealed(place: string, key: string, bound: string, context: SealedColumn["context"]): SealedColumn {
  const [table = "", column = ""] = place.split(".");
  return { table, column, key, bound, context };
}

function byNumber(context: (id: number) => string): SealedColumn["context"] {
  return (bound) => context(Number(bound));
}

const ROWS_A_STEP = 50;

export interface Resealed {
  count: number;
  /** Values that no key opens, such as `numbers.access_token 7`. They stay as they are. */
  unreadable: string[];
}

/** Repeatable: values that are sealed with the current key already are skipped. */
export async function resealAll(store: Store, box: SecretBox): Promise<Resealed> {
  const result: Resealed = { count: 0, unreadable: [] };
  for (const column of sealedColumns) {
    let after: string | number | null = null;
    do {
      after = await store.write(() => resealStep(store.client, box, column, after, result));
    } while (after !== null);
  }
  return result;
}

/** Returns the key of the last row; null at the end of the table. */
function resealStep(
  client: Client,
  box: SecretBox,
  { table, column, key, bound, context }: SealedColumn,
  after: string | number | null,
  result: Resealed,
): string | number | null {
  const rows = client
    .prepare(
      `SELECT ${key} AS key, ${bound} AS bound, ${column} AS sealed FROM ${table}
      WHERE ${column} IS NOT NULL AND (@after IS NULL OR ${key} > @after) ORDER BY ${key} LIMIT ${ROWS_A_STEP}`,
    )
    .all({ after }) as { key: string | number; bound: string | number; sealed: string }[];
  const update = client.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`);
  for (const row of rows) {
    if (keyIdOf(row.sealed) === box.currentKeyId()) continue;
    const place = context(String(row.bound));
    try {
      update.run(box.seal(box.open(row.sealed, place), place), row.key);
      result.count += 1;
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error;
      result.unreadable.push(`${table}.${column} ${row.key}`);
    }
  }
  return rows.length < ROWS_A_STEP ? null : (rows.at(-1)?.key ?? null);
}

/** How many values each key has sealed, by the key's id. */
export function countSealed(client: Client): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { table, column } of sealedColumns) {
    const sealed = client.prepare(`SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL`).pluck();
    for (const value of sealed.iterate() as Iterable<string>) {
      const id = keyIdOf(value) ?? "unknown";
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return counts;
}
