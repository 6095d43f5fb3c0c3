/**
 * Drafts of templates: written, saved and turned into at most one template each. The transaction that records what the
 * network took stores the template's id in the draft, so that a second press, a reload or another device finds it.
 */
import { and, desc, eq, isNull } from "drizzle-orm";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { changeRow, deleteRows, findRow, insertRow, listSome, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { TemplateComponent } from "./component.ts";
import { storedFormat } from "./submitted.ts";
import { type Template, type TemplateDraft, templateDrafts, templateSubmissions } from "./table.ts";

const LISTED_MAX = 50;
/** Beyond this, drafts have to be discarded first: each is a row that people read. */
const KEPT_MAX = 200;

export type DraftContent = TemplateDraft["content"];

/** What a draft begins with: nothing, or a template. */
type DraftStart = "correction" | "copy" | "language";

/** Throws `invalid_request` if the workspace has too many unsent drafts. */
export function createTemplateDraft(
  tx: Tx,
  workspaceId: number,
  userId: number,
  draft: { content: DraftContent; corrects: number | null },
): TemplateDraft {
  const kept = tx.db
    .select({ id: templateDrafts.id })
    .from(templateDrafts)
    .where(unsentOf(workspaceId))
    .limit(KEPT_MAX)
    .all().length;
  if (kept >= KEPT_MAX) {
    throw invalidRequest({ draft: [`A workspace keeps ${KEPT_MAX} drafts of templates: discard one first.`] });
  }
  return insertRow(tx, templateDrafts, { workspaceId, userId, ...draft, createdAt: tx.now, updatedAt: tx.now });
}

function unsentOf(workspaceId: number) {
  return and(eq(templateDrafts.workspaceId, workspaceId), isNull(templateDrafts.templateId));
}

/** Throws `not_found`, also for a draft of another workspace. */
export function getTemplateDraft(tx: ReadTx, workspaceId: number, id: number): TemplateDraft {
  const draft = findRow(tx, templateDrafts, { workspaceId, id });
  if (draft === undefined) throw notFound("draft");
  return draft;
}

/** Unsent drafts, the last changed first. */
export function listTemplateDrafts(tx: ReadTx, workspaceId: number): TemplateDraft[] {
  return listSome(
    tx,
    templateDrafts,
    unsentOf(workspaceId),
    LISTED_MAX,
    desc(templateDrafts.updatedAt),
    desc(templateDrafts.id),
  );
}

/** Throws `invalid_request` for a sent draft: it is a template now. */
export function saveTemplateDraft(tx: Tx, draft: TemplateDraft, content: DraftContent): TemplateDraft {
  if (draft.templateId !== null) {
    throw invalidRequest({ draft: ["This draft has been sent. Correct the template, or write a new one."] });
  }
  const changed = { content, updatedAt: tx.now };
  return changeRow(tx, templateDrafts, { id: draft.id }, changed) ?? draft;
}

/** Call in the transaction that records the template. The template has the content. */
export function markTemplateDraftSent(tx: Tx, draft: TemplateDraft, templateId: number): void {
  updateRows(tx, templateDrafts, { id: draft.id }, { templateId, content: {}, updatedAt: tx.now });
}

export function removeTemplateDraft(tx: Tx, draft: TemplateDraft): void {
  deleteRows(tx, templateDrafts, { id: draft.id });
}

/** A template as a draft has it. `from`: phone of a number of its account. */
export function contentFrom(tx: ReadTx, template: Template, start: DraftStart, from: string | null): DraftContent {
  const { name, language, category, parameterFormat } = template;
  return {
    name: start === "copy" ? `${name.slice(0, 506)}_copy` : name,
    language: start === "language" ? "" : language,
    category,
    ...(parameterFormat === "NAMED" ? { parameter_format: parameterFormat } : {}),
    components: withoutHandles(writtenParts(tx, template)),
    ...(from === null ? {} : { from }),
  };
}

/** With samples, where the template is as it was last submitted from here: the network lists it without them. */
function writtenParts(tx: ReadTx, template: Template): readonly Readonly<Record<string, unknown>>[] {
  const { workspaceId, accountId, name, language, components } = template;
  const request = findRow(
    tx,
    templateSubmissions,
    { workspaceId, accountId, name, language, state: "accepted" },
    desc(templateSubmissions.createdAt),
    desc(templateSubmissions.id),
  )?.request;
  const parts = request?.components ?? [];
  return JSON.stringify(storedFormat(parts)) === JSON.stringify(storedFormat(components)) ? parts : components;
}

/** A handle of a sample is for one submission, and what the network lists instead is an address: the file is uploaded again. */
function withoutHandles(components: readonly Readonly<Record<string, unknown>>[]): TemplateComponent[] {
  return components.map((component) => {
    const { example, cards, ...rest } = component as TemplateComponent & { cards?: unknown; example?: unknown };
    const isHandle = typeof example === "object" && example !== null && "header_handle" in example;
    return {
      ...rest,
      ...(example === undefined || isHandle ? {} : { example }),
      ...(Array.isArray(cards)
        ? {
            cards: (cards as { components?: TemplateComponent[] }[]).map((card) => ({
              ...card,
              components: withoutHandles(card.components ?? []),
            })),
          }
        : {}),
    };
  });
}
