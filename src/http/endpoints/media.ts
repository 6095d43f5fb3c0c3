/** Files that people sent, and files that a program uploads to send them. */
import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest } from "#src/core/problem.ts";
import { Form, Nullable } from "#src/core/schema.ts";
import { findMedia, findUpload } from "#src/domain/media/read.ts";
import { UploadView } from "#src/domain/media/schema.ts";
import { viewUpload } from "#src/domain/media/view.ts";
import { seesNumber } from "#src/domain/users/read.ts";
import type { PiecedUpload } from "#src/media/pieces.ts";
import { answerData } from "../answer.ts";
import { cleanName, FILENAME_LENGTH_MAX, readFormFile, readPiece, skipForm } from "../form-file.ts";
import { answerMedia, type ShownFile } from "../serve-media.ts";
import { type AnyCallWith, recordAct, type WorkspaceCall } from "./call.ts";
import { ANY_TYPE, Data, Empty, endpoint, File, Id } from "./endpoint.ts";
import { uploadExample } from "./examples.ts";

/** `offset`: so many bytes have arrived. `file`: null until all have. */
const PiecesView = Type.Object({
  id: Type.String(),
  bytes: Type.Integer(),
  offset: Type.Integer(),
  file: Nullable(UploadView),
});
const ofPieces = { session: "inbox", params: { upload: Type.String() }, output: Data(PiecesView) } as const;

