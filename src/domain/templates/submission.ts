/**
 * Templates that are given to the network: what is checked before, the intent that is stored before the request leaves, and
 * what its outcome changes. At most one submission of a name and language is open. An open one may have arrived, so it is
 * looked for in the account's list before anything is tried again.
 */
import { and, count, eq, gt, isNull, ne, sql } from "drizzle-orm";
import { type Fault, unknownName } from "#src/core/fault.ts";
import { invalidRequest, noProblems, Problem } from "#src/core/problem.ts";
import { insertRow, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findUpload } from "../media/read.ts";
import { scheduleSync } from "../numbers/account-sync.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { publishUpdated } from "./decide.ts";
import { DELETED } from "./network-status.ts";
import { findInAccount, listLanguages } from "./read.ts";
import type { CheckContext, Corrected, LibraryEntry } from "./rules/candidate.ts";
import { checkTemplate, type RuleId, templateRules } from "./rules/check.ts";
import { templateMembers } from "./rules/general.ts";
import { listedFrom, networkFormat, type Submitted, storedFormat } from "./submitted.ts";
import { applyListing, categoryOf, type ListedTemplate, retire } from "./sync.ts";
import { type Submission, type Template, templateSubmissions, templates } from "./table.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Longer than any request takes: until then, another process may still wait for its answer. */
const IN_FLIGHT_MS = 60_000;
/** An account sync finds the outcome of a submission whose outcome was lost. */
const LOOK_AFTER_MS = 60_000;
const BLOCKED_MS = 30 * DAY_MS;
/** More templates with the same body than a person keeps. */
const SAME_MAX = 20;

type Body = Readonly<Record<string, unknown>>;

export type SubmissionAction = Submission["action"];

/** One template of one account, or all languages of a name. */
export interface SubmissionKey {
  workspaceId: number;
  accountId: string;
  name: string;
  language: string | null;
}

interface SubmissionProblem {
  path: string;
  rule: RuleId | "sample_unknown" | "sample_type";
  message: string;
}

/**
 * What is wrong with a template for this account. `action` null: it is a correction where the account has the template, a
 * new one elsewhere. `entry`: the template of the library that it names; null: there is none; absent: the library was not asked.
 */
export function findProblems(
  tx: ReadTx,
  key: SubmissionKey,
  body: Body,
  action: "create" | "correct" | null,
  entry?: LibraryEntry | null,
): SubmissionProblem[] {
  const known = findKnown(tx, key);
  const there = known !== undefined && known.networkStatus !== DELETED ? known : null;
  const isNew = action === "create" || (action === null && there === null);
  const context: CheckContext = {
    ...contextOf(tx, key, body),
    ...(entry === undefined ? {} : { library: entry }),
    ...(isNew
      ? { isTaken: there !== null, isBlocked: isBlocked(tx, known) }
      : { corrected: correctedOf(tx, key, there) }),
  };
  const problems = checkTemplate(body, context).map((one) =>
    one.rule === "member_unknown" ? { ...one, message: unknownMember(one).sentence } : one,
  );
  return [...problems, ...findWrongSamples(tx, key.workspaceId, body)];
}

/** Names the member that was probably meant. */
function unknownMember({ path, message }: Pick<SubmissionProblem, "path" | "message">): Fault {
  return unknownName(message, path, templateMembers);
}

/** Throws `invalid_request` for members that no template has. */
export function requireKnownMembers(body: Body): void {
  const unknown = checkTemplate(body).filter(({ rule }) => rule === "member_unknown");
  if (unknown.length > 0)
    throw invalidRequest(Object.fromEntries(unknown.map((one) => [one.path, [unknownMember(one)]])));
}

/** Throws `invalid_request` with every problem. Returns what leaves, without the handles of its samples. */
export function requireSubmittable(
  tx: ReadTx,
  key: SubmissionKey,
  body: Body,
  action: "create" | "correct",
  entry?: LibraryEntry | null,
): Submitted {
  const fields = noProblems();
  for (const one of findProblems(tx, key, body, action, entry))
    fields[one.path] = [...(fields[one.path] ?? []), faultOf(one)];
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return networkFormat(body, entry);
}

/** A rule's id ends with the kind of mistake that programs know. */
function faultOf({ rule, path, message: sentence }: SubmissionProblem): Fault {
  const limit = Object.hasOwn(templateRules, rule) ? templateRules[rule as RuleId].limit : undefined;
  const kinds = [
    { end: "_too_long", rule: "too_long" },
    { end: "_too_many", rule: "too_many" },
    { end: "_missing", rule: "required" },
    { end: "_unknown", rule: "one_of" },
    { end: "_format", rule: "format" },
    { end: "_form", rule: "format" },
    { end: "_type", rule: "format" },
  ] as const;
  if (rule === "sample_unknown") return { rule: "not_found", sentence };
  if (rule === "member_unknown") return { ...unknownName("", path, templateMembers), sentence };
  const kind = kinds.find(({ end }) => rule.endsWith(end))?.rule ?? "invalid";
  return { rule: kind, sentence, ...(limit === undefined || !kind.startsWith("too_") ? {} : { limit }) };
}

