/** Quick replies: all users of a workspace insert them into replies; members and owners write them. */
import { type Static, Type } from "@sinclair/typebox";
import { Form, Nullable } from "#src/core/schema.ts";
import {
  addQuickReply,
  getQuickReply,
  listQuickReplies,
  removeQuickReply,
  type ShownReply,
  updateQuickReply,
} from "#src/domain/inbound/quick-replies.ts";
import { Data, Empty, endpoint, Id } from "./endpoint.ts";
import { OptionalText } from "./fragments.ts";

const QuickReplyView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  text: Type.String(),
  /** The file that goes with it; null: none. */
  upload: Nullable(
    Type.Object({ id: Type.Integer(), mime_type: Type.String(), bytes: Type.Integer(), filename: OptionalText }),
  ),
});

/** The domain says which lengths are right. */
const QuickReplyForm = Form({
  name: Type.String({ maxLength: 1_000 }),
  text: Type.String({ maxLength: 10_000 }),
  upload_id: Type.Optional(Nullable(Type.Integer({ minimum: 1 }))),
});

const params = { id: Id("quick reply") };

export const quickReplyEndpoints = {
  "GET /w/{workspace}/quick-replies": endpoint({ session: "inbox", output: Data(Type.Array(QuickReplyView)) }).read(
    (tx, { workspace }) => listQuickReplies(tx, workspace.id).map(viewQuickReply),
  ),
  "POST /w/{workspace}/quick-replies": endpoint({
    session: "broadcasts",
    body: QuickReplyForm,
    output: Data(QuickReplyView),
  }).change((tx, { workspace, body }) => {
    const reply = addQuickReply(tx, workspace.id, readReply(body));
    const audit = { action: "quick_reply.create", subject: reply.name, details: { id: reply.id } };
    return { status: 201, data: viewQuickReply(reply), audit };
  }),
  "PUT /w/{workspace}/quick-replies/{id}": endpoint({
    session: "broadcasts",
    params,
    body: QuickReplyForm,
    output: Data(QuickReplyView),
  }).change((tx, { workspace, path, body }) => {
    const was = getQuickReply(tx, workspace.id, path.id);
    const reply = updateQuickReply(tx, was, readReply(body));
    const changed = [
      ...(was.name === reply.name ? [] : ["name"]),
      ...(was.text === reply.text ? [] : ["text"]),
      ...(was.uploadId === reply.uploadId ? [] : ["file"]),
    ];
    const audit = { action: "quick_reply.change", subject: was.name, details: { id: reply.id, changed } };
    return { status: 200, data: viewQuickReply(reply), audit: changed.length === 0 ? null : audit };
  }),
  "DELETE /w/{workspace}/quick-replies/{id}": endpoint({ session: "broadcasts", params, output: Data(Empty) }).change(
    (tx, { workspace, path }) => {
      const reply = getQuickReply(tx, workspace.id, path.id);
      removeQuickReply(tx, reply);
      const audit = { action: "quick_reply.remove", subject: reply.name, details: { id: reply.id } };
      return { status: 200, data: {}, audit };
    },
  ),
};

function readReply({ name, text, upload_id: uploadId = null }: Static<typeof QuickReplyForm>) {
  return { name, text, uploadId };
}

function viewQuickReply({ id, name, text, upload }: ShownReply): Static<typeof QuickReplyView> {
  if (upload === null) return { id, name, text, upload };
  const { mimeType, bytes, filename } = upload;
  return { id, name, text, upload: { id: upload.id, mime_type: mimeType, bytes, filename } };
}
