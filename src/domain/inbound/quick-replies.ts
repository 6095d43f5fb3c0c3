/** Quick replies of a workspace: written under Settings, inserted into replies by all of its users. */
import { asc, count, eq, type SQL } from "drizzle-orm";
import { type FieldProblems, unknownName } from "#src/core/fault.ts";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { SHOWS_NOTHING, trimShown } from "#src/core/shown-text.ts";
import { deleteRows, findRow, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { listFields } from "../contacts/custom-fields.ts";
import { foldName } from "../groups/group.ts";
import { findNamedUpload } from "../media/send-upload.ts";
import { mediaFiles, uploads } from "../media/table.ts";
import {
  fieldsIn,
  hasLooseBraces,
  QUICK_REPLIES_MAX,
  REPLY_NAME_LENGTH_MAX,
  REPLY_TEXT_LENGTH_MAX,
  replyFields,
} from "./quick-reply.ts";
import { type QuickReply, quickReplies } from "./table.ts";

/** As a user wrote it. */
interface GivenReply {
  name: string;
  text: string;
  /** Null: without a file. */
  uploadId: number | null;
}

/** With its file; null: it has none. */
export interface ShownReply extends QuickReply {
  upload: { id: number; mimeType: string; filename: string | null; bytes: number } | null;
}

/** Sorted by name; at most `QUICK_REPLIES_MAX`. */
export function listQuickReplies(tx: ReadTx, workspaceId: number): ShownReply[] {
  return readReplies(tx, eq(quickReplies.workspaceId, workspaceId));
}

/** Throws `not_found`. */
export function getQuickReply(tx: ReadTx, workspaceId: number, id: number): ShownReply {
  const [found] = readReplies(tx, eq(quickReplies.id, id));
  if (found?.workspaceId !== workspaceId) throw notFound("quick reply");
  return found;
}

function readReplies(tx: ReadTx, which: SQL): ShownReply[] {
  const { id, mimeType, filename } = uploads;
  return tx.db
    .select({ reply: quickReplies, upload: { id, mimeType, filename }, bytes: mediaFiles.bytes })
    .from(quickReplies)
    .leftJoin(uploads, eq(uploads.id, quickReplies.uploadId))
    .leftJoin(mediaFiles, eq(mediaFiles.id, uploads.fileId))
    .where(which)
    .orderBy(asc(quickReplies.folded))
    .limit(QUICK_REPLIES_MAX)
    .all()
    .map(({ reply, upload, bytes }) => ({
      ...reply,
      upload: upload === null ? null : { ...upload, bytes: bytes ?? 0 },
    }));
}

/** Throws `invalid_request`. */
export function addQuickReply(tx: Tx, workspaceId: number, given: GivenReply): ShownReply {
  const checked = requireReply(tx, workspaceId, given, null);
  const rows = tx.db.select({ total: count() }).from(quickReplies).where(eq(quickReplies.workspaceId, workspaceId));
  if ((rows.get()?.total ?? 0) >= QUICK_REPLIES_MAX) {
    throw invalidRequest({
      name: [`A workspace has at most ${QUICK_REPLIES_MAX} quick replies. Delete one that is no longer used.`],
    });
  }
  const row = { workspaceId, ...checked, createdAt: tx.now, updatedAt: tx.now };
  const { id } = tx.db.insert(quickReplies).values(row).returning({ id: quickReplies.id }).get();
  return getQuickReply(tx, workspaceId, id);
}

/** Throws `invalid_request`. */
export function updateQuickReply(tx: Tx, was: QuickReply, given: GivenReply): ShownReply {
  const checked = requireReply(tx, was.workspaceId, given, was.id);
  updateRows(tx, quickReplies, { id: was.id }, { ...checked, updatedAt: tx.now });
  return getQuickReply(tx, was.workspaceId, was.id);
}

/** Its file is kept as long as any other upload from now on. */
export function removeQuickReply(tx: Tx, { id }: QuickReply): void {
  deleteRows(tx, quickReplies, { id });
}

function requireReply(tx: ReadTx, workspaceId: number, given: GivenReply, ownId: number | null) {
  const problems: FieldProblems = {};
  const name = trimShown(given.name);
  const nameProblem = findNameProblem(tx, workspaceId, name, ownId);
  if (nameProblem !== null) problems.name = [nameProblem];
  const text = given.text.trim();
  const textProblem = findTextProblem(text);
  if (textProblem !== null) problems.text = [textProblem];
  else {
    const known = [...replyFields, ...listFields(tx, workspaceId).map(({ key }) => key)];
    const unknown = fieldsIn(text).filter((field) => !known.includes(field));
    if (unknown.length > 0) {
      problems.text = unknown.map((field) =>
        unknownName(`There is no contact field "${field}". Use ${known.join(", ")}.`, field, known),
      );
    }
  }
  findNamedUpload(tx, workspaceId, given.uploadId ?? undefined, "upload_id", problems);
  if (Object.keys(problems).length > 0) throw invalidRequest(problems);
  return { name, folded: foldName(name), text, uploadId: given.uploadId };
}

/** In a sentence what is wrong; null if nothing is. */
function findNameProblem(tx: ReadTx, workspaceId: number, name: string, ownId: number | null): string | null {
  if (name === "") return "A quick reply needs a name.";
  if (name.length > REPLY_NAME_LENGTH_MAX) return `A name has at most ${REPLY_NAME_LENGTH_MAX} characters.`;
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || !name.isWellFormed()) return "A name is one line of ordinary characters.";
  const known = findRow(tx, quickReplies, { workspaceId, folded: foldName(name) });
  return known === undefined || known.id === ownId
    ? null
    : `There is already a quick reply ${known.name}; choose another name.`;
}

function findTextProblem(text: string): string | null {
  if (SHOWS_NOTHING.test(text)) return "A quick reply needs a text.";
  if (text.length > REPLY_TEXT_LENGTH_MAX) {
    return `A text has at most ${REPLY_TEXT_LENGTH_MAX.toLocaleString("en")} characters.`;
  }
  if (/(?![\t\r\n])\p{Cc}/u.test(text) || !text.isWellFormed()) return "A text has ordinary characters and line ends.";
  return hasLooseBraces(text) ? "A contact field is written as {{first_name}}: its name between two braces." : null;
}
