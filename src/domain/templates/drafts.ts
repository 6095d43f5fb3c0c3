/**
 * Drafts of templates: written, saved and turned into at most one template each. The transaction that records what the
 * network took stores the template's id in the draft, so that a second press, a reload or another device finds it.
 */
import { and, desc, eq, isNull } from "drizzle-orm";
import { invalidRequest, notFound } from "#src/core/problem.ts";
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
  return tx.db
    .insert(templateDrafts)
    .values({ workspaceId, userId, ...draft, createdAt: tx.now, updatedAt: tx.now })
    .returning()
    .get();
}

function unsentOf(workspaceId: number) {
  return and(eq(templateDrafts.workspaceId, workspaceId), isNull(templateDrafts.templateId));
}

/** Throws `not_found`, also for a draft of another workspace. */
export function getTemplateDraft(tx: ReadTx, workspaceId: number, id: number): TemplateDraft {
  const draft = tx.db
    .select()
    .from(templateDrafts)
    .where(and(eq(templateDrafts.workspaceId, workspaceId), eq(templateDrafts.id, id)))
    .get();
  if (draft === undefined) throw notFound("draft");
  return draft;
}

/** Unsent drafts, the last changed first. */
export function listTemplateDrafts(tx: ReadTx, workspaceId: number): TemplateDraft[] {
  return tx.db
    .select()
    .from(templateDrafts)
    .where(unsentOf(workspaceId))
    .orderBy(desc(templateDrafts.updatedAt), desc(templateDrafts.id))
    .limit(LISTED_MAX)
    .all();
}

/** Throws `invalid_request` for a sent draft: it is a template now. */
export function saveTemplateDraft(tx: Tx, draft: TemplateDraft, content: DraftContent): TemplateDraft {
  if (draft.templateId !== null) {
    throw invalidRequest({ draft: ["This draft has been sent. Correct the template, or write a new one."] });
  }
  const changed = { content, updatedAt: tx.now };
  return tx.db.update(templateDrafts).set(changed).where(eq(templateDrafts.id, draft.id)).returning().get() ?? draft;
}

/** Call in the transaction that records the template. The template has the content. */
export function markTemplateDraftSent(tx: Tx, draft: TemplateDraft, templateId: number): void {
  tx.db
    .update(templateDrafts)
    .set({ templateId, content: {}, updatedAt: tx.now })
    .where(eq(templateDrafts.id, draft.id))
    .run();
}

export function removeTemplateDraft(tx: Tx, draft: TemplateDraft): void {
  tx.db.delete(templateDrafts).where(eq(templateDrafts.id, draft.id)).run();
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
  const request = tx.db
    .select()
    .from(templateSubmissions)
    .where(
      and(
        eq(templateSubmissions.workspaceId, workspaceId),
        eq(templateSubmissions.accountId, accountId),
        eq(templateSubmissions.name, name),
        eq(templateSubmissions.language, language),
        eq(templateSubmissions.state, "accepted"),
      ),
    )
    .orderBy(desc(templateSubmissions.createdAt), desc(templateSubmissions.id))
    .limit(1)
    .get()?.request;
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
