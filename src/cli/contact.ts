/** `waxwing contact …`: files of people, and what concerns a single person: keep, erase. */

import { listLastingCopies } from "#src/backup/lasting.ts";
import { notFound } from "#src/core/problem.ts";
import { clearDoubtOf } from "#src/domain/contacts/doubt.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { MediaFiles } from "#src/media/files.ts";
import { SimulatedFiles } from "#src/networks/simulator/media.ts";
import { erasePerson } from "#src/server/erase-person.ts";
import { ImportFiles } from "#src/transfer/import-files.ts";
import { type Command, command } from "./command.ts";
import { fileCommands } from "./contact-files.ts";
import { withDatabase } from "./database.ts";
import { positional, text, workspaceOption } from "./option.ts";

const options = {
  phone: positional(text("PHONE", "The person's number, in any format")),
  workspace: workspaceOption,
};

export const commands: readonly Command[] = [
  ...fileCommands,
  command(
    "contact keep",
    {
      summary: "Keep sending to a person who may want to stop",
      details:
        "For a person whose message may mean STOP and turned out not to. Their consent stays as it is. Has no effect\nunless the contact is flagged as possibly opting out.",
    },
    options,
    (context, values) =>
      withDatabase(context, "write", async ({ store }) => {
        const contact = await store.write((tx) => {
          const workspace = getWorkspace(tx, values.workspace);
          return viewContact(tx, clearDoubtOf(tx, workspace, values.phone), workspace);
        });
        const text = `${contact.phone} is kept. Consent: ${contact.consent.status.replace("_", " ")}.`;
        return { json: contact, text };
      }),
  ),
  command(
    "contact erase",
    {
      summary: "Erase a person: data, texts, files, raw records",
      details:
        "Counters stay, and so does a keyed hash of an opt-out, so that no import revives the person. Import files uploaded\nin the console that contain the person are deleted, and files that a program uploaded and sent to the person alone.\nEarlier backups still contain the person; the receipt says until when those last that this server made. Delete files\nthat you made with backup or move out yourself.",
    },
    options,
    (context, values) =>
      withDatabase(context, "write", async ({ store, config }) => {
        const files = {
          imports: new ImportFiles(config.storage.path),
          media: new MediaFiles(config.media.directory),
          simulated: new SimulatedFiles(config.media.directory),
        };
        const { isLogEmpty, waitingImports, sharedUploads } = await erasePerson(
          store,
          context.io.clock,
          files,
          (tx) => {
            const workspace = getWorkspace(tx, values.workspace);
            const found = lookUpContact(tx, workspace.id, values.phone, workspace.country)?.contact;
            if (found == null) throw notFound("contact");
            return found;
          },
        );
        const { schedule, directory, retention: keep, remote } = config.backup;
        const now = context.io.clock.now();
        const copies = listLastingCopies({ database: config.storage.path, schedule, directory, keep, remote, now });
        const backups = copies.map((copy) => ({ ...copy, until: copy.until === null ? null : inSeconds(copy.until) }));
        const text = [
          "The person is erased.",
          ...(backups.length === 0 ? [] : ["Copies from before still contain the person:"]),
          ...backups.map(({ place, until }) => `  ${place}: until ${until ?? "you delete it"}`),
          ...(sharedUploads.length === 0 ? [] : [`Uploads that others got too stay: ${sharedUploads.join(", ")}.`]),
          ...(isLogEmpty ? [] : ["The write-ahead log still contains old pages until the server's next restart."]),
          ...(waitingImports.length === 0
            ? []
            : [
                `Uploaded files that are not imported yet may contain the person: ${waitingImports.join(", ")}.`,
                "  next: discard them under Contacts → Import, or remove the person from them",
              ]),
        ].join("\n");
        return {
          json: {
            erased: true,
            log_emptied: isLogEmpty,
            waiting_imports: waitingImports,
            shared_uploads: sharedUploads,
            backups,
          },
          text,
        };
      }),
  ),
];

function inSeconds(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, "");
}
