/** `waxwing contact …`: files of people, and what concerns a single person: keep, erase. */
import { type Clock, sleep } from "#src/core/clock.ts";
import { notFound } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { clearDoubtOf } from "#src/domain/contacts/doubt.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import {
  eraseContact,
  eraseMentions,
  eraseTexts,
  identifiersOf,
  listMediaOf,
  type MentionTable,
  mentionTables,
} from "#src/domain/erasure/erase-contact.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { MediaFiles } from "#src/media/files.ts";
import { removeUnusedMedia } from "#src/media/remove-unused.ts";
import { SimulatedFiles } from "#src/networks/simulator/media.ts";
import { ImportFiles } from "#src/transfer/import-files.ts";
import { listImports, removeEndedImports } from "#src/transfer/imports.ts";
import { type Command, command } from "./command.ts";
import { fileCommands } from "./contact-files.ts";
import { withDatabase } from "./database.ts";
import { positional, text, workspaceOption } from "./option.ts";

const options = {
  phone: positional(text("PHONE", "The person's number, in any format")),
  workspace: workspaceOption,
};
const BATCH = 200;
const GAP_MS = 3;

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
        "Counters stay, and so does a keyed hash of an opt-out, so that no import revives the person. Import files uploaded\nin the console that contain the person are deleted. Earlier backups still contain the person.",
    },
    options,
    (context, values) =>
      withDatabase(context, "write", async ({ store, config }) => {
        const files = {
          imports: new ImportFiles(config.storage.path),
          media: new MediaFiles(config.media.directory),
          simulated: new SimulatedFiles(config.media.directory),
        };
        const { isLogEmpty, waitingImports } = await erase(
          store,
          context.io.clock,
          files,
          values.workspace,
          values.phone,
        );
        const text = [
          "The person is erased.",
          ...(isLogEmpty ? [] : ["The write-ahead log still contains old pages until the server's next restart."]),
          ...(waitingImports.length === 0
            ? []
            : [
                `Uploaded files that are not imported yet may contain the person: ${waitingImports.join(", ")}.`,
                "  next: discard them under Contacts → Import, or remove the person from them",
              ]),
        ].join("\n");
        return { json: { erased: true, log_emptied: isLogEmpty, waiting_imports: waitingImports }, text };
      }),
  ),
];

/** Where files of people lie beside the database. */
interface PersonalFiles {
  imports: ImportFiles;
  media: MediaFiles;
  simulated: SimulatedFiles;
}

interface Erased {
  /** No data of the person is left in the WAL. */
  isLogEmpty: boolean;
  /** Files uploaded through the console and not imported yet. */
  waitingImports: number[];
}

/** Works in batches and removes the contact last, so that an interrupted command can be run again. */
async function erase(
  store: Store,
  clock: Clock,
  { imports: files, media, simulated }: PersonalFiles,
  workspaceId: number,
  phone: string,
): Promise<Erased> {
  const inBatches = async (batch: (tx: Tx) => boolean): Promise<void> => {
    while (await store.write(batch)) await sleep(clock, GAP_MS);
  };
  const { contact, identifiers } = await store.write((tx) => {
    const workspace = getWorkspace(tx, workspaceId);
    const found = lookUpContact(tx, workspaceId, phone, workspace.country)?.contact;
    if (found == null) throw notFound("contact");
    return { contact: found, identifiers: identifiersOf(tx, found) };
  });
  const checkedUpTo: Record<MentionTable, number> = { callbacks: 0, events: 0, audit_log: 0, idempotency_keys: 0 };
  const eraseEverything = async (): Promise<void> => {
    const fetched = store.read((tx) => listMediaOf(tx, contact));
    await inBatches((tx) => eraseTexts(tx, contact, BATCH));
    for (const table of mentionTables) {
      await inBatches((tx) => {
        const last = eraseMentions(tx, contact, identifiers, table, checkedUpTo[table], BATCH);
        checkedUpTo[table] = last ?? checkedUpTo[table];
        return last !== null;
      });
    }
    for (const { id, networkMediaId } of fetched) {
      media.discard(id);
      simulated.forget(networkMediaId);
    }
    await removeUnusedMedia({ store, clock, files: media });
  };
  await eraseEverything();
  const ended = await store.write((tx) => {
    eraseContact(tx, contact);
    return removeEndedImports(tx, workspaceId);
  });
  for (const id of ended) files.remove(id);
  // Erase again what a running server has recorded about the person in the meantime.
  await eraseEverything();
  const waiting = store.read((tx) => listImports(tx, workspaceId));
  return { isLogEmpty: store.checkpoint(), waitingImports: waiting.map(({ id }) => id) };
}
