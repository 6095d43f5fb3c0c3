/**
 * Writes the Debian package. It carries the executable and install.sh, and its scripts call that: an upgrade with apt goes
 * the same way as any other, with the executable before it kept and put back if the new one is not ready.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const HOME = "usr/lib/waxwing";

interface DebOptions {
  version: string;
  /** Debian's name of the processor. */
  architecture: "amd64" | "arm64";
  executable: Uint8Array;
  installer: Uint8Array;
  license: Uint8Array;
  /** Seconds since the epoch. */
  time: number;
}

/** Writes the package to `path`. Needs dpkg-deb. */
export function writeDeb(
  path: string,
  { version, architecture, executable, installer, license, time }: DebOptions,
): void {
  const control = [
    "Package: waxwing",
    `Version: ${version.replaceAll("-", "~")}`,
    `Architecture: ${architecture}`,
    "Maintainer: Waxwing <waxwing@localhost>",
    `Installed-Size: ${Math.ceil((executable.length + installer.length + license.length) / 1024)}`,
    // Of the executable and its SQLite driver.
    "Depends: libc6 (>= 2.31), libstdc++6, libgcc-s1",
    "Section: net",
    "Priority: optional",
    "Description: self-hosted server that sends WhatsApp messages for a business's software",
    " One executable with one SQLite database. Installing the package sets up the service",
    " as install.sh does: a user, a configuration, a data directory and a systemd unit.",
    "",
  ].join("\n");
  const root = mkdtempSync(join(tmpdir(), "waxwing-deb-"));
  const write = (name: string, mode: number, bytes: Uint8Array | string): void => {
    const file = join(root, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    chmodSync(file, mode);
  };
  try {
    write(`${HOME}/install.sh`, 0o755, installer);
    write(`${HOME}/waxwing`, 0o755, executable);
    write("usr/share/doc/waxwing/copyright", 0o644, license);
    write("DEBIAN/control", 0o644, control);
    write("DEBIAN/postinst", 0o755, AFTER_UNPACKING);
    write("DEBIAN/prerm", 0o755, BEFORE_REMOVAL);
    for (const name of ["", ...readdirSync(root, { recursive: true, encoding: "utf8" })])
      if (statSync(join(root, name)).isDirectory()) chmodSync(join(root, name), 0o755);
    const { success, stderr } = Bun.spawnSync(
      ["dpkg-deb", "--root-owner-group", "-Zgzip", "--threads-max=1", "--build", root, path],
      { stdout: "ignore", env: { PATH: process.env.PATH ?? "", SOURCE_DATE_EPOCH: String(time) } },
    );
    if (!success) throw new Error(`dpkg-deb failed: ${stderr.toString().trim()}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const AFTER_UNPACKING = `#!/bin/sh
set -e
if [ "$1" = configure ]; then WAXWING_EXECUTABLE=/${HOME}/waxwing sh /${HOME}/install.sh; fi
`;

// An upgrade removes nothing; configuration and data always stay.
const BEFORE_REMOVAL = `#!/bin/sh
set -e
if [ "$1" = remove ]; then sh /${HOME}/install.sh --uninstall; fi
`;
