/**
 * Writes the Debian package. It carries the executable and install.sh, and its scripts call that: an upgrade with apt goes
 * the same way as any other, with the executable before it kept and put back if the new one is not ready.
 */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { directoriesOf, type Entry, tar } from "./tar.ts";

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

export function deb({ version, architecture, executable, installer, license, time }: DebOptions): Uint8Array {
  const files: Entry[] = [
    { path: `${HOME}/install.sh`, mode: 0o755, bytes: installer },
    { path: `${HOME}/waxwing`, mode: 0o755, bytes: executable },
    { path: "usr/share/doc/waxwing/copyright", mode: 0o644, bytes: license },
  ];
  const sums = files.map(({ path, bytes = new Uint8Array() }) => `${md5(bytes)}  ${path}\n`).join("");
  const kilobytes = Math.ceil(files.reduce((total, { bytes }) => total + (bytes?.length ?? 0), 0) / 1024);
  const control = [
    "Package: waxwing",
    `Version: ${version.replaceAll("-", "~")}`,
    `Architecture: ${architecture}`,
    "Maintainer: Waxwing <waxwing@localhost>",
    `Installed-Size: ${kilobytes}`,
    // Of the executable and its SQLite driver.
    "Depends: libc6 (>= 2.31), libstdc++6, libgcc-s1",
    "Section: net",
    "Priority: optional",
    "Description: self-hosted server that sends WhatsApp messages for a business's software",
    " One executable with one SQLite database. Installing the package sets up the service",
    " as install.sh does: a user, a configuration, a data directory and a systemd unit.",
    "",
  ].join("\n");
  const controlFiles: Entry[] = [
    { path: "control", mode: 0o644, bytes: Buffer.from(control) },
    { path: "md5sums", mode: 0o644, bytes: Buffer.from(sums) },
    { path: "postinst", mode: 0o755, bytes: Buffer.from(AFTER_UNPACKING) },
    { path: "prerm", mode: 0o755, bytes: Buffer.from(BEFORE_REMOVAL) },
  ];
  const paths = files.map(({ path }) => path);
  return ar(
    [
      ["debian-binary", Buffer.from("2.0\n")],
      ["control.tar.gz", gzipSync(tar(controlFiles.map(inFolder), time))],
      ["data.tar.gz", gzipSync(tar([...directoriesOf(paths), ...files].map(inFolder), time))],
    ],
    time,
  );
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

function inFolder(entry: Entry): Entry {
  return { ...entry, path: `./${entry.path}` };
}

function md5(bytes: Uint8Array): string {
  return createHash("md5").update(bytes).digest("hex");
}

/** The archive format of Debian packages. */
function ar(members: readonly (readonly [name: string, bytes: Uint8Array])[], time: number): Uint8Array {
  const parts = members.flatMap(([name, bytes]) => [
    Buffer.from(
      `${name.padEnd(16)}${String(time).padEnd(12)}${"0".padEnd(6)}${"0".padEnd(6)}${"100644".padEnd(8)}${String(bytes.length).padEnd(10)}\`\n`,
    ),
    bytes,
    Buffer.from(bytes.length % 2 === 0 ? "" : "\n"),
  ]);
  return Buffer.concat([Buffer.from("!<arch>\n"), ...parts]);
}
