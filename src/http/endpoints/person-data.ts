/**
 * What a person may ask a workspace for, carried out by its owners: to be forgotten, and to get what is kept of them. Both are jobs
 * that outlive a crash. Sensitive endpoints ask for the password again.
 */
import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { Form, Instant, Nullable, OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import type { Contact, Erasure } from "#src/domain/contacts/table.ts";
import { beginErasure, getErasure } from "#src/domain/erasure/erasures.ts";
import { createHandOut, findHandOutOf, findInMaking, requireReady } from "#src/domain/erasure/hand-outs.ts";
import { COUNTED_MAX, previewErasure, readPreviewCounts } from "#src/domain/erasure/preview.ts";
import type { HandOut } from "#src/domain/erasure/table.ts";
import { answerDownload } from "../console/csv-file.ts";
import { timesOf } from "../times.ts";
import { Refusal, recordAct, type WorkspaceCall } from "./call.ts";
import { PhoneParam, requireContact } from "./contact-path.ts";
import { Data, endpoint, File, Id } from "./endpoint.ts";
import { show } from "./show.ts";

const Count = Type.Integer();

const counts = {
  sent: Count,
  of_broadcasts: Count,
  scheduled: Count,
  received: Count,
  by_other_senders: Count,
  notes: Count,
  files: Count,
  drafts: Count,
  events: Count,
};

const Copies = Type.Array(Type.Object({ kind: OneOf(["scheduled", "off_site", "kept"]), until: Nullable(Instant()) }));

const ForgetPreview = Type.Object({
  /** What an erasure would erase; a count of `counted_max` means that many or more. */
  counts: Type.Object(counts),
  counted_max: Count,
  keeps_opt_out: Type.Boolean(),
  backups: Copies,
  is_replicated: Type.Boolean(),
});

const ErasureView = Type.Object({
  id: Type.Integer(),
  state: OneOf(["running", "done"]),
  /** 1 or 2: everything is searched twice. */
  round: Type.Integer(),
  started_at: Instant(),
  ended_at: Nullable(Instant()),
  /** What was erased so far. */
  counts: Type.Object({ ...counts, callbacks: Count, answers: Count, audit_entries: Count }),
  /** What still holds something of the person; null before the end. */
  holders: Nullable(
    Type.Object({
      backups: Copies,
      is_replicated: Type.Boolean(),
      shared_uploads: Type.Array(Type.Integer()),
      still_blocked_on: Type.Array(Type.String()),
      waiting_imports: Type.Array(Type.Integer()),
      log_emptied: Type.Boolean(),
    }),
  ),
});

const HandOutView = Type.Object({
  id: Type.Integer(),
  state: OneOf(["making", "ready", "failed"]),
  reason: Nullable(Type.String()),
  created_at: Instant(),
  /** When the archive is deleted; null while it is made. */
  expires_at: Nullable(Instant()),
  /** What the archive has; null before it is ready. */
  report: Nullable(
    Type.Object({
      entries: Count,
      notes: Count,
      files: Count,
      /** Names of files that are stored no more. */
      missing: Type.Array(Type.String()),
      bytes: Count,
    }),
  ),
});

const ZIP = "application/zip";
const params = { phone: PhoneParam };

export const personDataEndpoints = {
  "GET /w/{workspace}/contacts/{phone}/forget": endpoint({
    session: "manage",
    params,
    output: Data(ForgetPreview),
  }).load(async (call) => {
    const { sql, parameters, keepsOptOut } = call.store.read((tx) => previewErasure(tx, requireContact(call, tx)));
    const [row] = await call.reader.query(sql, parameters);
    const { backups, is_replicated } = call.system.copies();
    return {
      counts: readPreviewCounts(row),
      counted_max: COUNTED_MAX,
      keeps_opt_out: keepsOptOut,
      backups: viewCopies(backups, call),
      is_replicated,
    };
  }),
  // The contact is gone when this is answered; a job erases the rest.
  "POST /w/{workspace}/contacts/{phone}/forget": endpoint({
    session: "manage",
    isSensitive: true,
    params,
    body: Form({ typed: Type.String({ maxLength: 200 }) }),
    output: Data(ErasureView),
  }).change((tx, call) => {
    const contact = requireContact(call, tx);
    requireTyped(tx, call, contact, call.body.typed);
    const begun = beginErasure(tx, contact, { userId: call.user.id, address: call.address }, tx.now);
    return { status: 202, data: viewErasure(begun, call), audit: null };
  }),
  "GET /w/{workspace}/erasures/{id}": endpoint({
    session: "manage",
    params: { id: Id("erasure") },
    output: Data(ErasureView),
  }).read((tx, call) => viewErasure(getErasure(tx, call.workspace.id, call.path.id), call)),
  "GET /w/{workspace}/contacts/{phone}/hand-out": endpoint({
    session: "exports",
    params,
    output: Data(Nullable(HandOutView)),
  }).read((tx, call) => {
    const found = findHandOutOf(tx, requireContact(call, tx));
    return found === undefined ? null : viewHandOut(found, call);
  }),
  "POST /w/{workspace}/contacts/{phone}/hand-out": endpoint({
    session: "exports",
    isSensitive: true,
    params,
    output: Data(HandOutView),
  }).change((tx, call) => {
    const contact = requireContact(call, tx);
    if (findInMaking(tx, call.workspace.id) !== undefined)
      throw new Refusal(409, "running", "Another archive of this workspace is being made. Wait until it is ready.");
    const created = createHandOut(tx, contact, { userId: call.user.id, address: call.address });
    return { status: 202, data: viewHandOut(created, call), audit: null };
  }),
  "GET /w/{workspace}/hand-outs/{id}/file": endpoint({
    session: "exports",
    isSensitive: true,
    params: { id: Id("archive") },
    output: File(ZIP),
  }).answer(async (call) => {
    const { store, workspace, path, keepOpen, handOutFiles } = call;
    await store.write((tx) => {
      const { contactId, report } = requireReady(tx, workspace.id, path.id);
      if (!handOutFiles.has(path.id)) throw notFound("archive");
      const audit = { action: "contact.data-download", subject: `contact ${contactId}` };
      recordAct(tx, call, { ...audit, details: { archive: path.id, bytes: report?.bytes ?? 0 } });
    });
    // On a slow line the download may take hours.
    keepOpen();
    return answerDownload(Bun.file(handOutFiles.pathOf(path.id)), ZIP, `person-${path.id}.zip`);
  }),
};

/** Throws `invalid_request` unless the number (or the user id) that was typed is the contact's. */
function requireTyped(tx: ReadTx, { workspace }: WorkspaceCall, contact: Contact, typed: string): void {
  const found = lookUpContact(tx, workspace.id, typed.trim(), workspace.country)?.contact;
  if (found?.id === contact.id) return;
  throw invalidRequest({ typed: ["This is not the person's number. Type it as it is shown."] });
}

function viewCopies(
  copies: readonly { kind: "scheduled" | "off_site" | "kept"; until: number | null }[],
  { workspace }: WorkspaceCall,
): Static<typeof Copies> {
  const when = timesOf(workspace);
  return copies.map(({ kind, until }) => ({ kind, until: when(until) }));
}

function viewErasure(erasure: Erasure, call: WorkspaceCall): Static<typeof ErasureView> {
  const { createdAt, endedAt, holders } = erasure;
  const when = timesOf(call.workspace);
  const isDone = endedAt !== null;
  return show(ErasureView, erasure, when, {
    state: isDone ? "done" : "running",
    started_at: when(createdAt),
    holders: isDone && holders !== null ? { ...holders, backups: viewCopies(holders.backups, call) } : null,
  });
}

function viewHandOut(handOut: HandOut, { workspace }: WorkspaceCall): Static<typeof HandOutView> {
  return show(HandOutView, handOut, timesOf(workspace), {});
}
