/**
 * `waxwing upgrade`: replaces the executable of this installation by a signed release, with a way back. Root stays root:
 * what is done in the data directory is done by the server, or by commands that become its owner.
 */
import { accessSync, constants, existsSync, linkSync, readFileSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { loadKeys } from "#src/core/key-file.ts";
import { releaseAddress, releaseKey, version } from "#src/core/version.ts";
import { compareVersions } from "#src/upgrade/compare-versions.ts";
import { inodeOf, Journal } from "#src/upgrade/journal.ts";
import { isKeptDatabase } from "#src/upgrade/put-back.ts";
import type { VersionNotes } from "#src/upgrade/release-notes.ts";
import { hashFile, openRelease, type Release, readPublicKey } from "#src/upgrade/signed-release.ts";
import { runningInode } from "#src/upgrade/trial.ts";
import { tryOnCopy } from "#src/upgrade/try-copy.ts";
import {
  endInterrupted,
  restoreAndUpgrade,
  type Target,
  type UpgradeResult,
  upgradeExecutable,
} from "#src/upgrade/upgrade.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { fileExists } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { flag, number, text, type Values } from "./option.ts";
import { list, type Report } from "./output.ts";
import { isCompiled } from "./process.ts";
import {
  globalWords,
  placeBuilt,
  runChild,
  translatingTryErrors,
  translatingUpgradeErrors,
  upgradeContext,
  whileLocked,
} from "./upgrade-context.ts";

const release = {
  from: text("FILE|URL", "The release (default: where this executable came from)"),
  publicKey: text("FILE", "The public key that signed it, in PEM (default: the one in this executable)"),
};
const settings = {
  restartWith: text(
    "COMMAND",
    "What restarts the server (default: systemd if it runs the server, otherwise this command itself)",
  ),
  readyWithin: number(
    "SECONDS",
    "How long the new executable may take until it is ready, not counting its migration (default: 60)",
  ),
};
type Settings = Values<typeof settings>;

const READY_WITHIN_S = 60;

export const commands: readonly Command[] = [
  command(
    "upgrade",
    {
      summary: "Install a signed release; put everything back if it does not become ready",
      details:
        "The release is a folder, an archive of one (.tar, .tar.gz), or the address of either. Its signature and checksums are\nverified, and the new executable is tried on a copy of the database, before anything changes. From the restart until the\nnew one is ready, the server answers 503 and sends nothing.\n\nWithout systemd, the command starts the new server with the arguments, directory, environment and output of the running\none, and ends that one. If another program supervises the server, name its command with --restart-with.",
      needsNoData: true,
    },
    {
      ...release,
      check: flag("Only verify the release, compare versions and show what changed"),
      built: text("FILE", "Instead of a release: an executable that you built yourself, which is not verified"),
      ...settings,
    },
    (context, values) =>
      translatingUpgradeErrors(async () => {
        if (!values.check) await continueInterrupted(context, values);
        if (values.built !== undefined) return report(await installBuilt(context, values.built, values));
        const found = await findRelease(values);
        if (values.check) return reportCheck(found);
        const order = compareVersions(found.version, version);
        if (order === 0 && (await hashFile(process.execPath)) === found.sha256) return reportSame();
        if (order <= 0) throw notNewer(found, order);
        const target: Target = {
          place: (path) => found.saveExecutable(path),
          tryOut: (path) => tryOut(context, path, found.version),
        };
        return report(await upgradeExecutable(openContext(context, values), version, target));
      }),
  ),
  command(
    "upgrade back",
    {
      summary: "Return to the executable before the last upgrade",
      details:
        "Where both have the same schema, only the executable changes. Otherwise the database from before the upgrade is\nrestored: newer rows are merged into it, and broadcasts are held.",
      needsNoData: true,
    },
    {
      acceptGap: flag("Restore even if newer rows cannot be merged and are lost"),
      ...settings,
    },
    (context, values) =>
      translatingUpgradeErrors(async () => {
        await continueInterrupted(context, values);
        return report(await goBack(context, values));
      }),
  ),
  command(
    "upgrade try",
    {
      summary: "Try this executable on a copy of the database",
      details:
        "Every upgrade does so first. The copy is migrated, checked and deleted; a running server is not disturbed.",
    },
    {},
    async (context) => {
      const { storage, secrets } = context.loadConfig();
      const { io } = context;
      const database = resolve(storage.path);
      if (!fileExists(database))
        return { json: { from: null, to: null }, text: `There is no database at ${database}.` };
      loadKeys({ keyFile: secrets.keyFile, env: io.env, random: io.random }, false);
      const { from, to } = translatingTryErrors(() => tryOnCopy(database, io.clock.now()));
      return {
        json: { from, to },
        text: `A copy of ${database} was migrated from schema ${from} to ${to} and checked.`,
      };
    },
  ),
];

function openContext(context: Context, { restartWith, readyWithin }: Settings) {
  if (!isCompiled()) {
    throw new CommandFailure("not_an_executable", "this program runs from its sources, so there is nothing to replace");
  }
  const executable = realpathSync(process.execPath);
  try {
    accessSync(dirname(executable), constants.W_OK);
  } catch {
    const next = "run this as root, or as the owner of that directory";
    throw new CommandFailure("unavailable", `${dirname(executable)} cannot be written to`, next);
  }
  return upgradeContext(context, executable, restartWith, (readyWithin ?? READY_WITHIN_S) * 1000);
}

/**
 * First brings an interrupted upgrade to its end. If that puts the other executable back, that one continues: this
 * process is not the one that is installed.
 */
async function continueInterrupted(context: Context, settings: Settings): Promise<void> {
  if (!isCompiled()) return;
  const journal = new Journal(realpathSync(process.execPath));
  const phase = journal.phase();
  if (phase === null || phase === "done" || phase === "undone") return;
  await endInterrupted(openContext(context, settings));
  if (inodeOf(journal.executable) === runningInode()) return;
  const words = [journal.executable, ...process.argv.slice(2)];
  const child = Bun.spawn(words, { stdin: "inherit", stdout: "inherit", stderr: "inherit" });
  context.io.exit(await child.exited);
}

async function findRelease({ from, publicKey }: Values<typeof release>): Promise<Release> {
  const address = from ?? releaseAddress;
  if (address === "") {
    throw new CommandFailure(
      "no_release",
      "this executable knows no address of releases",
      "name one with --from FILE|URL",
    );
  }
  const key = publicKey === undefined ? releaseKey : readFileSync(publicKey, "utf8");
  if (key === "") {
    const next = "name the publisher's public key with --public-key FILE";
    throw new CommandFailure("no_key", "this executable knows no key that verifies releases", next);
  }
  let trusted: ReturnType<typeof readPublicKey>;
  try {
    trusted = readPublicKey(key);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure("invalid_key", `${publicKey ?? "the key of this executable"} is not usable: ${reason}`);
  }
  return openRelease(address, trusted, `${process.platform}-${process.arch}`);
}

function notNewer(release: Release, order: number): CommandFailure {
  if (order === 0) {
    const message = `the release has the version that is installed, ${version}, and another content; nothing was changed`;
    return new CommandFailure("same_version", message, "install a release with a newer version");
  }
  const message = `the release is ${release.version}, older than ${version}, which is installed; nothing was changed`;
  return new CommandFailure(
    "downgrade",
    message,
    "to return to the executable before the last upgrade: waxwing upgrade back",
  );
}

function installBuilt(context: Context, built: string, settings: Settings): Promise<UpgradeResult> {
  const target: Target = { place: (path) => placeBuilt(built, path), tryOut: (path) => tryOut(context, path, null) };
  return upgradeExecutable(openContext(context, settings), version, target);
}

async function goBack(context: Context, settings: Settings & { acceptGap: boolean }): Promise<UpgradeResult> {
  const opened = openContext(context, settings);
  const { previous } = opened.journal;
  if (!existsSync(previous)) {
    throw new CommandFailure("no_way_back", `there is no ${previous}: this is the first executable here`);
  }
  const target: Target = {
    place: async (path) => linkSync(previous, path),
    tryOut: (path) => tryOut(context, path, null),
  };
  const failure = await runChild([previous, ...globalWords(context), "check", "--schema"]).then(
    () => null,
    (error: unknown) => error,
  );
  if (failure === null || (failure instanceof CommandFailure && failure.code === "no_database")) {
    return upgradeExecutable(opened, version, target);
  }
  if (!(failure instanceof CommandFailure) || failure.code !== "newer_schema") throw failure;
  const kept = opened.journal.last()?.keptDatabase ?? null;
  // The service's user wrote that name, and root may be reading it.
  if (kept === null || !isKeptDatabase(kept, opened.database)) {
    const message = "the database is too new for the previous executable, and none from before the upgrade is known";
    throw new CommandFailure("no_way_back", message, `restore a backup with ${previous}`);
  }
  const gap = settings.acceptGap ? ["--accept-gap"] : [];
  return restoreAndUpgrade(opened, version, target, async () => {
    const words = [opened.journal.fresh, ...globalWords(context), "restore", kept, ...gap];
    await whileLocked(context.io.clock, () => runChild(words));
  });
}

/** `wanted`: the version that it must have. */
async function tryOut(context: Context, path: string, wanted: string | null) {
  const { clock } = context.io;
  const shown = (await runChild([path, "version"])) as { version: string };
  if (wanted !== null && shown.version !== wanted) {
    throw new CommandFailure("refused", `the release says ${wanted}, and its executable ${shown.version}`);
  }
  const startedAt = clock.monotonic();
  await runChild([path, ...globalWords(context), "upgrade", "try"]);
  return { version: shown.version, durationMs: clock.monotonic() - startedAt };
}

function report({ from, to, keptDatabase, wasRunning }: UpgradeResult): Report {
  const view = { from, to, changed: true, kept_database: keptDatabase, ready: wasRunning };
  const text = [
    list({ from, to, "database before": keptDatabase ?? undefined }),
    "",
    wasRunning
      ? "The new executable runs. To return to the previous one: waxwing upgrade back"
      : "The executable was replaced. No server was running, so it has only been tried on a copy of the database.",
  ].join("\n");
  return { json: view, text };
}

async function reportCheck(release: Release): Promise<Report> {
  const isNewer = compareVersions(release.version, version) > 0;
  const changes = isNewer ? await release.readChanges(version) : [];
  const said = isNewer
    ? "The release is newer. Nothing was changed."
    : "The release is not newer. Nothing was changed.";
  const text = [list({ installed: version, release: release.version }), "", said, ...changes.flatMap(describeChanges)];
  return {
    json: { from: version, to: release.version, newer: isNewer, schema: release.schema, changes },
    text: text.join("\n"),
  };
}

function describeChanges({ version: of, date, groups }: VersionNotes): string[] {
  const heading = date === null ? of : `${of} – ${date}`;
  const blocks = groups.map(({ title, items }) => [
    ...(title === null ? [] : [title]),
    ...items.map((item) => `- ${item}`),
  ]);
  return ["", heading, ...blocks.flatMap((lines) => ["", ...lines])];
}

function reportSame(): Report {
  const view = { from: version, to: version, changed: false, kept_database: null, ready: null };
  return { json: view, text: `${version} is installed already; nothing was changed.` };
}
