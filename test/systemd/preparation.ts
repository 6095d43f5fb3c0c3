/** What the parts of `bun run test:systemd` share: the bare Debian, the release, and tools from npm. */
import { copyFileSync, cpSync, existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout } from "#test/support/source.ts";
import { type Box, makeDebian } from "./box.ts";

const RELEASE = join(checkout, "dist/release");
/** Kept from one run to the next. */
export const BASE = process.env.WAXWING_DEBIAN ?? join(tmpdir(), "waxwing-debian");
/** Where the packages of `tools/package.json` are. */
export const TOOLS = join(checkout, "node_modules/.cache/waxwing-systemd-tools");

/** Needs a network, once. */
export async function prepare(): Promise<void> {
  if (!existsSync(join(RELEASE, "SHA256SUMS")))
    throw new Error("there is no release in dist/release: ./install.sh release --only linux-x64 makes one");
  await makeDebian(BASE);
  mkdirSync(TOOLS, { recursive: true });
  for (const file of ["package.json", "bun.lock"])
    copyFileSync(join(import.meta.dir, "tools", file), join(TOOLS, file));
  const installed = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile"], { cwd: TOOLS });
  if (!installed.success) throw new Error(`the tools could not be installed: ${installed.stderr}`);
}

/** What an operator has after a download. */
export function bringRelease(box: Box): void {
  const folder = join(box.root, "root/release");
  mkdirSync(folder);
  cpSync(RELEASE, folder, { recursive: true });
}
