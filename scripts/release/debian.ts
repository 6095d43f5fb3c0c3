/**
 * Fetches the Debian packages that `debian-packages.txt` names, with apt and directories of our own, so that nothing of
 * the machine changes, and unpacks what an image needs of them.
 */
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Entry } from "./tar.ts";

export type Architecture = "amd64" | "arm64";

interface Locked {
  sha256: string;
  name: string;
  version: string;
  architecture: Architecture | "all";
}

const SOURCES = `deb http://deb.debian.org/debian bookworm main
deb http://deb.debian.org/debian bookworm-updates main
deb http://deb.debian.org/debian-security bookworm-security main
`;

/** Not needed to run: other languages, character sets, documents apart from licences. */
const LEFT_OUT =
  /^(usr\/share\/(locale|man|lintian|bug|doc-base)\/|usr\/share\/doc\/.*\/(?!copyright$)[^/]+$|usr\/share\/zoneinfo\/(right|posix)\/|usr\/lib\/[^/]+\/(gconv|audit)\/|usr\/sbin\/|etc\/|sbin\/)/;

/** The files of the image's operating system, or why there are none. Its certificates are joined into one file, as Debian does. */
export function debianFiles(architecture: Architecture, cache: string): Entry[] | string {
  if (Bun.which("apt-get") === null || Bun.which("dpkg-deb") === null) return "apt-get and dpkg-deb are not here";
  const lock = readFileSync(join(import.meta.dir, "debian-packages.txt"), "utf8");
  const packages = readLocked(lock).filter((one) => one.architecture === architecture || one.architecture === "all");
  mkdirSync(cache, { recursive: true });
  const missing = packages.filter((locked) => !isHere(cache, locked));
  if (missing.length > 0) fetchPackages(missing, architecture, cache);
  const root = join(cache, `root-${architecture}`);
  rmSync(root, { recursive: true, force: true });
  for (const locked of packages) {
    if (!isHere(cache, locked)) {
      throw new Error(
        `${fileOf(locked)} is not the file that scripts/release/debian-packages.txt names, or Debian no longer has it`,
      );
    }
    run(["dpkg-deb", "--extract", join(cache, fileOf(locked)), root]);
  }
  const entries = entriesOf(root, "").filter(({ path }) => !LEFT_OUT.test(path));
  const certificates = entries.filter(({ path }) => /^usr\/share\/ca-certificates\/.*\.crt$/.test(path));
  const joined = Buffer.concat(certificates.map(({ bytes }) => bytes ?? new Uint8Array()));
  rmSync(root, { recursive: true, force: true });
  return [
    ...entries.filter((entry) => !certificates.includes(entry)),
    { path: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, bytes: joined },
  ];
}

function readLocked(text: string): Locked[] {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [sha256 = "", name = "", version = "", architecture = ""] = line.split(" ");
    return { sha256, name, version, architecture: architecture as Locked["architecture"] };
  });
}

function fileOf({ name, version, architecture }: Locked): string {
  return `${name}_${version.replace(":", "%3a")}_${architecture}.deb`;
}

function isHere(cache: string, locked: Locked): boolean {
  const file = join(cache, fileOf(locked));
  return existsSync(file) && createHash("sha256").update(readFileSync(file)).digest("hex") === locked.sha256;
}

function fetchPackages(packages: readonly Locked[], architecture: Architecture, cache: string): void {
  const state = join(cache, `apt-${architecture}`);
  for (const name of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(state, name), { recursive: true });
  writeFileSync(join(state, "sources.list"), SOURCES);
  const settings = {
    "Dir::State": state,
    "Dir::State::lists": join(state, "lists"),
    "Dir::State::status": "/dev/null",
    "Dir::Cache": join(state, "cache"),
    "Dir::Etc::sourcelist": join(state, "sources.list"),
    "Dir::Etc::sourceparts": "/dev/null",
    "APT::Architecture": architecture,
    "APT::Architectures": architecture,
    "APT::Sandbox::User": "root",
  };
  const apt = ["apt-get", "-q", ...Object.entries(settings).flatMap(([key, value]) => ["-o", `${key}=${value}`])];
  run([...apt, "update"], cache);
  run([...apt, "download", ...packages.map(({ name, version }) => `${name}=${version}`)], cache);
  rmSync(state, { recursive: true, force: true });
}

function run(command: string[], cwd?: string): void {
  const { success, stderr } = Bun.spawnSync(command, { ...(cwd === undefined ? {} : { cwd }), stdout: "ignore" });
  if (!success) throw new Error(`${command[0]} failed: ${stderr.toString().trim()}`);
}

/** Files and links below a directory, sorted by path. */
function entriesOf(root: string, below: string): Entry[] {
  return readdirSync(join(root, below))
    .sort()
    .flatMap((name): Entry[] => {
      const path = below === "" ? name : `${below}/${name}`;
      const found = lstatSync(join(root, path));
      if (found.isDirectory()) return entriesOf(root, path);
      if (found.isSymbolicLink()) return [{ path, mode: 0o777, target: readlinkSync(join(root, path)) }];
      return [{ path, mode: found.mode & 0o111 ? 0o755 : 0o644, bytes: readFileSync(join(root, path)) }];
    });
}
