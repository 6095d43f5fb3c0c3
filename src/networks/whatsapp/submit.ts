/**
 * Gives templates to Meta: creates, corrects and deletes them, and uploads the files that are their samples. Each request
 * is sent once; what its answer proves decides whether anything was done.
 */
import type { Transport } from "#src/net/transport.ts";
import type { AccountPort, TemplatePort } from "../network.ts";
import { newTemplateJson } from "../template-request.ts";
import { createAsking, done, unreadable } from "./ask-once.ts";
import { idOf, textOf } from "./json.ts";
import { endpointOf } from "./profile.ts";
import { urlOf } from "./request.ts";
import { createFileUpload } from "./resumable-upload.ts";
import type { WhatsappSettings } from "./settings.ts";

export function createTemplatePort(
  settings: WhatsappSettings,
  transport: Transport,
  { listTemplates: list, listLibrary }: Pick<AccountPort, "listTemplates" | "listLibrary">,
): TemplatePort {
  const { ask, post } = createAsking(settings, transport);
  const uploadFile = createFileUpload(settings, transport);

  return {
    list,
    listLibrary,

    async create(sender, request) {
      const answer = await post(sender, sender.accountId, "message_templates", newTemplateJson(request));
      if (answer.kind !== "accepted") return answer;
      const networkId = idOf(answer.value, "id");
      if (networkId === null) return unreadable();
      const status = (textOf(answer.value, "status") ?? "PENDING").toUpperCase();
      const category = (textOf(answer.value, "category") ?? request.category).toUpperCase();
      return { ...answer, value: { networkId, status, category } };
    },

    async correct(sender, networkId, request) {
      return done(await post(sender, networkId, "", request));
    },

    async remove(sender, name, networkId) {
      const query = new URLSearchParams({ name, ...(networkId === null ? {} : { hsm_id: networkId }) });
      const url = `${urlOf(endpointOf(settings, sender), sender.accountId, "message_templates")}?${query}`;
      return done(await ask(sender, url, { method: "DELETE" }));
    },

    uploadSample: (sender, file) =>
      uploadFile(sender, file, "The number's provider takes no samples. Add the template in its own pages."),
  };
}
