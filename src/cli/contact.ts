/** `waxwing contact …`: imports, exports and opts out contacts in bulk, keeps or erases a single person. */
import { closeSync, existsSync, ftruncateSync, openSync, writeSync } from "node:fs";
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
import { bulkOptOut } from "#src/transfer/bulk-opt-out.ts";
import { exportContacts } from "#src/transfer/export-contacts.ts";
import { FailureFile } from "#src/transfer/failure-file.ts";
import { importContacts } from "#src/transfer/import-contacts.ts";
import { ImportFiles } from "#src/transfer/import-files.ts";
import { listImports, removeEndedImports } from "#src/transfer/imports.ts";
import type { FileSource } from "#src/transfer/table-text.ts";
import { type Command, command, workspaceOption } from "./command.ts";
import type { Context, Io } from "./context.ts";
import { withDatabase } from "./database.ts";
import { CommandFailure, UsageError } from "./failure.ts";
import { list } from "./output.ts";

const group = "contact";
const FAILURES = ".errors.csv";
const file = {
  kind: "text",
  value: "FILE",
  file: { as: "read", beside: { [FAILURES]: "make" } },
  required: true,
  description: "The file",
} as const;
const phone = {
  kind: "text",
  value: "PHONE",
  required: true,
  description: "The person's number, in any format",
} as const;
const BATCH = 200;
const GAP_MS = 3;

