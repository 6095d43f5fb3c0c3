/**
 * The changes that the network made to a number or a template: its quality, its limit, its status, its category. Reports
 * arrive late, twice and in any order, and a comparison finds changes that no report told of. What is recorded is in the
 * order of the network's time, each change begins with the value that the previous one ends with, and each is recorded once.
 */
import { and, asc, desc, eq, gt, inArray, lt, lte, or } from "drizzle-orm";
import { updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { type ChangedProperty, type NetworkChange, networkChanges } from "./table.ts";

/** A number or a template. */
type ChangeSubject = { workspaceId: number } & ({ numberId: number } | { templateId: number });

/**
 * Who says so. `report`: the network, on its own; it may repeat one and send them in any order. `comparison`: what the
 * network answers when it is asked. `own`: a person or this server, or the simulator, whose reports come in order.
 */
export type ChangeSource = "report" | "comparison" | "own";

interface Told {
  property: ChangedProperty;
  /** What is stored as the present value, and since when it is known to hold: older changes are over. */
  known: string | null;
  knownAt?: number;
  became: string | null;
  /** What it was, as the network says. */
  was?: string | null;
  at: number;
  source: ChangeSource;
}

/** Records the change unless it is recorded. Returns whether `became` is the present value: nothing newer is known. */
export function recordChange(tx: Tx, subject: ChangeSubject, told: Told): boolean {
  const { source, known, knownAt = 0, became, at } = told;
  const last = findNeighbour(tx, subject, told, "before");
  const next = findNeighbour(tx, subject, told, "after");
  if (source === "report" && told.was !== last?.became && isRecorded(tx, subject, told)) return false;
  const isPresent = source === "own" || (next === undefined && at >= knownAt);
  const was = isPresent && known !== became ? (known ?? wasBefore(told, last, next)) : wasBefore(told, last, next);
  // What the first comparison finds has not changed.
  if (was === became || (source === "comparison" && was === null)) return isPresent;
  if (next?.became === became) {
    // A comparison, or a later report, found the same change first.
    updateRows(tx, networkChanges, { id: next.id }, { was, at });
    return false;
  }
  insert(tx, subject, { ...told, was });
  if (next !== undefined) updateRows(tx, networkChanges, { id: next.id }, { was: became });
  else if (!isPresent && known !== became) insert(tx, subject, { ...told, was: became, became: known, at: knownAt });
  return isPresent;
}

/** The value before a change between these two; of a change to itself, the network says nothing. */
function wasBefore(
  { was: said = null, became, known }: Told,
  last: NetworkChange | undefined,
  next: NetworkChange | undefined,
): string | null {
  return last?.became ?? (said === became ? null : said) ?? next?.was ?? known;
}

function insert(tx: Tx, subject: ChangeSubject, { property, was = null, became, at }: Told): void {
  tx.db
    .insert(networkChanges)
    .values({ numberId: null, templateId: null, ...subject, property, was, became, at })
    .run();
}

function findNeighbour(
  tx: ReadTx,
  subject: ChangeSubject,
  { property, at, source }: Told,
  side: "before" | "after",
): NetworkChange | undefined {
  const isBefore = side === "before";
  // The clock of a test may have been put back.
  if (source === "own" && !isBefore) return undefined;
  return tx.db
    .select()
    .from(networkChanges)
    .where(
      and(
        isOf(subject),
        eq(networkChanges.property, property),
        source === "own" ? undefined : isBefore ? lte(networkChanges.at, at) : gt(networkChanges.at, at),
      ),
    )
    .orderBy(...(isBefore ? newestFirst : [asc(networkChanges.at), asc(networkChanges.id)]))
    .limit(1)
    .get();
}

function isRecorded(tx: ReadTx, subject: ChangeSubject, { property, became, at }: Told): boolean {
  if (became === null) return false;
  const found = tx.db
    .select({ id: networkChanges.id })
    .from(networkChanges)
    .where(
      and(
        isOf(subject),
        eq(networkChanges.at, at),
        eq(networkChanges.property, property),
        eq(networkChanges.became, became),
      ),
    )
    .get();
  return found !== undefined;
}

const newestFirst = [desc(networkChanges.at), desc(networkChanges.id)];

function isOf(subject: ChangeSubject) {
  return "numberId" in subject
    ? eq(networkChanges.numberId, subject.numberId)
    : eq(networkChanges.templateId, subject.templateId);
}

export type ListedSubject = { numberId: number } | { templateIds: number[] } | { workspaceId: number };

interface ChangePosition {
  at: number;
  id: number;
}

/** Newest first. `of`: a number, the languages of a template, or everything in the workspace. */
export function listChanges(
  { db }: ReadTx,
  of: ListedSubject,
  after: ChangePosition | null,
  limit: number,
): NetworkChange[] {
  return db
    .select()
    .from(networkChanges)
    .where(
      and(
        matches(of),
        after === null
          ? undefined
          : or(lt(networkChanges.at, after.at), and(eq(networkChanges.at, after.at), lt(networkChanges.id, after.id))),
      ),
    )
    .orderBy(...newestFirst)
    .limit(limit)
    .all();
}

function matches(of: ListedSubject) {
  if ("numberId" in of) return eq(networkChanges.numberId, of.numberId);
  if ("templateIds" in of) return inArray(networkChanges.templateId, of.templateIds);
  return eq(networkChanges.workspaceId, of.workspaceId);
}
