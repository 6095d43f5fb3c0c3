/**
 * Writes an OCI image as a layout: for each processor one layer of Debian's libraries and one with the executable. It runs
 * as a user of its own, with a read-only root; everything that it writes is in /data.
 */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Architecture } from "./debian.ts";
import { directoriesOf, type Entry, tar } from "./tar.ts";

/** Not of the machine's own users. */
const USER = 65_532;

interface ImageOptions {
  version: string;
  commit: string;
  /** Seconds since the epoch. */
  time: number;
  platforms: readonly { architecture: Architecture; system: readonly Entry[]; executable: Uint8Array }[];
}

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
}

/** The layout as one tar archive, as `skopeo copy oci-archive:…` and `podman load` read it. */
export async function ociArchive({ version, commit, time, platforms }: ImageOptions): Promise<Uint8Array> {
  const blobs = new Map<string, Uint8Array>();
  const created = new Date(time * 1000).toISOString().replace(".000", "");
  const annotations = {
    "org.opencontainers.image.title": "waxwing",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.created": created,
    ...(commit === "" ? {} : { "org.opencontainers.image.revision": commit }),
  };
  const add = (mediaType: string, bytes: Uint8Array): Descriptor => {
    const digest = sha256(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  };
  const manifests = [];
  for (const { architecture, system, executable } of platforms) {
    const layers = [await tar(systemLayer(system), time), await tar(programLayer(executable), time)];
    const config = {
      created,
      architecture,
      os: "linux",
      config: {
        User: `${USER}:${USER}`,
        ExposedPorts: { "8080/tcp": {} },
        // The SQLite driver's native part is unpacked there: the only place that can be written to.
        Env: ["PATH=/usr/bin", "TMPDIR=/data", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],
        Entrypoint: ["/usr/bin/waxwing"],
        Cmd: ["serve", "--data", "/data", "--listen", "0.0.0.0:8080"],
        Volumes: { "/data": {} },
        WorkingDir: "/data",
        StopSignal: "SIGTERM",
      },
      rootfs: { type: "layers", diff_ids: layers.map((layer) => `sha256:${sha256(layer)}`) },
      history: [
        { created, created_by: "Debian packages" },
        { created, created_by: "waxwing" },
      ],
    };
    const manifest = {
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: add("application/vnd.oci.image.config.v1+json", json(config)),
      layers: layers.map((layer) => add("application/vnd.oci.image.layer.v1.tar+gzip", gzipSync(layer))),
      annotations,
    };
    manifests.push({ ...add(manifest.mediaType, json(manifest)), platform: { architecture, os: "linux" } });
  }
  const imageIndex = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests,
    annotations,
  };
  const image = add(imageIndex.mediaType, json(imageIndex));
  const index = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [{ ...image, annotations: { "org.opencontainers.image.ref.name": `waxwing:${version}` } }],
  };
  const files: Entry[] = [
    { path: "oci-layout", mode: 0o644, bytes: json({ imageLayoutVersion: "1.0.0" }) },
    { path: "index.json", mode: 0o644, bytes: json(index) },
    ...[...blobs]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([digest, bytes]) => ({
        path: `blobs/sha256/${digest}`,
        mode: 0o644,
        bytes,
      })),
  ];
  return tar([...directoriesOf(files.map(({ path }) => path)), ...files], time);
}

function systemLayer(system: readonly Entry[]): Entry[] {
  const files: Entry[] = [
    ...system,
    { path: "etc/passwd", mode: 0o644, bytes: Buffer.from(`waxwing:x:${USER}:${USER}::/data:/nonexistent\n`) },
    { path: "etc/group", mode: 0o644, bytes: Buffer.from(`waxwing:x:${USER}:\n`) },
  ];
  return [
    ...directoriesOf(files.map(({ path }) => path)),
    { path: "data/", mode: 0o700, owner: USER },
    { path: "tmp/", mode: 0o1777 },
    ...files.toSorted(({ path: one }, { path: other }) => (one < other ? -1 : 1)),
  ];
}

function programLayer(executable: Uint8Array): Entry[] {
  const path = "usr/bin/waxwing";
  return [...directoriesOf([path]), { path, mode: 0o755, bytes: executable }];
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