/** What Meta's resumable upload takes as the sample of each format. */
const SAMPLE_TYPES: Readonly<Record<string, { types: readonly string[]; words: string }>> = {
  IMAGE: { types: ["image/jpeg", "image/png"], words: "a JPEG or PNG" },
  VIDEO: { types: ["video/mp4"], words: "an MP4" },
  GIF: { types: ["video/mp4"], words: "an MP4" },
  DOCUMENT: { types: ["application/pdf"], words: "a PDF" },
};

function findWrongSamples(tx: ReadTx, workspaceId: number, body: Body): SubmissionProblem[] {
  return networkFormat(body).samples.flatMap(({ path, format, id }): SubmissionProblem[] => {
    const found = findUpload(tx, workspaceId, id)?.upload;
    const taken = SAMPLE_TYPES[format];
    if (found === undefined) {
      const message = "There is no such upload, or not any more: POST /media answers with the id.";
      return [{ path, rule: "sample_unknown", message }];
    }
    if (taken === undefined || taken.types.includes(found.mimeType)) return [];
    return [
      { path, rule: "sample_type", message: `A sample of this header is ${taken.words}; this is ${found.mimeType}.` },
    ];
  });
}

function findKnown(tx: ReadTx, { workspaceId, accountId, name, language }: SubmissionKey): Template | undefined {
  return language === null ? undefined : findInAccount(tx, workspaceId, accountId, name, language);
}

/** Meta blocks the name of an approved template that was deleted. */
function isBlocked(tx: ReadTx, known: Template | undefined): boolean {
  return known?.networkStatus === DELETED && known.wasApproved && tx.now < known.statusAt + BLOCKED_MS;
}

/** Other templates of the language with the same body. */
function contextOf(tx: ReadTx, key: SubmissionKey, { components }: Body): CheckContext {
  const { workspaceId, accountId, name, language } = key;
  const listed = (Array.isArray(components) ? components : []) as ({ type?: unknown; text?: unknown } | null)[];
  const text = listed.find((one) => String(one?.type).toUpperCase() === "BODY")?.text;
  if (typeof text !== "string" || text === "" || language === null) return {};
  const known = tx.db
    .select()
    .from(templates)
    .where(
      and(
        eq(templates.workspaceId, workspaceId),
        eq(templates.accountId, accountId),
        eq(templates.language, language),
        ne(templates.name, name),
        ne(templates.status, "DISABLED"),
        sql`instr(${templates.components}, ${JSON.stringify(text)}) > 0`,
      ),
    )
    .limit(SAME_MAX)
    .all();
  return { known };
}

function correctedOf(tx: ReadTx, key: SubmissionKey, known: Template | null): Corrected | null {
  if (known === null) return null;
  const since = (ms: number): number => countCorrections(tx, key, tx.now - ms);
  return { category: known.category, status: known.status, today: since(DAY_MS), month: since(30 * DAY_MS) };
}

/** While it was approved. */
function countCorrections(tx: ReadTx, key: SubmissionKey, since: number): number {
  const row = tx.db
    .select({ total: count() })
    .from(templateSubmissions)
    .where(
      and(
        ofKey(key),
        eq(templateSubmissions.action, "correct"),
        eq(templateSubmissions.state, "accepted"),
        gt(templateSubmissions.createdAt, since),
        sql`json_extract(${templateSubmissions.before}, '$.status') = 'APPROVED'`,
      ),
    )
    .get();
  return row?.total ?? 0;
}

function ofKey({ workspaceId, accountId, name, language }: SubmissionKey) {
  return and(
    eq(templateSubmissions.workspaceId, workspaceId),
    eq(templateSubmissions.accountId, accountId),
    eq(templateSubmissions.name, name),
    language === null ? isNull(templateSubmissions.language) : eq(templateSubmissions.language, language),
  );
}

/** The submission of which it is not known whether the network has it. */
export function findOpen(tx: ReadTx, key: SubmissionKey): Submission | undefined {
  return tx.db
    .select()
    .from(templateSubmissions)
    .where(and(ofKey(key), eq(templateSubmissions.state, "open")))
    .get();
}

/** Throws `unavailable` while the request may still be under way, in this process or in another. */
export function requireOver(tx: ReadTx, open: Submission): void {
  const waitMs = open.createdAt + IN_FLIGHT_MS - tx.now;
  if (waitMs > 0) throw inDoubt(waitMs);
}

