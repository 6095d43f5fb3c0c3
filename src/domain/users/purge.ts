/**
 * Deletes what signing in leaves behind: expired form answers, sessions and devices, forgiven sign-in attempts. One
 * query checks all of them first, because nearly always there is nothing to delete.
 */
import { lte, sql } from "drizzle-orm";
import { statement, type Tx } from "#src/db/transaction.ts";
import { FORM_ANSWER_RETENTION_MS, purgeFormAnswers } from "./form-answers.ts";
import { purgeDevices } from "./known-devices.ts";
import { purgeSessions } from "./sessions.ts";
import { purgeSignInAttempts } from "./sign-in-throttle.ts";
import { formAnswers, knownDevices, sessions, signInAttempts } from "./table.ts";
import { ATTEMPTS_RESET_AFTER_MS } from "./user.ts";

const expiredKinds = statement((db) =>
  db
    .select({
      answers: sql<number>`exists (select 1 from ${formAnswers} where ${lte(formAnswers.createdAt, sql.placeholder("answeredBy"))})`,
      sessions: sql<number>`exists (select 1 from ${sessions} where ${lte(sessions.expiresAt, sql.placeholder("now"))})`,
      devices: sql<number>`exists (select 1 from ${knownDevices} where ${lte(knownDevices.expiresAt, sql.placeholder("now"))})`,
      tries: sql<number>`exists (select 1 from ${signInAttempts} where ${lte(signInAttempts.lastAt, sql.placeholder("triedBy"))})`,
    })
    .from(sql`(select 1)`)
    .prepare(),
);

/** Deletes up to `limit` rows of each kind in one transaction; returns the largest of the counts. */
export function purgeSignIns(tx: Tx, limit: number): number {
  const old = expiredKinds(tx).get({
    answeredBy: tx.now - FORM_ANSWER_RETENTION_MS,
    now: tx.now,
    triedBy: tx.now - ATTEMPTS_RESET_AFTER_MS,
  });
  return Math.max(
    old?.answers ? purgeFormAnswers(tx, limit) : 0,
    old?.sessions ? purgeSessions(tx, limit) : 0,
    old?.devices ? purgeDevices(tx, limit) : 0,
    old?.tries ? purgeSignInAttempts(tx, limit) : 0,
  );
}
