/** The hot statements of idempotency keys: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite } from "#src/db/hot-statement.ts";
import { hotFind } from "#src/db/hot-table.ts";
import { idempotencyKeys } from "./table.ts";

const key = getTableColumns(idempotencyKeys);

export const keyByName = hotFind(idempotencyKeys, ["workspaceId", "key"]);

/** The key, or any that begins as a hidden one does, which says that the key may be hidden, too. */
export const keyOrHidden = hotQuery(
  `SELECT ${columns(key)} FROM idempotency_keys WHERE workspace_id = +:workspaceId AND key = +:key
  UNION ALL SELECT ${columns(key)} FROM idempotency_keys WHERE id = (SELECT id FROM idempotency_keys
    WHERE workspace_id = +:workspaceId AND key >= 'erased' AND key < 'erasee' LIMIT 1)`,
  key,
  key,
);

/** A key that exists is one whose answer has expired: it starts anew. */
export const insertKey = hotQuery(
  `INSERT INTO idempotency_keys (workspace_id, key, fingerprint, created_at)
  VALUES (:workspaceId, :key, :fingerprint, :createdAt)
  ON CONFLICT (workspace_id, key) DO UPDATE SET
    fingerprint = excluded.fingerprint, message_id = NULL, status = NULL, body = NULL, created_at = excluded.created_at
  RETURNING id`,
  key,
  { id: key.id },
);

export const linkMessage = hotWrite("UPDATE idempotency_keys SET message_id = :messageId WHERE id = +:id", key);

export const insertAnswer = hotWrite(
  "UPDATE idempotency_keys SET status = :status, body = :body WHERE id = +:id AND status IS NULL",
  key,
);

export const deleteOpenKey = hotWrite("DELETE FROM idempotency_keys WHERE id = +:id AND status IS NULL", key);
