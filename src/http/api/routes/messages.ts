/** Sends one message, and shows one. */
import { Type } from "@sinclair/typebox";
import { notFound, Problem } from "#src/core/problem.ts";
import { claimKey, findKey, type KeyUse, storeAnswer } from "#src/domain/idempotency/keys.ts";
import type { IdempotencyKey } from "#src/domain/idempotency/table.ts";
import { findVisible } from "#src/domain/messages/read.ts";
import { MessageView } from "#src/domain/messages/schema.ts";
import { viewMessage } from "#src/domain/messages/view.ts";
import { resolveInDoubt } from "#src/sending/resolve-in-doubt.ts";
import { type KeyClaim, type SendOptions, type SendResult, sendMessage } from "#src/sending/send-message.ts";
import { type Answer, answerData, type Call, type Endpoint, requireId } from "../../endpoint.ts";
import { answerProblem } from "../../errors.ts";
import { idempotencyParameter, readKey, replay } from "../../idempotency.ts";
import { messageExample } from "../examples.ts";
import { readSendMessage, SendMessageBody } from "../send-body.ts";

export const sendMessageEndpoint: Endpoint = {
  method: "POST",
  path: "/messages",
  operationId: "sendMessage",
  tag: "Messages",
  summary: "Send a message",
  description:
    "Sends a template (at any time) or free-form text (within 24 hours of the recipient's last message). The message is sent to the network before the response is returned, so the response says whether the network accepted it. Later status changes are reported by events and by `GET /messages/{id}`.",
  parameters: [idempotencyParameter],
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
  handle: async (call) => {
    const { dispatch, keyQueue } = call;
    const input = readSendMessage(call.body);
    const use = readKey(call);
    const origin = "key" in call.caller ? "api" : "console";
    const request = { workspaceId: call.workspace.id, origin, input } as const;
    if (use === null) return answerSent(await sendMessage(dispatch, request, null));
    const act = async (): Promise<Answer> => {
      const open = call.store.read((tx) => findKey(tx, call.workspace.id, use));
      if (open !== undefined) return answerOpenKey(dispatch, open);
      return answerSent(await sendMessage(dispatch, request, claimFor(call, use)));
    };
    return keyQueue.run(call.workspace.id, use, () => replay(call, use), act);
  },
};

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

/**
 * A key without an answer belongs to a dispatch whose outcome was not recorded. Resolves the message and stores the
 * result as the answer.
 */
async function answerOpenKey(dispatch: SendOptions, open: IdempotencyKey): Promise<Answer> {
  const result = await resolveInDoubt(dispatch, open.messageId, (tx, finalResult) => {
    storeAnswer(tx, open.id, render(finalResult));
  });
  return render(result);
}

function claimFor({ workspace }: Call, use: KeyUse): KeyClaim {
  return {
    claim: (tx) => (findKey(tx, workspace.id, use) === undefined ? claimKey(tx, workspace.id, use) : null),
    render,
  };
}

function answerSent(sent: Awaited<ReturnType<typeof sendMessage>>): Answer {
  if (sent === "claimed_meanwhile") throw new Error("a key was claimed by somebody else while this process held it");
  return render(sent.result);
}

function render(result: SendResult): Answer {
  if (result instanceof Problem) return answerProblem(result);
  return {
    ...answerData(201, viewMessage(result.message, result.workspace)),
    logFields: { message: result.message.id },
  };
}
