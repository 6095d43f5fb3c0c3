/**
 * Applies what the network says about templates: the listing of an account sync, and the network's own reports. A new
 * template emits no event. A template that the network no longer lists stays, disabled, because broadcasts and messages
 * refer to it.
 */
import { and, eq, lte } from "drizzle-orm";
import { changeRow } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { SIMULATOR_ACCOUNT } from "../numbers/add.ts";
import { type ChangeSource, recordChange } from "../numbers/network-changes.ts";
import type { TemplateComponent } from "./component.ts";
import { decideTemplate, publishUpdated } from "./decide.ts";
import { DELETED, recordedStatus, recordedWord, statusOf } from "./network-status.ts";
import { findInAccount } from "./read.ts";
import { type Template, templates } from "./table.ts";
import { nextOrder, type ParameterFormat, type TemplateCategory, templateCategories } from "./template.ts";

/** A template as the network lists it. */
export interface ListedTemplate {
  /** The network's id; null if it gives none. */
  id: string | null;
  name: string;
  language: string;
  /** The network's own values, in capitals. */
  category: string;
  status: string;
  quality: string | null;
  reason: string | null;
  components: TemplateComponent[];
  parameterFormat: ParameterFormat;
  isGenerated: boolean;
}

export interface AccountKey {
  workspaceId: number;
  accountId: string;
}

/** How many templates a listing added and changed. */
interface ListingResult {
  added: number;
  changed: number;
}

/** Applies a part of a listing that was made at the network's time `at`. */
export function applyListing(
  tx: Tx,
  account: AccountKey,
  listed: readonly ListedTemplate[],
  at: number,
): ListingResult {
  const result = { added: 0, changed: 0 };
  for (const entry of listed) {
    const known = findInAccount(tx, account.workspaceId, account.accountId, entry.name, entry.language);
    if (known === undefined) {
      insert(tx, account, entry, at);
      result.added += 1;
    } else if (update(tx, known, entry, at)) {
      result.changed += 1;
    }
  }
  return result;
}

/**
 * Disables the templates that are missing from a complete listing begun at `startedAt`. Returns how many, at most
 * `limit`: call again until it is fewer.
 */
export function retireMissing(
  tx: Tx,
  { workspaceId, accountId }: AccountKey,
  listed: ReadonlySet<string>,
  startedAt: number,
  limit: number,
): number {
  const known = tx.db
    .select({ name: templates.name, language: templates.language, word: templates.networkStatus })
    .from(templates)
    .where(
      and(
        eq(templates.workspaceId, workspaceId),
        eq(templates.accountId, accountId),
        lte(templates.createdAt, startedAt),
      ),
    )
    .all();
  const missing = known.filter((one) => one.word !== DELETED && !listed.has(keyOf(one))).slice(0, limit);
  for (const { name, language } of missing) {
    const template = findInAccount(tx, workspaceId, accountId, name, language);
    if (template !== undefined) retire(tx, template, Math.max(startedAt, template.statusAt));
  }
  return missing.length;
}

/** A refused template is not tried again for as long as the network's shortest pause. */
const REFUSED_FOR_MS = 3 * 60 * 60_000;

/** Identifies a template within its account. */
export function keyOf({ name, language }: { name: string; language: string }): string {
  return `${name} ${language}`;
}

/**
 * Applies the network's own report, made at its time `at`. A report that is older than what is known is recorded, and
 * changes nothing else. `knownAt`: when the last comparison was, if the report is older. Undefined: the template is not
 * known here, and an account sync has to find it.
 */
export function applyTemplateUpdate(
  tx: Tx,
  account: AccountKey,
  item: TemplateStatusUpdate | TemplateUpdate,
  at: number,
  knownAt = 0,
): Template | undefined {
  const known = findInAccount(tx, account.workspaceId, account.accountId, item.name, item.language);
  if (known === undefined) return undefined;
  const source: ChangeSource = account.accountId === SIMULATOR_ACCOUNT ? "own" : "report";
  const when: When = { at, knownAt, source };
  if (item.kind === "template") {
    return decideStatus(tx, known, item.event, item.reason, { ...when, knownAt: Math.max(knownAt, known.statusAt) });
  }
  const { change: reported } = item;
  if (reported.type === "quality") {
    const told = { property: "quality", known: known.quality, became: reported.score, was: reported.was } as const;
    return recordChange(tx, subjectOf(known), { ...told, ...when })
      ? change(tx, known, { quality: reported.score })
      : known;
  }
  if (reported.type === "category") {
    const category = categoryOf(reported.category);
    const was = categoryOf(reported.was);
    const told = { property: "category", known: known.category, became: category, was, ...when } as const;
    if (!recordChange(tx, subjectOf(known), told) || category === known.category) return known;
    const changed = change(tx, known, { category, ...madeChange(known, category, at), updatedAt: tx.now });
    publishUpdated(tx, changed);
    return changed;
  }
  return reported.type === "category_announced" && at >= knownAt ? announce(tx, known, reported) : known;
}

/** When and by whom something is said of a template, and since when what is stored is known to hold. */
interface When {
  at: number;
  knownAt?: number;
  source: ChangeSource;
}

function subjectOf({ workspaceId, id }: Template) {
  return { workspaceId, templateId: id };
}

/** What is stored of a change that the network has made. */
function madeChange({ category: from }: Template, to: TemplateCategory, at: number): Partial<Template> {
  return { categoryChange: { from, to, isMade: true }, categoryChangeAt: at };
}

type Announced = Extract<TemplateUpdate["change"], { type: "category_announced" }>;