export const mediaEndpoints = {
  // A file in pieces, in their order, so that a browser continues where a lost line stopped it.
  "POST /w/{workspace}/uploads": endpoint({
    session: "inbox",
    body: Form({
      bytes: Type.Integer({ minimum: 1 }),
      filename: Type.String({ maxLength: FILENAME_LENGTH_MAX }),
      /** As the browser states it; empty: it does not. */
      content_type: Type.String({ maxLength: 200 }),
    }),
    output: Data(PiecesView),
  }).answer(async (call) => {
    const { bytes, filename, content_type: type } = call.body;
    const given = { filename: cleanName(filename), contentType: type || null };
    return answerData(201, viewPieces(call, await call.pieces.begin(callerOf(call), bytes, given)));
  }),
  "GET /w/{workspace}/uploads/{upload}": endpoint(ofPieces).load((call) =>
    viewPieces(call, call.pieces.find(callerOf(call), call.path.upload)),
  ),
  "PATCH /w/{workspace}/uploads/{upload}": endpoint({
    ...ofPieces,
    query: { offset: Type.String() },
    file: true,
  }).answer(async (call) => {
    const { pieces, request, clock, headers, path, uploads } = call;
    try {
      const offset = readOffset(call.query.get("offset"));
      const length = headers.get("content-length");
      const piece = { offset, length: length === null ? null : Number(length) };
      const now = await pieces.append(callerOf(call), path.upload, piece, (sink) => readPiece(request, clock, sink));
      if (now.stored !== null) {
        const { id, mimeType } = now.stored.upload;
        await call.store.write((tx) =>
          recordAct(tx, call, { action: "media.upload", subject: mimeType, details: { id } }),
        );
      }
      return answerData(200, viewPieces(call, now));
    } catch (error) {
      if (request.body?.locked === false) await skipForm(request, clock, uploads.bytesMax);
      throw error;
    }
  }),
  "DELETE /w/{workspace}/uploads/{upload}": endpoint({ ...ofPieces, output: Data(Empty) }).answer(async (call) => {
    await call.pieces.cancel(callerOf(call), call.path.upload);
    return answerData(200, {});
  }),
  "POST /w/{workspace}/media": endpoint({
    key: ["send"],
    keyOfFirstVersion: [],
    session: "inbox",
    form: Type.Object({
      file: Type.Unsafe<Uint8Array>({
        type: "string",
        format: "binary",
        description:
          "The bytes of the file, with its name as the part's `filename`: of a document, the person sees it.",
      }),
    }),
    output: Data(UploadView),
    reference: {
      operationId: "uploadMedia",
      tag: "Media",
      summary: "Upload a file",
      description:
        "Takes a file to be sent by its id, once or many times, as a form (`multipart/form-data`) with one part `file`. The type is read from the bytes: JPEG or PNG up to 5 MB; MP4 or 3GP video, AAC, AMR, MP3, M4A or Ogg Opus audio up to 16 MB; PDF, text, Word, Excel, PowerPoint, OpenDocument, RTF or ZIP up to 100 MB; a WebP sticker up to 100 kB, animated up to 500 kB. `expires_at` says when the file is deleted unless it is sent before; each message that sends it extends its life. A workspace makes 4 uploads at once, and a key uploads 2 GB a day; beyond that: 429. The uploads of a workspace may take half of its share of the server's room; beyond that: 400. An upload that is cut short leaves nothing.",
      success: "The file is stored.",
      status: 201,
      example: uploadExample,
    },
  }).answer(async (call) => {
    const { workspace, uploads, request, clock } = call;
    const by = call.user === null ? { keyId: call.keyId } : { userId: call.user.id };
    const formBytes = Number(call.headers.get("content-length") ?? Number.NaN);
    const restMax = uploads.bytesMax;
    try {
      const stored = await uploads.receive({ workspace, by }, Number.isNaN(formBytes) ? null : formBytes, (sink) =>
        readFormFile(request, clock, sink, restMax),
      );
      if (call.user !== null) {
        const audit = { action: "media.upload", subject: stored.upload.mimeType, details: { id: stored.upload.id } };
        await call.store.write((tx) => recordAct(tx, call, audit));
      }
      return answerData(201, viewUpload(stored, uploads.keptFor, workspace));
    } catch (error) {
      if (request.body?.locked === false) await skipForm(request, clock, restMax);
      throw error;
    }
  }),
  "GET /w/{workspace}/media/{id}": endpoint({
    key: ["read"],
    session: "inbox",
    params: { id: Id("file", { examples: [58], description: "`media.id` of an event, or the id of an upload." }) },
    output: File(ANY_TYPE),
    reference: {
      operationId: "getMedia",
      tag: "Media",
      summary: "Get a file",
      description:
        "Returns the bytes of a picture, video, voice message, sticker or document that a person sent or that was uploaded. A received file is there as soon as it is stored: `media.stored` says so and carries a link that needs no key. The type is read from the bytes. Parts can be requested with `Range` (206; 416 beyond the end), also conditionally with `If-Range` and `If-None-Match` against the `ETag`. A file that is not stored, or not any more, returns 404, and the message says why.",
      headers: {
        Range: Type.String({
          description: "The part to return, such as `bytes=0-1023`. Several ranges at once return the whole file.",
        }),
      },
      success: "The file.",
      problems: ["not_found"],
    },
  }).answer((call) => {
    const { store, media, workspace, path, headers } = call;
    const found = store.read((tx) => findMedia(tx, workspace.id, path.id));
    const isHidden = call.user !== null && found !== undefined && !seesNumber(call, found.medium.numberId);
    const answer = answerMedia(media, isHidden ? undefined : (found ?? findUploaded(call)), headers);
    // A player reads a long file as it plays it.
    if (call.user !== null) call.keepOpen();
    return answer;
  }),
};

function callerOf({ workspace, user }: Pick<WorkspaceCall, "workspace" | "user">) {
  return { workspace, by: { userId: user.id } };
}

function viewPieces(
  { uploads, workspace }: Pick<WorkspaceCall, "uploads" | "workspace">,
  now: PiecedUpload,
): Static<typeof PiecesView> {
  const { id, bytes, offset, stored } = now;
  return { id, bytes, offset, file: stored === null ? null : viewUpload(stored, uploads.keptFor, workspace) };
}

/** Throws `invalid_request`. */
function readOffset(text: string | null): number {
  if (text !== null && /^\d{1,12}$/.test(text)) return Number(text);
  throw invalidRequest({ offset: ["Say with `offset` how many bytes of the file come before this piece."] });
}

function findUploaded({ store, workspace, path }: AnyCallWith<{ id: number }>): ShownFile | undefined {
  const found = store.read((tx) => findUpload(tx, workspace.id, path.id));
  return found === undefined ? undefined : { medium: { ...found.upload, state: "stored" }, file: found.file };
}
