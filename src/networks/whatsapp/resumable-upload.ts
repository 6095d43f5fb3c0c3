/** Uploads a file to Meta's Resumable Upload API: its handle then stands for it, as a template's sample or a photo. */
import type { Transport } from "#src/net/transport.ts";
import type { Sender, UploadFile } from "../network.ts";
import type { Submitted } from "../template-request.ts";
import { createAsking, refused, unreadable } from "./ask-once.ts";
import { type JsonObject, stringOf } from "./json.ts";
import { endpointOf } from "./profile.ts";
import { urlOf } from "./request.ts";
import type { WhatsappSettings } from "./settings.ts";

/** A file may be large and the connection slow. */
const UPLOAD_TIMEOUT_MS = 180_000;

/** `withoutUploads`: said where the number's provider takes no files. */
export function createFileUpload(settings: WhatsappSettings, transport: Transport) {
  const { ask } = createAsking(settings, transport);
  return async (sender: Sender, file: UploadFile, withoutUploads: string): Promise<Submitted<{ handle: string }>> => {
    const endpoint = endpointOf(settings, sender);
    if (endpoint.pathStyle !== "graph") return refused("no_uploads", withoutUploads);
    const query = new URLSearchParams({
      file_name: file.name,
      file_length: String(file.bytes),
      file_type: file.contentType,
    });
    const begun = await ask(sender, `${urlOf(endpoint, "app", "uploads")}?${query}`, { method: "POST", body: "" });
    if (begun.kind !== "accepted") return begun;
    const session = sessionIn(begun.value);
    if (session === null) return unreadable();
    // `session` has a query of its own.
    const answer = await ask(sender, `${urlOf(endpoint, "app", "").replace(/app$/, "")}${session}`, {
      method: "POST",
      headers: { authorization: `OAuth ${sender.accessToken ?? ""}`, file_offset: "0" },
      body: { bytes: file.bytes, read: file.read },
      timeoutMs: UPLOAD_TIMEOUT_MS,
    });
    if (answer.kind !== "accepted") return answer;
    const handle = stringOf(answer.value, "h");
    return handle === null || handle === "" ? unreadable() : { ...answer, value: { handle } };
  };
}

function sessionIn(answer: JsonObject): string | null {
  const id = stringOf(answer, "id");
  return id !== null && /^upload:[\w\-.~%:=?&+/]{1,2000}$/.test(id) ? id : null;
}
