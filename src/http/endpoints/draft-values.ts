/**
 * Previews the values of a draft: the rendered text for a few of its recipients, and how many recipients lack a field
 * that a value uses. Read-only.
 */
import { notFound } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { birthdayConditions, celebrants } from "#src/domain/broadcasts/birthday.ts";
import { type BroadcastInput, type BroadcastPlan, planBroadcast } from "#src/domain/broadcasts/plan.ts";
import { resolveList } from "#src/domain/broadcasts/resolve-list.ts";
import type { DraftContent } from "#src/domain/broadcasts/table.ts";
import { type BroadcastVariables, resolveValues } from "#src/domain/broadcasts/values.ts";
import { listPeople } from "#src/domain/contacts/details.ts";
import { findById, nameOfAddress } from "#src/domain/contacts/find.ts";
import { latestContactId } from "#src/domain/contacts/list.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { displayNameOf } from "#src/domain/contacts/view.ts";
import { compileIds } from "#src/domain/filters/compile.ts";
import type { Filter } from "#src/domain/filters/filter.ts";
import { readGroupFilter } from "#src/domain/filters/group-filter.ts";
import { listValues } from "#src/domain/messages/given-values.ts";
import { findTemplate } from "#src/domain/templates/read.ts";
import { renderText } from "#src/domain/templates/template.ts";
import { shapeOf } from "#src/domain/templates/view.ts";
import { readBroadcast } from "../bodies/broadcast.ts";
import { estimateAudience } from "../broadcast-audience.ts";
import type { WorkspaceCall } from "./call.ts";
import { completeContent } from "./draft-parts.ts";

const EXAMPLES = 3;

interface Example {
  to: string;
  name: string | null;
  /** The rendered text. Null: a value is missing and the recipient is skipped. */
  text: string | null;
  missing: string | null;
  header: string[];
  body: string[];
  buttons: (string | null)[];
  cards: { body: string[]; buttons: (string | null)[] }[];
}

const NOTHING = { header: [], body: [], buttons: [], cards: [] };

export async function previewValues(
  call: WorkspaceCall,
  content: DraftContent,
): Promise<{ examples: Example[]; missing: Record<string, number> }> {
  const { store, workspace } = call;
  const plan = store.read((tx) => planBroadcast(tx, workspace.id, readIncompleteBroadcast(tx, call, content)));
  const to = Array.isArray(content.to) ? content.to.map(String) : null;
  const missing: Record<string, number> = {};
  for (const field of fieldsOf(plan.variables)) {
    missing[field] = await countMissing(call, plan, to, field);
  }
  const people = to === null ? await sampleGroup(call, plan, call.random.fraction()) : null;
  const examples = store.read((tx) =>
    people === null
      ? sampleList(tx, plan, to ?? [], call.random.fraction())
      : people.flatMap((id) => {
          const contact = findById(tx, workspace.id, id);
          return contact === undefined ? [] : [exampleOf(tx, plan, contact.phone ?? "", contact)];
        }),
  );
  return { examples, missing };
}

/** The draft with a placeholder in each empty value, so that the rest can be rendered. */
function readIncompleteBroadcast(tx: ReadTx, { workspace }: WorkspaceCall, content: DraftContent): BroadcastInput {
  const { template: name, language, send_at: _, ...rest } = content;
  const template = findTemplate(tx, workspace.id, String(name ?? ""), String(language ?? ""));
  if (template === undefined) throw notFound("template");
  const complete = completeContent(shapeOf(template), template.parameterFormat, content);
  return readBroadcast({ ...rest, name: "draft", template: name, language, ...complete }, workspace.timezone);
}

function fieldsOf(variables: BroadcastVariables): string[] {
  return [...new Set(listValues(variables).flatMap((value) => ("field" in value ? [value.field] : [])))];
}

/** How many eligible recipients have no value in this field. */
async function countMissing(
  call: WorkspaceCall,
  plan: BroadcastPlan,
  to: string[] | null,
  field: string,
): Promise<number> {
  const variables: BroadcastVariables = { isList: true, header: [], body: [{ field, fallback: null }] };
  if (to === null) return (await estimateAudience(call, { ...plan, variables })).missingVariable;
  const options = { workspace: plan.workspace, variables, address: null, isCapChecked: false };
  const evaluated = call.store.read((tx) => resolveList(tx, to, options));
  return evaluated.filter(({ skip }) => skip?.reason === "missing_variable").length;
}

/** Contacts after a random point, then from the start if there are too few. */
async function sampleGroup(call: WorkspaceCall, plan: BroadcastPlan, fraction: number): Promise<number[]> {
  const { workspace, searchReader, store } = call;
  const { filter, last, now } = store.read((tx) => ({
    filter: eligibleFilter(tx, plan),
    last: latestContactId(tx, workspace.id),
    now: tx.now,
  }));
  const context = { workspaceId: workspace.id, timezone: workspace.timezone, now: plan.sendAt ?? now };
  const ids: number[] = [];
  for (const after of [Math.floor(fraction * last), 0]) {
    const { sql, parameters } = compileIds(filter, context, after, EXAMPLES);
    for (const { id } of await searchReader.query(sql, parameters)) {
      if (ids.length < EXAMPLES && !ids.includes(Number(id))) ids.push(Number(id));
    }
    if (ids.length === EXAMPLES) break;
  }
  return ids;
}

function eligibleFilter(tx: ReadTx, { group, workspace }: BroadcastPlan): Filter {
  const optedIn = readGroupFilter(tx, workspace, { field: "consent", is: "opted_in" });
  const members = group?.filter ?? readGroupFilter(tx, workspace, { field: "group", is: group?.group.id ?? 0 });
  return { kind: "all", parts: [members, optedIn] };
}

function sampleList(tx: ReadTx, plan: BroadcastPlan, to: readonly string[], fraction: number): Example[] {
  const start = Math.floor(fraction * to.length);
  const rotated = [...to.slice(start), ...to.slice(0, start)].slice(0, 50);
  const variables = { isList: true, header: [], body: [] };
  const options = { workspace: plan.workspace, variables, address: plan, isCapChecked: false };
  const eligible = resolveList(tx, rotated, options).filter(({ skip }) => skip === null);
  return eligible
    .slice(0, EXAMPLES)
    .map(({ input, contactLookup }) =>
      exampleOf(
        tx,
        plan,
        contactLookup === null ? input : nameOfAddress(contactLookup),
        contactLookup?.contact ?? null,
      ),
    );
}

function exampleOf(tx: ReadTx, plan: BroadcastPlan, to: string, contact: Contact | null): Example {
  const { group, workspace, variables, template } = plan;
  const conditions = group?.filter == null ? [] : birthdayConditions(group.filter);
  const [celebrant = null] =
    conditions.length === 0 || contact === null
      ? []
      : celebrants(conditions, contact, listPeople(tx, contact.id), plan.sendAt ?? tx.now, workspace.timezone);
  const resolved = resolveValues(tx, variables, contact, celebrant);
  const name = celebrant?.name ?? (contact === null ? null : displayNameOf(contact));
  if ("missing" in resolved) return { to, name, text: null, missing: resolved.missing, ...NOTHING };
  const values = { ...NOTHING, ...resolved.values };
  return { to, name, text: renderText(shapeOf(template), values.header, values.body), missing: null, ...values };
}
