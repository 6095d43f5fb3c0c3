/** Sends one message, and shows one. */
import { Type } from "@sinclair/typebox";
import { notFound } from "#src/core/problem.ts";
import { getContact } from "#src/domain/contacts/find.ts";
import { identityOf } from "#src/domain/contacts/identity.ts";
import { countPeople, dayBudget } from "#src/domain/messages/key-budget.ts";
import { findVisible } from "#src/domain/messages/read.ts";
import { MessageView } from "#src/domain/messages/schema.ts";
import { viewMessage } from "#src/domain/messages/view.ts";
import type { SendRequest } from "#src/sending/send-message.ts";
import { readSendMessage } from "../../bodies/send-body.ts";
import { SendMessageBody } from "../../bodies/send-schema.ts";
import { answerData, type Call, type Endpoint, requireId } from "../../endpoint.ts";
import { idempotencyParameter, readKey } from "../../idempotency.ts";
import { sendOnce } from "../../send-once.ts";
import { readTogether } from "../../validate.ts";
import { messageExample } from "../examples.ts";

export const sendMessageEndpoint: Endpoint = {
  method: "POST",
  path: "/messages",
  operationId: "sendMessage",
  tag: "Messages",
  summary: "Send a message",
  description:
    "Sends a template (at any time) or free-form text (within 24 hours of the recipient's last message). The message is sent to the network before the response is returned, so the response says whether the network accepted it. Later status changes are reported by events and by `GET /messages/{id}`.",
  parameters: [
    idempotencyParameter({
      template: "shipped-10042",
      template_with_file: "invoice-10042",
      text: "table-7-ready",
    }),
  ],
  body: {
    schema: SendMessageBody,
    examples: {
      template: {
        summary: "A template with variables",
        value: { to: "+919876543210", template: "order_shipped", variables: ["Asha", 10042] },
      },
      template_with_file: {
        summary: "A template with a PDF header, in a specific language",
        value: {
          to: "098765 43210",
          template: "invoice",
          language: "en_US",
          variables: { header: [], body: ["Asha", "1,250.00"] },
          media: { link: "https://files.example.com/invoice-10042.pdf", filename: "Invoice 10042.pdf" },
          from: "+911244001100",
        },
      },
      text: { summary: "Free-form text", value: { to: "+919876543210", text: "Your table is ready." } },
    },
  },
  success: {
    status: 201,
    description: "The network accepted the message.",
    data: MessageView,
    isList: false,
    isReplayable: true,
    example: messageExample,
  },
  problems: [
    "insufficient_balance",
    "workspace_suspended",
    "idempotency_conflict",
    "invalid_number",
    "opted_out",
    "number_not_ready",
    "template_not_found",
    "template_not_sendable",
    "unsupported_template",
    "missing_media",
    "missing_variable",
    "window_closed",
    "whatsapp_error",
  ],
  handle: (call) => {
    const [input, use] = readTogether(
      () => readSendMessage(call.body),
      () => readKey(call),
    );
    const request = { workspaceId: call.workspace.id, origin: "api", input } as const;
    return sendOnce(call, call.budgetedKey === null ? request : { ...request, onStored: countIn(call) }, use);
  },
};

/** Counts the person in the key's budget, in the transaction that stores the message. */
function countIn({ workspace, budgetedKey }: Call): NonNullable<SendRequest["onStored"]> {
  return (tx, { contactId }) => {
    if (budgetedKey === null || contactId === null) return;
    const budget = dayBudget(tx, budgetedKey, workspace, null);
    countPeople(tx, budget, [identityOf(getContact(tx, workspace.id, contactId))]);
  };
}

export const getMessageEndpoint: Endpoint = {
  method: "GET",
  path: "/messages/{id}",
  operationId: "getMessage",
  tag: "Messages",
  summary: "Retrieve a message",
  description: "Returns a message that was sent through the API, with its current status.",
  parameters: [
    { name: "id", in: "path", required: true, description: "Id of the message.", schema: Type.Integer({ minimum: 1 }) },
  ],
  success: { status: 200, description: "The message.", data: MessageView, isList: false, example: messageExample },
  problems: ["not_found"],
  handle: ({ store, workspace, path }) => {
    const id = requireId(path.id, "message");
    const message = store.read((tx) => findVisible(tx, workspace.id, id));
    if (message === undefined) throw notFound("message");
    return answerData(200, viewMessage(message, workspace));
  },
};
