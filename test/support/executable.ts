/**
 * The compiled executable for tests, built once however many test files and processes want it at the same time. It is
 * kept beside the packages, under a name derived from everything that the build reads, so that no test uses an outdated
 * one; the build of a newer one removes the others.
 */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { buildExecutable } from "./installation.ts";
import { BUILD_INPUTS, checkout } from "./source.ts";

const shelf = join(checkout, "node_modules/.cache/waxwing-test");
const BUILD_LIMIT_MS = 60_000;

/** Puts the executable of the present sources at `path`, as a link if it can be one: a test must not write into it. */
export async function placeExecutable(path: string): Promise<void> {
  mkdirSync(shelf, { recursive: true });
  // Held while a process builds or copies; the system releases the lock of a process that dies.
  const lock = openClient(join(shelf, "lock.db"), { timeout: BUILD_LIMIT_MS });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    const name = `waxwing-${digestOfIngredients()}`;
    const kept = join(shelf, name);
    if (!existsSync(kept)) {
      for (const other of readdirSync(shelf)) {
        if (!other.startsWith("lock.db")) rmSync(join(shelf, other), { recursive: true, force: true });
      }
      await buildExecutable(join(shelf, "unfinished"));
      renameSync(join(shelf, "unfinished"), kept);
    }
    linkOrCopy(kept, path);
  } finally {
    lock.close();
  }
}

/** A copy is 130 MB. */
function linkOrCopy(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    linkSync(from, to);
  } catch {
    // Another file system.
    copyFileSync(from, to);
  }
}

function digestOfIngredients(): string {
  const hash = createHash("sha256").update(`${Bun.version} ${Bun.revision}`);
  for (const ingredient of BUILD_INPUTS) {
    for (const path of filesOf(join(checkout, ingredient))) hash.update(`\0${path}\0`).update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 32);
}

function filesOf(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((one) => statSync(one).isFile())
    .sort();
}

// Printed for `./install.sh test`, which names it to every test: a link of its own, because the build of newer sources
// removes what is on the shelf.
if (import.meta.main) {
  const place = join(checkout, "node_modules/.cache/waxwing-suite/waxwing");
  mkdirSync(dirname(place), { recursive: true });
  await placeExecutable(place);
  console.log(place);
}
