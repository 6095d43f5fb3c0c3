/** `waxwing check [FILE]`: verifies a database or a backup. It only reads. */
import { resolve } from "node:path";
import { reading } from "#src/backup/database-file.ts";
import { compareDigest } from "#src/backup/digest.ts";
import { visible } from "#src/core/shown-text.ts";
import type { Client } from "#src/db/driver.ts";
import { databaseFiles } from "#src/db/files.ts";
import { NewerSchema, schemaVersion } from "#src/db/migrate.ts";
import { migrations } from "#src/db/migrations.ts";
import { type CheckFinding, type CheckResult, checkDatabase } from "#src/health/check.ts";
import { invariants } from "#src/health/invariants.ts";
import { MediaFiles } from "#src/media/files.ts";
import { findMissingFiles } from "#src/media/find-missing.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { isServed, noDatabase } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { databaseFile, isGivenThere, withGivenDatabase } from "./given-database.ts";
import { file, flag, optionalPositional } from "./option.ts";
import type { Report } from "./output.ts";

export const commands: readonly Command[] = [
  command(
    "check",
    {
      summary: "Check a database: the file's integrity, and every invariant of its data",
      details:
        "Without FILE: the database of this installation, also while a server runs, which is not blocked. Exit code 1 if\na check fails.",
    },
    {
      file: optionalPositional(file("FILE", "A backup, or another database file", databaseFile)),
      schema: flag("Only report whether this executable can run on it"),
    },
    async (context, values) => {
      const name = values.file ?? databaseFiles(context.loadConfig().storage.path).database;
      if (!isGivenThere(context, name)) {
        if (values.file === undefined) throw noDatabase(name);
        throw new CommandFailure("unreadable_file", `there is no file ${resolve(name)}`, "check the path");
      }
      return withGivenDatabase(context, name, (path) => (values.schema ? checkSchema : checkAll)(context, name, path));
    },
  ),
];

const MEDIA_CHECK = "media_on_disk";
const SHOWN_IDS = 5;

/** The files next to the installation's own database; a backup has none. */
function withMedia(found: CheckResult, client: Client, context: Context): CheckResult {
  const checked = [...found.checked, MEDIA_CHECK];
  const missing = findMissingFiles(client, new MediaFiles(context.loadConfig().media.directory));
  if (missing.length === 0) return { ...found, checked };
  const finding: CheckFinding = {
    name: MEDIA_CHECK,
    sentence: "Every stored file that a person sent is on disk, with all its bytes.",
    count: missing.length,
    of: "media file",
    ids: missing.slice(0, SHOWN_IDS),
    next: "copy the missing files from your copy of the media directory; the names are workspace-hash",
  };
  return { ...found, checked, isSound: false, findings: [finding] };
}

/** `name` is the file's name for messages, `path` where it is read. Throws `NewerSchema`. */
function checkSchema(_context: Context, name: string, path: string): Report {
  const found = reading(path, schemaVersion);
  const known = migrations.at(-1)?.version ?? 0;
  if (found > known) throw new NewerSchema(found, known);
  const then = found === known ? "" : `, and migrates it to schema ${known} when the server starts`;
  return {
    json: { ok: true, file: resolve(name), schema: found, known },
    text: `${resolve(name)} has schema ${found}: this executable runs on it${then}.`,
  };
}

function checkAll(context: Context, name: string, path: string): Report {
  const { io, options } = context;
  const isOwn = resolve(name) === resolve(databaseFiles(context.loadConfig().storage.path).database);
  const startedAt = io.clock.monotonic();
  const onStep = (part: string): void => {
    if (io.isTerminal && !options.json) io.err(`\r\u001b[K${part} …`);
  };
  let result: CheckResult;
  const digest = compareDigest(path);
  try {
    result =
      digest.kind === "broken"
        ? { isSound: false, schema: 0, checked: ["digest"], findings: [digest.finding] }
        : reading(path, (client) => {
            const found = checkDatabase(client, { now: io.clock.now(), isExclusive: !isServed(path), onStep });
            return isOwn && found.isSound ? withMedia(found, client, context) : found;
          });
  } finally {
    if (io.isTerminal && !options.json) io.err("\r\u001b[K");
  }
  const seconds = ((io.clock.monotonic() - startedAt) / 1000).toFixed(1);
  const view = { ...viewOf(name, result), digest: DIGEST_STATES[digest.kind] };
  if (result.isSound) {
    const text = `${resolve(name)} passed: schema ${result.schema}, ${result.checked.length} checks in ${seconds} s${isOwn ? "" : DIGEST_WORDS[digest.kind]}.`;
    return { json: view, text };
  }
  return { json: view, text: describeBroken(name, result.findings), exitCode: 1 };
}

const DIGEST_STATES = { none: null, same: true, broken: false } as const;
const DIGEST_WORDS = { none: ", without a digest", same: ", and its digest is right", broken: "" } as const;

function viewOf(path: string, { isSound, schema, checked, findings }: CheckResult) {
  const sentences = new Map(invariants.map(({ name, sentence }) => [name, sentence]));
  return {
    ok: isSound,
    file: resolve(path),
    schema,
    checks: checked.map((name) => {
      const finding = findings.find((one) => one.name === name);
      return { name, ok: finding === undefined, sentence: finding?.sentence ?? sentences.get(name) ?? null };
    }),
    broken: findings.map(({ name, sentence, count, of, ids, next }) => ({ name, sentence, count, of, ids, next })),
  };
}

export function describeBroken(path: string, findings: readonly CheckFinding[]): string {
  const parts = findings.map(({ name, sentence, count, of, ids, next }) =>
    [
      `${name}: broken`,
      `  should be: ${sentence}`,
      `  but: ${count === 1_000 ? "1,000 or more" : count} × ${of}: ${ids.map((id) => visible(String(id))).join(", ")}${count > ids.length ? ", …" : ""}`,
      `  next: ${next}`,
    ].join("\n"),
  );
  return [`${resolve(path)} is broken.`, ...parts].join("\n");
}
