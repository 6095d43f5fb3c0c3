/**
 * Writes what is kept of a person into one archive: `index.html` for people, `data.json` for programs, and the files. It is
 * written while it is read, so it may be larger than the memory.
 */
import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { type Clock, sleep } from "#src/core/clock.ts";
import { formatInstant } from "#src/core/instant.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { findPerson } from "#src/domain/erasure/person.ts";
import type { ConversationCursor } from "#src/domain/inbound/read-conversation.ts";
import type { MediaFile } from "#src/domain/media/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import {
  type Entry,
  listFiles,
  messageTables,
  type PersonFile,
  readEntries,
  readMessageRows,
  readNotes,
  readProfile,
  readRecords,
  recordTables,
} from "./collect.ts";
import * as page from "./page.ts";

/** Between two pages, so that others have their turn. */
const GAP_MS = 1;

interface ArchiveOptions {
  store: Store;
  workspace: Workspace;
  /** Of the pauses. */
  clock: Clock;
  /** Of the time in the archive. Default: `clock`. */
  wallClock?: Pick<Clock, "now">;
  find: (tx: ReadTx) => Contact;
  /** Null: the file is not on this disk. */
  readFile: (file: Pick<MediaFile, "workspaceId" | "hash">) => AsyncIterable<Uint8Array> | null;
  write: (piece: Uint8Array) => void | Promise<void>;
}

interface ArchiveReport {
  contacts: number;
  entries: number;
  notes: number;
  files: number;
  /** Names of files that are stored no more. */
  missing: string[];
  /** Of the archive. */
  bytes: number;
}

/** Throws what `find` throws, before anything is written. */
export async function writePersonArchive(options: ArchiveOptions): Promise<ArchiveReport> {
  const { store, clock, wallClock = clock, workspace, find, readFile, write } = options;
  const { all, files } = store.read((tx) => {
    const linked = findPerson(tx, find(tx)).contacts;
    return { all: linked, files: listFiles(tx, linked) };
  });
  const report: ArchiveReport = {
    ...{ contacts: all.length, entries: 0, notes: 0, files: 0, missing: [], bytes: 0 },
  };
  const madeAt = formatInstant(wallClock.now(), workspace.timezone);

  async function* entriesOf(contact: Contact): AsyncGenerator<Entry[]> {
    let from: ConversationCursor | null = null;
    do {
      const read: ReturnType<typeof readEntries> = store.read((tx) => readEntries(tx, contact, workspace, from));
      yield read.entries;
      from = read.next;
      await sleep(clock, GAP_MS);
    } while (from !== null);
  }

  async function* json(): AsyncGenerator<string> {
    const about = { workspace: workspace.name, made_at: madeAt, files: files.map(({ stored: _, ...file }) => file) };
    yield `${JSON.stringify(about).slice(0, -1)},"contacts":[`;
    for (const [index, contact] of all.entries()) {
      const profile = store.read((tx) => readProfile(tx, contact, workspace));
      yield `${index === 0 ? "" : ","}${JSON.stringify(profile).slice(0, -1)},"conversation":`;
      yield* array(entriesOf(contact));
      yield ',"records":{';
      for (const [place, table] of recordTables.entries()) {
        yield `${place === 0 ? "" : ","}"${table}":`;
        yield* array(pages((offset) => store.read((tx) => readRecords(tx, contact, table, offset))));
      }
      for (const table of messageTables) {
        yield `,"${table}":`;
        yield* array(rowsOf(contact, table));
      }
      yield "}}";
    }
    yield "]}\n";
  }

  async function* pages<Row>(read: (offset: number) => Row[]): AsyncGenerator<Row[]> {
    for (let offset = 0; ; ) {
      const rows = read(offset);
      await sleep(clock, GAP_MS);
      if (rows.length === 0) return;
      yield rows;
      offset += rows.length;
    }
  }

  async function* rowsOf(contact: Contact, table: (typeof messageTables)[number]): AsyncGenerator<object[]> {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from: number = after;
      const rows = store.read((tx) => readMessageRows(tx, contact, table, from));
      yield rows;
      after = rows.at(-1)?.id;
      await sleep(clock, GAP_MS);
    }
  }

  async function* html(): AsyncGenerator<string> {
    const [first] = all;
    const filesOf = filesByOwner(files);
    yield page.pageStart(workspace.name, madeAt, first?.phone ?? first?.networkUserId ?? "");
    for (const contact of all) {
      yield page.profileSection(store.read((tx) => readProfile(tx, contact, workspace)));
      yield page.conversationStart;
      for await (const entries of entriesOf(contact)) {
        report.entries += entries.length;
        yield entries.map((entry) => page.entrySection(entry, filesOf(entry))).join("");
      }
    }
    for (const contact of all) {
      for await (const notes of pages((offset) => store.read((tx) => readNotes(tx, contact, workspace, offset)))) {
        yield page.notesSection(notes, report.notes === 0);
        report.notes += notes.length;
      }
    }
    yield page.filesSection(files) + page.pageEnd;
  }

  const zip = new ZipFile();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const add = (name: string, pieces: () => AsyncIterable<Uint8Array | string>, isCompressed: boolean): void =>
    zip.addReadStreamLazy(name, { mtime: new Date(wallClock.now()), compress: isCompressed }, (callback) => {
      const stream = Readable.from(pieces(), { objectMode: false });
      stream.once("error", failed.reject);
      callback(null, stream);
    });
  add("index.html", html, true);
  add("data.json", json, true);
  for (const { name, stored } of files) {
    const bytes = readFile(stored);
    if (bytes === null) report.missing.push(name);
    else {
      report.files += 1;
      add(`files/${name}`, () => bytes, false);
    }
  }
  zip.end();
  const output = zip.outputStream as Readable;
  const pump = async (): Promise<void> => {
    for await (const piece of output) {
      report.bytes += (piece as Uint8Array).byteLength;
      await write(piece as Uint8Array);
    }
  };
  await Promise.race([pump(), failed.promise]);
  return report;
}

async function* array(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  let separator = "";
  yield "[";
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((one) => JSON.stringify(one)).join(",");
    separator = ",";
  }
  yield "]";
}

/** The files of an entry, by the message or the upload that they belong to. */
function filesByOwner(files: readonly PersonFile[]): (entry: Entry) => PersonFile[] {
  const found = Map.groupBy(files, ({ direction, of }) => `${direction} ${of}`);
  return ({ direction, id, uploads }) => {
    const owners = direction === "in" ? [`in ${id}`] : uploads.map((upload) => `out ${upload}`);
    return owners.flatMap((owner) => found.get(owner) ?? []);
  };
}
