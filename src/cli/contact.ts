/** `waxwing contact …`: files of people, and what concerns a single person: keep, data, erase. */
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { notFound } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findOpenErasure } from "#src/domain/contacts/being-erased.ts";
import { clearDoubtOf } from "#src/domain/contacts/doubt.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import type { Contact, ErasureHolders } from "#src/domain/contacts/table.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import { beginErasure } from "#src/domain/erasure/erasures.ts";
import { COMMAND_LINE, recordAudit } from "#src/domain/users/audit-log.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { MediaFiles } from "#src/media/files.ts";
import { SimulatedFiles } from "#src/networks/simulator/media.ts";
import { copiesOf, erasePerson, TAKEN_OVER_AFTER_MS } from "#src/server/erase-person.ts";
import { ImportFiles } from "#src/transfer/import-files.ts";
import { writePersonArchive } from "#src/transfer/person-data/archive.ts";
import { HandOutFiles } from "#src/transfer/person-data/hand-out-files.ts";
import { type Command, command } from "./command.ts";
import { fileCommands } from "./contact-files.ts";
import { importCommand } from "./contact-import.ts";
import { joinCommands } from "./contact-join.ts";
import { withDatabase } from "./database.ts";
import { writeCommand } from "./database-command.ts";
import { file, positional, required, text, workspaceOption } from "./option.ts";
import { lines } from "./output.ts";

const options = {
  phone: positional(text("PHONE", "The person's number, in any format")),
  workspace: workspaceOption,
};

export const commands: readonly Command[] = [
  importCommand,
  ...fileCommands,
  ...joinCommands,
  writeCommand(
    "contact keep",
    {
      summary: "Keep sending to a person who may want to stop",
      details:
        "For a person whose message may mean STOP and turned out not to. Their consent stays as it is. Has no effect\nunless the contact is flagged as possibly opting out.",
    },
    options,
    (values) => (tx) => {
      const workspace = getWorkspace(tx, values.workspace);
      const contact = viewContact(tx, clearDoubtOf(tx, workspace, values.phone), workspace);
      const text = `${contact.phone} is kept. Consent: ${contact.consent.status.replace("_", " ")}.`;
      return { json: contact, text };
    },
  ),
  command(
    "contact data",
    {
      summary: "Hand out what is kept of a person: one archive",
      details:
        "The archive (ZIP) has index.html for people, data.json for programs, and the files that both sides sent: profile,\nconsent with its evidence, messages, notes. It holds personal data: delete it once the person has it.",
    },
    { ...options, out: required(file("FILE", "The archive; a file of that name is replaced", { as: "fill" })) },
    (context, values) =>
      withDatabase(context, "write", async ({ store, config }) => {
        const workspace = store.read((tx) => getWorkspace(tx, values.workspace));
        const media = new MediaFiles(config.media.directory);
        const find = (tx: ReadTx) => requirePerson(tx, workspace, values.phone);
        const { id } = store.read(find);
        const handle = context.files.handleOf(values.out) ?? openSync(values.out, "w", 0o600);
        ftruncateSync(handle);
        try {
          const report = await writePersonArchive({
            ...{ store, workspace, find, clock: context.io.clock },
            readFile: (stored) => (media.has(stored) ? media.read(stored) : null),
            write: (piece) => writeAll(handle, piece),
          });
          await store.write((tx) =>
            recordAudit(tx, COMMAND_LINE, {
              ...{ workspaceId: workspace.id, action: "contact.data", subject: `contact ${id}` },
              details: { entries: report.entries, files: report.files },
            }),
          );
          const { contacts: _, missing, ...counts } = report;
          const text = lines(
            `${values.out} has ${counts.entries} messages, ${counts.notes} notes and ${counts.files} files.`,
            missing.length > 0 && `Files that are stored no more: ${missing.join(", ")}.`,
          );
          return { json: { file: values.out, ...counts, missing }, text };
        } finally {
          closeSync(handle);
        }
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
        const { clock } = context.io;
        const files = {
          imports: new ImportFiles(config.storage.path),
          media: new MediaFiles(config.media.directory),
          simulated: new SimulatedFiles(config.media.directory),
          handOuts: new HandOutFiles(config.storage.path),
        };
        const id = await store.write((tx) => {
          const workspace = getWorkspace(tx, values.workspace);
          const interrupted = findErasing(tx, workspace, values.phone);
          if (interrupted !== null) return interrupted;
          // The server takes over a command that was killed.
          const takenOverAt = tx.now + TAKEN_OVER_AFTER_MS;
          return beginErasure(tx, requirePerson(tx, workspace, values.phone), COMMAND_LINE, takenOverAt).id;
        });
        const ended = await erasePerson({ store, clock, files, config }, id);
        const holders = ended?.holders ?? null;
        if (ended === undefined || holders === null) throw new Error(`erasure ${id} has not ended`);
        // With their places, which are the operator's to know.
        const copies = copiesOf(config, clock.now());
        const backups = copies.map((copy) => ({ ...copy, until: copy.until === null ? null : inSeconds(copy.until) }));
        return {
          json: {
            erased: true,
            counts: ended.counts,
            log_emptied: holders.log_emptied,
            waiting_imports: holders.waiting_imports,
            shared_uploads: holders.shared_uploads,
            still_blocked_on: holders.still_blocked_on,
            is_replicated: holders.is_replicated,
            backups,
          },
          text: describeErased(backups, holders),
        };
      }),
  ),
];

/** What still holds something of the person, and what to do about it. */
function describeErased(backups: readonly { place: string; until: string | null }[], holders: ErasureHolders): string {
  const { log_emptied: isLogEmpty, waiting_imports: waitingImports, shared_uploads: sharedUploads } = holders;
  const { still_blocked_on: blockedOn } = holders;
  return lines(
    "The person is erased.",
    backups.length > 0 && "Copies from before still contain the person:",
    ...backups.map(({ place, until }) => `  ${place}: until ${until ?? "you delete it"}`),
    holders.is_replicated && "The replica of the database still contains the person until it ages out.",
    sharedUploads.length > 0 && `Uploads that others got too stay: ${sharedUploads.join(", ")}.`,
    blockedOn.length > 0 && [
      `WhatsApp still blocks the person on ${blockedOn.join(", ")}.`,
      "  next: unblock them under Numbers, if they are to write again",
    ],
    !isLogEmpty && "The write-ahead log still contains old pages until the server's next restart.",
    waitingImports.length > 0 && [
      `Uploaded files that are not imported yet may contain the person: ${waitingImports.join(", ")}.`,
      "  next: discard them under Contacts → Import, or remove the person from them",
    ],
  );
}

/** The person's erasure that was interrupted. */
function findErasing(tx: ReadTx, { id, country }: Workspace, phone: string): number | null {
  const found = lookUpContact(tx, id, phone, country);
  return found === null || found.contact !== null ? null : findOpenErasure(tx, id, found);
}

function requirePerson(tx: ReadTx, { id, country }: Workspace, phone: string): Contact {
  const found = lookUpContact(tx, id, phone, country)?.contact;
  if (found == null) throw notFound("contact");
  return found;
}

function writeAll(handle: number, piece: Uint8Array): void {
  for (let done = 0; done < piece.byteLength; ) done += writeSync(handle, piece, done);
}

function inSeconds(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, "");
}
