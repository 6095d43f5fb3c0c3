/** `waxwing backup FILE`: an online copy of the database, proven before it gets its name. */
import { resolve } from "node:path";
import { type Backup, CopyBroken, makeBackup, NameTaken } from "#src/copies/backup.ts";
import { NoRoom } from "#src/copies/files.ts";
import { formatInstant } from "#src/primitives/instant.ts";
import { describe } from "./check.ts";
import { type Command, command } from "./command.ts";
import { isThere, noDatabase } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { list } from "./output.ts";

export const commands: readonly Command[] = [
  command({
    group: null,
    name: "backup",
    summary: "Copy the database, also beside a running server, and prove the copy",
    details:
      "The copy is one file. It is opened again and checked like waxwing check does, and appears under its name only when\nit is proven. The key file is not in it.",
    positionals: { file: { kind: "text", value: "FILE", required: true, says: "Where to; nothing is replaced" } },
    run: async (context, given) => {
      const { storage, secrets } = context.loadConfig();
      if (!isThere(storage.path)) throw noDatabase(storage.path);
      const backup = make(storage.path, given.file, context.io.clock.now());
      const keyFile = context.io.env.WAXWING_SECRETS_KEY === undefined ? resolve(secrets.keyFile) : null;
      const view = {
        file: backup.file,
        bytes: backup.bytes,
        schema: backup.schema,
        taken_at: formatInstant(backup.at, "UTC"),
        counts: backup.counts,
        verified: backup.findings.length === 0,
        broken: backup.findings.map(({ name, count, of, ids }) => ({ name, count, of, ids })),
        key_file: keyFile,
      };
      const text = [
        list({ file: view.file, size: `${(backup.bytes / 1e6).toFixed(1)} MB`, schema: view.schema, ...backup.counts }),
        "",
        keyFile === null
          ? "The key that opens its secrets is in WAXWING_SECRETS_KEY, not in the backup: keep it, apart from this file."
          : `The key that opens its secrets is ${keyFile}, not in the backup: keep a copy of it, apart from this file.`,
        ...(view.verified
          ? ["Integrity, references and invariants are checked."]
          : ["The database itself is not right, and so is the copy:", describe(storage.path, backup.findings)]),
      ].join("\n");
      return { json: view, text, ...(view.verified ? {} : { exitCode: 1 as const }) };
    },
  }),
];

function make(database: string, file: string, now: number): Backup {
  try {
    return makeBackup(database, file, now);
  } catch (error) {
    if (error instanceof NameTaken) throw new CommandFailure("file_exists", error.message, "name another file");
    if (error instanceof NoRoom) throw new CommandFailure("no_room", error.message, "make room, or name another disk");
    if (error instanceof CopyBroken) {
      throw new CommandFailure("broken", error.message, "the database may be damaged: waxwing check");
    }
    throw error;
  }
}
