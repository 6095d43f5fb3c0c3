/** The key under which a form of the console sends a message: kept like an API key's, and for as long as the message is. */
import type { Static } from "@sinclair/typebox";
import { findKey, type KeyUse, usedBefore } from "#src/domain/idempotency/keys.ts";
import { findUpload } from "#src/domain/media/read.ts";
import { findSentByForm } from "#src/domain/messages/read.ts";
import type { MessageView } from "#src/domain/messages/schema.ts";
import { viewMessage } from "#src/domain/messages/view.ts";
import { seesNumber } from "#src/domain/users/read.ts";
import { type AnswerWith, answerData } from "../answer.ts";
import { readKey } from "../idempotency.ts";
import type { WorkspaceCall } from "./call.ts";

/** Null if the request has no key. Throws `invalid_request` for a malformed one. */
export function readFormKey(call: WorkspaceCall & Parameters<typeof readKey>[0]): KeyUse | null {
  return readKey({ ...call, body: withFiles(call) });
}

/**
 * The body with what each upload is in the place of its id. Two pages of a browser that send what waits in it may each have
 * uploaded the file: under one key, that is one request.
 */
function withFiles({ store, workspace, body }: WorkspaceCall): unknown {
  return store.read((tx) =>
    JSON.parse(
      JSON.stringify(body, (name, value: unknown) => {
        if (name !== "id" || typeof value !== "number") return value;
        return findUpload(tx, workspace.id, value)?.file.hash ?? value;
      }),
    ),
  );
}

/**
 * A message may wait in a browser for longer than answers are kept. Undefined: the key has an answer, or is free. Throws
 * `idempotency_conflict` if the message of the key is on a number that the user does not see.
 */
export function findRepeated(
  call: WorkspaceCall,
  use: KeyUse | null,
): AnswerWith<{ data: Static<typeof MessageView> }> | undefined {
  if (use === null) return undefined;
  const { store, workspace } = call;
  const message = store.read((tx) =>
    findKey(tx, workspace.id, use) === undefined ? findSentByForm(tx, workspace.id, use.key) : undefined,
  );
  if (message === undefined) return undefined;
  if (!seesNumber(call, message.numberId)) throw usedBefore();
  return { ...answerData(201, viewMessage(message, workspace)), headers: { "idempotent-replayed": "true" } };
}
