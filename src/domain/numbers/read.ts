/** Looking numbers up: for a workspace, or by what a network calls them. */
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { notFound } from "#src/primitives/problem.ts";
import { type Reading, statement } from "#src/storage/transaction.ts";
import { numbers, type SendingNumber } from "./table.ts";

const ofWorkspace = statement((db) =>
  db
    .select()
    .from(numbers)
    .where(and(eq(numbers.workspaceId, sql.placeholder("workspaceId")), isNull(numbers.removedAt)))
    .orderBy(asc(numbers.id))
    .prepare(),
);

export function listNumbers(reading: Reading, workspaceId: number): SendingNumber[] {
  return ofWorkspace(reading).all({ workspaceId });
}

const byId = statement((db) =>
  db
    .select()
    .from(numbers)
    .where(eq(numbers.id, sql.placeholder("id")))
    .prepare(),
);

/** For our own work on a message of this number; undefined once the number was removed. */
export function findNumber(reading: Reading, id: number): SendingNumber | undefined {
  const number = byId(reading).get({ id });
  return number?.removedAt === null ? number : undefined;
}

/** Throws `not_found`; for commands, whose ids are the server's own. */
export function getNumber(reading: Reading, id: number): SendingNumber {
  const number = findNumber(reading, id);
  if (number === undefined) throw notFound("number");
  return number;
}

const byPhoneNumberId = statement((db) =>
  db
    .select()
    .from(numbers)
    .where(and(eq(numbers.phoneNumberId, sql.placeholder("phoneNumberId")), isNull(numbers.removedAt)))
    .prepare(),
);

/** The number that a network's callback speaks of. The id names one number on the whole server. */
export function findByPhoneNumberId(reading: Reading, phoneNumberId: string): SendingNumber | undefined {
  return byPhoneNumberId(reading).get({ phoneNumberId });
}
