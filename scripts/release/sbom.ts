/**
 * The list of what goes into the executables, as CycloneDX JSON: the packages of the lockfile that the project needs to
 * run, and the Bun inside. It contains neither a time nor a random number.
 */
import { createHash } from "node:crypto";

interface LockedPackage {
  name: string;
  version: string;
  /** SHA-512 in hexadecimal; null for a package without one. */
  sha512: string | null;
  needs: string[];
}

type Needs = Record<string, string>;
type LockEntry = [
  id: string,
  registry: string,
  info: { dependencies?: Needs; optionalDependencies?: Needs },
  hash: string,
];

interface Lockfile {
  workspaces: { "": { dependencies: Needs } };
  packages: Record<string, LockEntry>;
}

interface SbomOptions {
  version: string;
  commit: string;
  lockfile: string;
  bun: { version: string; sha256: Record<string, string> };
}

export function sbom({ version, commit, lockfile, bun }: SbomOptions): string {
  const lock = Bun.JSONC.parse(lockfile) as Lockfile;
  const packages = reachable(lock);
  const root = { type: "application", "bom-ref": `waxwing@${version}`, name: "waxwing", version };
  const components = packages.map(({ name, version, sha512 }) => ({
    type: "library",
    "bom-ref": purl(name, version),
    name,
    version,
    purl: purl(name, version),
    ...(sha512 === null ? {} : { hashes: [{ alg: "SHA-512", content: sha512 }] }),
  }));
  const runtime = {
    type: "framework",
    "bom-ref": purl("bun", bun.version),
    name: "bun",
    version: bun.version,
    purl: purl("bun", bun.version),
    hashes: Object.values(bun.sha256).map((content) => ({ alg: "SHA-256", content })),
  };
  const refs = new Map(packages.map((one) => [one.name, purl(one.name, one.version)]));
  const refsOf = (names: readonly string[]): string[] => names.flatMap((name) => refs.get(name) ?? []).sort();
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    serialNumber: serialOf(`${version} ${commit} ${lockfile}`),
    version: 1,
    metadata: {
      component: root,
      ...(commit === "" ? {} : { properties: [{ name: "waxwing:commit", value: commit }] }),
    },
    components: [runtime, ...components],
    dependencies: [
      {
        ref: root["bom-ref"],
        dependsOn: [runtime["bom-ref"], ...refsOf(Object.keys(lock.workspaces[""].dependencies))],
      },
      ...packages.map(({ name, version, needs }) => ({ ref: purl(name, version), dependsOn: refsOf(needs) })),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** What the project's own dependencies lead to, sorted by name. A nested version is found before the common one. */
function reachable({ workspaces, packages }: Lockfile): LockedPackage[] {
  const found = new Map<string, LockedPackage>();
  const visit = (key: string): void => {
    const entry = packages[key];
    if (entry === undefined || found.has(key)) return;
    const [id, , info = {}, integrity = ""] = entry;
    const at = id.lastIndexOf("@");
    const needs = Object.keys({ ...info.dependencies, ...info.optionalDependencies });
    const sha512 = integrity.startsWith("sha512-") ? Buffer.from(integrity.slice(7), "base64").toString("hex") : null;
    found.set(key, { name: id.slice(0, at), version: id.slice(at + 1), sha512, needs });
    for (const name of needs) visit(packages[`${key}/${name}`] === undefined ? name : `${key}/${name}`);
  };
  for (const name of Object.keys(workspaces[""].dependencies)) visit(name);
  return [...found.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, locked]) => locked);
}

function purl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** In the form of a UUID, derived from what the document describes. */
function serialOf(text: string): string {
  const digest = createHash("sha256").update(text).digest("hex");
  const variant = ((Number.parseInt(digest.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  const groups = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `5${digest.slice(13, 16)}`,
    `${variant}${digest.slice(18, 20)}`,
  ];
  return `urn:uuid:${groups.join("-")}-${digest.slice(20, 32)}`;
}