/** The category changes later; until then the template is billed and sent as before. */
function announce(tx: Tx, known: Template, { category, effectiveAt }: Announced): Template {
  const to = categoryOf(category);
  // The network has revoked an announcement.
  if (to === known.category) {
    const isOpen = known.categoryChange?.isMade === false;
    return isOpen ? change(tx, known, { categoryChange: null, categoryChangeAt: null }) : known;
  }
  return change(tx, known, {
    categoryChange: { from: known.category, to, isMade: false },
    categoryChangeAt: effectiveAt,
  });
}

/** An unknown category counts as the one with the most rules. */
export function categoryOf(word: string): TemplateCategory {
  return templateCategories.find((known) => known === word) ?? "MARKETING";
}

function decideStatus(tx: Tx, template: Template, word: string, reason: string | null, when: When): Template {
  // Only a listing shows which status an unarchived template returns to.
  if (word === "UNARCHIVED") return template;
  const told = { property: "status", known: recordedStatus(template), became: recordedWord(word) } as const;
  if (!recordChange(tx, subjectOf(template), { ...told, ...when })) return template;
  const decided = decideTemplate(tx, template, statusOf(word), reason);
  return change(tx, decided, { networkStatus: word, statusReason: reason, statusAt: when.at });
}

/** The network no longer has it: broadcasts and messages refer to it, so it stays. */
export function retire(tx: Tx, template: Template, at: number): Template {
  return decideStatus(tx, template, DELETED, null, { at, source: "comparison" });
}

function insert(tx: Tx, { workspaceId, accountId }: AccountKey, listed: ListedTemplate, at: number): void {
  tx.db
    .insert(templates)
    .values({
      workspaceId,
      accountId,
      name: listed.name,
      language: listed.language,
      category: categoryOf(listed.category),
      status: statusOf(listed.status),
      components: listed.components,
      parameterFormat: listed.parameterFormat,
      wasApproved: statusOf(listed.status) === "APPROVED",
      networkStatus: listed.status,
      statusReason: listed.reason,
      statusAt: at,
      quality: listed.quality,
      networkId: listed.id,
      generated: listed.isGenerated,
      createdAt: tx.now,
      updatedAt: tx.now,
    })
    .run();
}

/** Updates the content first, so that an event about a decision shows the template as it is now. */
function update(tx: Tx, known: Template, listed: ListedTemplate, at: number): boolean {
  const { category, quality } = compare(tx, known, listed, at);
  const isSame =
    known.category === category &&
    known.parameterFormat === listed.parameterFormat &&
    JSON.stringify(known.components) === JSON.stringify(listed.components);
  const { parameterFormat, components } = listed;
  const after = { category, parameterFormat, components, parameterOrder: known.parameterOrder };
  const parameterOrder = known.wasApproved ? nextOrder(known, after) : null;
  const made = known.category === category ? {} : madeChange(known, category, at);
  const content = isSame ? known : change(tx, known, { ...after, ...made, parameterOrder, updatedAt: tx.now });
  // A refused message is newer than what the listing has said all along, and a report after this listing is newer, too.
  const isKept = content.networkStatus === listed.status && at < content.statusAt + REFUSED_FOR_MS;
  const decided =
    at < content.statusAt ||
    isKept ||
    (content.networkStatus === listed.status && content.status === statusOf(listed.status))
      ? content
      : decideStatus(tx, content, listed.status, listed.reason, { at, source: "comparison" });
  const networkId = listed.id ?? decided.networkId;
  const details = { quality, networkId, generated: listed.isGenerated };
  if (
    decided.quality !== details.quality ||
    decided.networkId !== details.networkId ||
    decided.generated !== details.generated
  )
    change(tx, decided, details);
  if (!isSame && decided.status === known.status) publishUpdated(tx, decided);
  return !isSame || decided.status !== known.status;
}

/** Records what the listing changes; returns what holds at present: a later report counts more than an earlier listing. */
function compare(tx: Tx, known: Template, listed: ListedTemplate, at: number): Pick<Template, "category" | "quality"> {
  const category = categoryOf(listed.category);
  const { quality } = listed;
  const when = { at: Math.min(at, tx.now), source: "comparison" } as const;
  const isPresent = (property: "category" | "quality", was: string | null, became: string | null): boolean =>
    became === null || became === was || recordChange(tx, subjectOf(known), { property, known: was, became, ...when });
  return {
    category: isPresent("category", known.category, category) ? category : known.category,
    quality: isPresent("quality", known.quality, quality) ? quality : known.quality,
  };
}

function change(tx: Tx, template: Template, changes: Partial<Template>): Template {
  return changeRow(tx, templates, { id: template.id }, changes) ?? template;
}

interface TemplateItemBase {
  /** The network's id of the account that owns the template. */
  accountId: string;
  name: string;
  /** As the API writes it, `en_US`. */
  language: string;
  /** The network's time, milliseconds; null if it gave none. */
  at: number | null;
}

/** The network's decision on a template. */
export interface TemplateStatusUpdate extends TemplateItemBase {
  kind: "template";
  /** The network's own status in capitals: `APPROVED`, `REJECTED`, `PAUSED` … */
  event: string;
  /** The network's reason; null if it gave none. */
  reason: string | null;
}

/** A change other than a decision. */
export interface TemplateUpdate extends TemplateItemBase {
  kind: "template_update";
  change: /** `was`: the score before, if the network says it. */
    | { type: "quality"; score: string; was: string | null }
    /** The template has another category now, and so another price and other rules. */
    | { type: "category"; category: string; was: string }
    /** It will have another one. `effectiveAt`: from when, milliseconds. */
    | { type: "category_announced"; category: string; effectiveAt: number }
    /** Text, buttons, or an announced change: an account sync finds out. */
    | { type: "changed" };
}
