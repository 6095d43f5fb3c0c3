/** Uploads a file to Meta, or to a provider with the same interface: its id can then be sent instead of a link. */
import { targetOf } from "#src/net/target.ts";
import type { Transport } from "#src/net/transport.ts";
import type { Result, Sender, UploadFile } from "../network.ts";
import { answerOf, failed, unreadable } from "./account-answer.ts";
import { describeCode } from "./errors.ts";
import { idOf } from "./json.ts";
import { encodeUpload } from "./multipart.ts";
import { endpointOf } from "./profile.ts";
import { findHeaders, poolOf, urlOf, withProof } from "./request.ts";
import type { WhatsappSettings } from "./settings.ts";

/** A file may be large and the connection slow. */
const TIMEOUT_MS = 180_000;

export async function uploadFile(
  settings: WhatsappSettings,
  transport: Transport,
  sender: Sender,
  file: UploadFile,
): Promise<Result<{ mediaId: string }>> {
  const endpoint = endpointOf(settings, sender);
  const headers = findHeaders(endpoint, sender.accessToken);
  if (headers === null) return failed("190", describeCode("190"), "token");
  const { contentType, body } = encodeUpload({ messaging_product: "whatsapp", type: file.contentType }, file);
  headers.set("content-type", contentType);
  const url = withProof(urlOf(endpoint, sender.phoneNumberId, "media"), endpoint, sender);
  const result = await transport.exchange({
    target: targetOf(url, { headers, secret: sender.accessToken }),
    method: "POST",
    timeoutMs: TIMEOUT_MS,
    pool: poolOf(sender),
    body,
  });
  const answer = answerOf(result, endpoint);
  if (!answer.ok) return answer;
  const mediaId = idOf(answer.value, "id");
  return mediaId === null ? unreadable() : { ok: true, value: { mediaId }, at: answer.at };
}
