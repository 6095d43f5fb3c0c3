/**
 * The files of the simulated network. What a test or the command line plays in is kept on disk until it is stored, as a
 * network would keep it; a message without a file of its own brings a sample.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { MediaPort } from "../network.ts";
import { samples } from "./samples.ts";
import { type SimulatedUploads, takeUpload } from "./uploads.ts";

const SAMPLE = "sample-";
const CHUNK_BYTES = 256 * 1024;

export class SimulatedFiles {
  readonly #directory: string;
  #reading = 0;

  /** `media`: the directory of media. */
  constructor(media: string) {
    this.#directory = join(media, "simulated");
  }

  /** True while a file is read: the work continues without a timer. */
  get isWorking(): boolean {
    return this.#reading > 0;
  }

  /** Call before the callback that names the file is stored. */
  keep(networkMediaId: string, bytes: Uint8Array): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    writeFileSync(this.#pathOf(networkMediaId), bytes, { mode: 0o600, flush: true });
  }

  forget(networkMediaId: string): void {
    rmSync(this.#pathOf(networkMediaId), { force: true });
  }

  async read(
    networkMediaId: string,
    onChunk: (chunk: Uint8Array, total: number) => Promise<boolean>,
  ): Promise<boolean | null> {
    const path = this.#pathOf(networkMediaId);
    if (!existsSync(path)) return null;
    this.#reading += 1;
    try {
      const handle = await open(path, "r");
      try {
        const { size } = await handle.stat();
        const buffer = Buffer.alloc(CHUNK_BYTES);
        for (let at = 0; at < size; ) {
          const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, at);
          at += bytesRead;
          if (bytesRead === 0 || !(await onChunk(buffer.subarray(0, bytesRead), size))) return false;
        }
        return true;
      } finally {
        await handle.close();
      }
    } finally {
      this.#reading -= 1;
    }
  }

  /** The id may be any text. */
  #pathOf(networkMediaId: string): string {
    return join(this.#directory, createHash("sha256").update(networkMediaId).digest("hex"));
  }
}

/** The id of the sample of a type: the network keeps it for ever. */
export function sampleId(type: string, unique: string): string {
  return `${SAMPLE}${type}-${unique}`;
}

export function createSimulatedMedia(files: SimulatedFiles, network: SimulatedUploads): MediaPort {
  return {
    uploadFile: (sender, file) => takeUpload(network, sender, file),

    async fetch(_, networkMediaId, sink) {
      const sample = sampleOf(networkMediaId);
      if (sample !== null) {
        const isTaken = (await sink.begin(sample.byteLength)) && (await sink.write(sample));
        return isTaken ? { kind: "fetched", bytes: sample.byteLength } : { kind: "declined" };
      }
      let isBegun = false;
      let bytes = 0;
      const isRead = await files.read(networkMediaId, async (chunk, total) => {
        bytes = total;
        if (!isBegun && !(await sink.begin(total))) return false;
        isBegun = true;
        return sink.write(chunk);
      });
      if (isRead === null) return { kind: "missing", says: "the simulated network has no such file" };
      return isRead ? { kind: "fetched", bytes } : { kind: "declined" };
    },
    forget: (networkMediaId) => files.forget(networkMediaId),
  };
}

function sampleOf(networkMediaId: string): Uint8Array | null {
  if (!networkMediaId.startsWith(SAMPLE)) return null;
  const type = networkMediaId.slice(SAMPLE.length).split("-")[0] ?? "";
  const sample = samples[type];
  return sample === undefined ? null : Buffer.from(sample, "base64");
}
