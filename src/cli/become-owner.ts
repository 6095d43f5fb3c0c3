/**
 * Prepares a command's context and the user it runs as. Root first opens the files named on the command line and then
 * becomes the owner of the data directory, before it opens anything there and before the database driver is loaded.
 * With root's rights, a link placed there by the service's user could lead to any file on the machine.
 */
import { accessSync, constants, existsSync, lstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, type ConfigFile, findConfigFile, LOCAL_FILE, loadConfig } from "#src/config/config.ts";
import type { Command } from "./command.ts";
import type { Context, GlobalOptions, Io } from "./context.ts";
import { CommandFailure } from "./failure.ts";
import { type FileUse, NamedFiles } from "./named-files.ts";
import type { Value } from "./option.ts";
import { describeForeign, findForeign, type Owner, ownerOf } from "./owner.ts";
import type { Root } from "./root.ts";

type Given = Readonly<Record<string, Value>>;

/** Throws `ConfigError`, and `CommandFailure` if root cannot become the owner. */
export function contextFor(command: Command, given: Given, options: GlobalOptions, io: Io): Context {
  const files = new NamedFiles();
  const sources = { file: options.config, data: options.data, env: io.env };
  let found: ConfigFile | null | undefined;
  if (io.root !== null && opensData(command, options)) {
    // Read once, because the owner may not be allowed to read it.
    found = findConfigFile(sources, true);
    if (found?.name !== LOCAL_FILE && options.config === undefined && existsSync(LOCAL_FILE)) {
      io.err(`${LOCAL_FILE} is ignored, because root does not own it and its directory. Use --config to name it.\n`);
    }
    const { storage } = loadConfig({ ...sources, found });
    const owner = ownerOf(storage.data, storage.path);
    if (owner === null) useTmpOf(storage.data, io);
    else {
      const named = filesOf(command, given);
      if (command.changesConfig && found !== null) named.push({ path: found.name, file: { as: "update" } });
      openAndBecome(io.root, owner, storage, files, named);
    }
  }
  preferTmpOfData(command, options, io, sources);
  return {
    ...{ io, options, files },
    loadConfig({ listen, again = false } = {}) {
      const isRoot = io.root !== null;
      // For a command that stays root.
      if (found === undefined && isRoot) found = findConfigFile(sources, true);
      const file = again && isRoot ? findConfigFile(sources, true) : found;
      return loadConfig({ ...sources, found: file, listen });
    },
  };
}

function openAndBecome(
  root: Root,
  owner: Owner,
  { data, path: database }: Config["storage"],
  files: NamedFiles,
  named: ReturnType<typeof filesOf>,
): void {
  const hasDatabase = existsSync(database);
  const groups = trying(owner, data, () => root.takeGroups(owner));
  for (const { path, file } of named) {
    // Without a database, there is nothing to write into a new file.
    if (file.as !== "make" || hasDatabase) files.open(path, file, owner, groups);
  }
  become(root, owner, data);
  requireOwnFiles(owner, database);
  for (const { path, file } of named)
    if (file.as === "read" || file.as === "update") requireReadable(owner, path, files);
}

/** A program of root's, such as `sqlite3`, leaves companion files that neither the service nor this command can use. */
function requireOwnFiles(owner: Owner, database: string): void {
  const foreign = findForeign(database, owner.uid);
  if (foreign.length > 0) throw new CommandFailure("unavailable", ...describeForeign(foreign, owner));
}

/** A file in a directory of the owner is opened with the owner's rights; one that root put there may be root's alone. */
function requireReadable({ uid }: Owner, path: string, files: NamedFiles): void {
  if (files.isThere(path) !== null || !existsSync(path)) return;
  try {
    accessSync(path, constants.R_OK);
  } catch {
    throw new CommandFailure(
      "unreadable_file",
      `${resolve(path)} is opened as user ${uid}, who owns its directory, and this user may not read it`,
      "move it to a directory that only root may change, such as /root, and name it there",
    );
  }
}

/** What the service unpacks there can run, which `/tmp` may forbid. */
function useTmpOf(data: string, io: Io): void {
  const tmp = join(resolve(data), "tmp");
  // What is wrong with the data directory is said when it is used.
  if (existsSync(tmp) && lstatSync(tmp).isDirectory()) io.useTmp?.(tmp);
}

/** Root has chosen before. */
function preferTmpOfData(
  command: Command,
  options: GlobalOptions,
  io: Io,
  sources: Parameters<typeof loadConfig>[0],
): void {
  if (io.root !== null || io.useTmp === undefined || !opensData(command, options)) return;
  useTmpOf(loadConfig(sources).storage.data, io);
}

function opensData({ needsNoData }: Command, { data }: GlobalOptions): boolean {
  return needsNoData === "unless named" ? data !== undefined : needsNoData !== true;
}

function filesOf({ positionals, options }: Command, given: Given): { path: string; file: FileUse }[] {
  return Object.entries({ ...positionals, ...options }).flatMap(([name, declared]) => {
    const path = given[name];
    if (declared.kind !== "text" || declared.file === undefined || typeof path !== "string" || path === "-") return [];
    return [{ path, file: declared.file }];
  });
}

function become(root: Root, owner: Owner, data: string): void {
  const isThere = existsSync(data);
  trying(owner, data, () => root.become(owner, join(resolve(data), "tmp")));
  if (isThere && !mayEnter(data)) {
    throw new CommandFailure(
      "unavailable",
      `${resolve(data)} belongs to user ${owner.uid}, who cannot enter it`,
      "let that user enter it and the directories above it",
    );
  }
}

function trying<T>({ uid }: Owner, data: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(
      "unavailable",
      `${resolve(data)} belongs to user ${uid}, and root cannot switch to that user here: ${reason}`,
      "run this as that user",
    );
  }
}

function mayEnter(directory: string): boolean {
  try {
    accessSync(directory, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