/** The outcome of a submission is not known. */
export function inDoubt(retryAfterMs = IN_FLIGHT_MS): Problem {
  return new Problem(
    "unavailable",
    "It is not known whether WhatsApp has taken the template. Repeat the request in a minute: the account's templates are read first, and nothing is submitted twice.",
    { outcome: "unknown", retryAfterMs },
  );
}

/** Stores the intent, before the request leaves. Throws `unavailable` if another one is open. */
export function beginSubmission(
  tx: Tx,
  number: SendingNumber,
  key: SubmissionKey,
  action: SubmissionAction,
  request: Submitted["request"] | null,
): Submission {
  const open = findOpen(tx, key);
  if (open !== undefined) throw inDoubt(Math.max(1_000, open.createdAt + IN_FLIGHT_MS - tx.now));
  const known = action === "correct" ? findKnown(tx, key) : undefined;
  const before = known === undefined ? null : { status: known.status, components: known.components };
  scheduleSync(tx, number, LOOK_AFTER_MS);
  const row = { ...key, action, before, state: "open" as const, createdAt: tx.now, request };
  return insertRow(tx, templateSubmissions, row);
}

/** The network has certainly not taken it. */
export function endSubmission(tx: Tx, { id }: Submission, state: "refused" | "absent"): void {
  updateRows(tx, templateSubmissions, { id }, { state });
}

/** The network took it. `shown`: what it said of the template. Returns the templates that it is about. */
export function acceptSubmission(
  tx: Tx,
  submission: Submission,
  shown: Partial<ListedTemplate> | null,
  at: number,
): Template[] {
  updateRows(tx, templateSubmissions, { id: submission.id }, { state: "accepted" });
  const changed =
    submission.action === "delete" ? removeTemplates(tx, submission, at) : [save(tx, submission, shown ?? {}, at)];
  for (const template of changed) publishUpdated(tx, template);
  return changed;
}

function save(tx: Tx, submission: Submission, shown: Partial<ListedTemplate>, at: number): Template {
  const key = { ...submission, language: submission.language ?? "" };
  const known = findKnown(tx, key);
  const listed = listedFrom(submission, known);
  if (known !== undefined && listed.category !== known.category) {
    // Only a category other than the one that was asked for is a change by the network.
    const asked = { category: categoryOf(listed.category), categoryChange: null, categoryChangeAt: null };
    updateRows(tx, templates, { id: known.id }, asked);
  }
  if (submission.action === "create" && known !== undefined) {
    // A name that was deleted is used again: what was known of the former template does not hold for this one.
    const fresh = { wasApproved: false, parameterOrder: null, sampleLink: null, createdAt: tx.now };
    updateRows(tx, templates, { id: known.id }, fresh);
  }
  const entry = { ...listed, ...shown };
  applyListing(tx, key, [entry], at);
  const saved = findKnown(tx, key);
  if (saved === undefined) throw new Error(`template ${submission.name} was not saved`);
  return saved;
}

function removeTemplates(tx: Tx, { workspaceId, accountId, name, language }: Submission, at: number): Template[] {
  return listLanguages(tx, workspaceId, accountId, name)
    .filter((one) => (language === null || one.language === language) && one.networkStatus !== DELETED)
    .map((one) => retire(tx, one, Math.max(at, one.statusAt)));
}

/**
 * What the account's list says of an open submission: the network took it, with the entry that shows it; or it did not.
 * `listed`: all templates of the name.
 */
export function judgeOpen(
  { action, language, before }: Submission,
  listed: readonly ListedTemplate[],
): { isTaken: boolean; entry: ListedTemplate | null } {
  const entries = listed.filter((one) => language === null || one.language === language);
  const entry = entries[0] ?? null;
  if (action === "delete") return { isTaken: entries.every(({ status }) => status.includes("DELET")), entry: null };
  if (action === "create" || entry === null) return { isTaken: entry !== null, entry };
  const isChanged =
    JSON.stringify(storedFormat(entry.components)) !== JSON.stringify(storedFormat(before?.components ?? []));
  return { isTaken: isChanged || entry.status === "PENDING", entry };
}

/** Whether the open submission is of the same request. */
export function isSameRequest(
  { request, action }: Submission,
  asked: Submitted["request"] | null,
  of: SubmissionAction,
): boolean {
  const parts = (one: Submitted["request"] | null) =>
    JSON.stringify(
      one === null
        ? null
        : [one.category, storedFormat(one.library === undefined ? one.components : [{ ...one.library }])],
    );
  return action === of && parts(request) === parts(asked);
}

/** Of a template that was stored before the network's ids were. */
export function rememberId(tx: Tx, { id }: Template, networkId: string): void {
  updateRows(tx, templates, { id }, { networkId });
}