export const commands: readonly Command[] = [
  command({
    group,
    name: "import",
    summary: "Import contacts from a CSV file",
    details:
      "Encoding, delimiter and columns are detected; --map overrides the columns. Importing the same file again changes\nnothing. Failed rows are written to FILE.errors.csv, and so are rows of which --skip-bad-cells skips cells: a\ncell that cannot be read is left as it was, and the rest of its row is imported. Consent is recorded only with\n--consent, and never lifts an opt-out.",
    positionals: { file },
    options: {
      workspace: workspaceOption,
      map: {
        kind: "text",
        value: "COL=FIELD,…",
        description: "Fields: phone, name, city, tags, fields.KEY …; - ignores the column",
      },
      consent: {
        kind: "choice",
        choices: ["opted_in"],
        description: "Every person in the file has agreed to receive messages",
      },
      dryRun: { kind: "flag", description: "Check every row without changing anything" },
      skipBadCells: {
        kind: "flag",
        description: "Skip a cell that cannot be read, but not a phone number or user id",
      },
    },
    run: (context, values) => {
      const source = requireFile(context, values.file);
      const map = readMap(values.map);
      return withDatabase(context, "write", async ({ store, lockServer }) => {
        const failures = failuresOf(context, values.file);
        try {
          const counters = await importContacts({
            store,
            clock: context.io.clock,
            workspaceId: values.workspace,
            path: values.file,
            file: source,
            map,
            optIn: values.consent !== undefined,
            skipsBadCells: values.skipBadCells,
            isDryRun: values.dryRun,
            isServerRunning: () => {
              const lock = lockServer();
              lock?.release();
              return lock === null;
            },
            onProgress: ({ rows, failed }) => progress(context.io, `${rows} rows, ${failed} failed`),
            onColumns: (header, { ignored }) => {
              failures.header = header;
              if (ignored.length > 0) context.io.err(`ignored columns: ${ignored.join(", ")}\n`);
            },
            onFailure: (line, cells, reason) => failures.add(line, cells, reason),
          });
          endProgress(context.io);
          const errors = failures.count === 0 ? {} : { errors_file: failures.path };
          return { json: { ...counters, ...errors }, text: list({ ...counters, ...errors }) };
        } finally {
          failures.close();
        }
      });
    },
  }),
  command({
    group,
    name: "export",
    summary: "Export all contacts as CSV",
    options: {
      workspace: workspaceOption,
      file: {
        kind: "text",
        value: "FILE",
        file: { as: "fill" },
        description: "Target file (default: stdout); required with --json",
      },
    },
    run: (context, values) => {
      if (context.options.json && values.file === undefined) {
        throw new UsageError("with --json the CSV needs its own file: add --file FILE", "contact export");
      }
      return withDatabase(context, "read", async ({ store }) => {
        const { file: path } = values;
        if (path === undefined) {
          await exportContacts(store, values.workspace, (text) => context.io.out(text));
          return null;
        }
        const handle = context.files.handleOf(path) ?? openSync(path, "w", 0o600);
        ftruncateSync(handle);
        try {
          const contacts = await exportContacts(store, values.workspace, (text) => void writeSync(handle, text));
          return { json: { contacts, file: path }, text: `Exported ${contacts} contacts to ${path}.` };
        } finally {
          closeSync(handle);
        }
      });
    },
  }),
  command({
    group,
    name: "opt-out",
    summary: "Opt out every person in a file",
    details:
      "The file is a CSV with a phone column, or has one number per line. A person who has already opted out keeps the\nfirst date.",
    options: { workspace: workspaceOption, file },
    run: (context, values) => {
      const source = requireFile(context, values.file);
      return withDatabase(context, "write", async ({ store }) => {
        const failures = failuresOf(context, values.file);
        try {
          const counters = await bulkOptOut(
            { store, clock: context.io.clock },
            values.workspace,
            values.file,
            (line, cells, reason) => failures.add(line, cells, reason),
            source,
          );
          const errors = failures.count === 0 ? {} : { errors_file: failures.path };
          return { json: { ...counters, ...errors }, text: list({ ...counters, ...errors }) };
        } finally {
          failures.close();
        }
      });
    },
  }),
  command({
    group,
    name: "keep",
    summary: "Keep sending to a person who may want to stop",
    details:
      "For a person whose message may mean STOP and turned out not to. Their consent stays as it is. Nothing happens to a\nperson about whom there is no doubt.",
    positionals: { phone },
    options: { workspace: workspaceOption },
    run: (context, values) =>
      withDatabase(context, "write", async ({ store }) => {
        const contact = await store.write((tx) => {
          const workspace = getWorkspace(tx, values.workspace);
          return viewContact(tx, clearDoubtOf(tx, workspace, values.phone), workspace);
        });
        const text = `${contact.phone} is kept. Consent: ${contact.consent.status.replace("_", " ")}.`;
        return { json: contact, text };
      }),
  }),
  command({
    group,
    name: "erase",
    summary: "Erase a person: data, texts, files, raw records",
    details:
      "Counters stay, and so does a keyed hash of an opt-out, so that no import revives the person. Import files uploaded\nin the console that contain the person are deleted. Earlier backups still contain the person.",
    positionals: { phone },
    options: { workspace: workspaceOption },
    run: (context, values) =>
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
  }),
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
        const last = eraseMentions(tx, workspaceId, identifiers, table, checkedUpTo[table], BATCH);
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

/** The file to read: its path, or the handle that root opened. */
function requireFile({ files }: Context, path: string): FileSource {
  if (files.isThere(path) ?? existsSync(path)) return files.handleOf(path) ?? path;
  throw new CommandFailure("unreadable_file", `there is no file ${path}`, "check the path");
}

function failuresOf({ files }: Context, path: string): FailureFile {
  return new FailureFile(path + FAILURES, files.handleOf(path + FAILURES));
}

/** `COL=FIELD,COL=FIELD` */
function readMap(text: string | undefined): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const pair of text?.split(",") ?? []) {
    const at = pair.lastIndexOf("=");
    if (at < 1)
      throw new UsageError(`--map is a list of COLUMN=FIELD, and "${pair}" is not of that form`, "contact import");
    map.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
  return map;
}

function progress(io: Io, text: string): void {
  if (io.isTerminal) io.err(`\r${text}`);
}

function endProgress(io: Io): void {
  if (io.isTerminal) io.err("\n");
}
