/** Changes the settings of a number that an operator may change: its name, its throughput, its secrets. */
import { and, eq, isNull } from "drizzle-orm";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { scheduleSync } from "./account-sync.ts";
import { checkName, checkThroughput } from "./add.ts";
import { numbers, type SendingNumber } from "./table.ts";

/**
 * Undefined fields stay unchanged. Secrets are passed sealed; an `appSecret` of null falls back to the configuration's.
 */
export interface NumberChanges {
  name?: string;
  throughput?: number;
  accessToken?: string;
  appSecret?: string | null;
}

export function updateNumber(tx: Tx, number: SendingNumber, changes: NumberChanges): SendingNumber {
  const fields: Record<string, string[]> = {};
  if (changes.name !== undefined) checkName(changes.name.trim(), fields);
  if (changes.throughput !== undefined) checkThroughput(changes.throughput, fields);
  const secrets = (["accessToken", "appSecret"] as const).filter((name) => changes[name] !== undefined);
  if (number.network === "simulator" && secrets.length > 0) {
    fields.network = ["A simulator number has no token or secret."];
  }
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  const updated = tx.db
    .update(numbers)
    .set({ ...changes, ...(changes.name === undefined ? {} : { name: changes.name.trim() }) })
    .where(and(eq(numbers.id, number.id), isNull(numbers.removedAt)))
    .returning()
    .get();
  if (updated === undefined) throw notFound("number");
  if (changes.accessToken !== undefined) scheduleSync(tx, updated, 0);
  return updated;
}
