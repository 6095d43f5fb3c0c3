/**
 * An S3-compatible store: objects are written and read as streams, with a bounded memory, and every wait has a limit, so
 * that a store that falls silent is an error.
 */
import { AwsClient } from "aws4fetch";
import type { Clock } from "#src/core/clock.ts";
import { quoted } from "#src/core/foreign-text.ts";

/** How a store is reached. */
export interface StoreAccess {
  endpoint: string;
  bucket: string;
  /** Null: "us-east-1", which most stores other than Amazon's accept. */
  region: string | null;
  accessKey: string;
  secret: string;
}

export const DEFAULT_REGION = "us-east-1";

interface StoredObject {
  key: string;
  bytes: number;
}

/** The store refuses, cannot be reached or is silent. The message is for the operator; it holds no secret. */
export class StoreFailure extends Error {
  override readonly name = "StoreFailure";
  /** The store's own code, such as `NoSuchKey`. */
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const MEGABYTE = 1024 * 1024;
const PART_BYTES_MIN = 8 * MEGABYTE;
/** A store takes 10,000 parts. */
const PARTS_MAX = 9_000;
const SILENCE_MS = 120_000;
const LISTED_MAX = 100_000;

export class ObjectStore {
  readonly #access: StoreAccess;
  readonly #clock: Clock;
  readonly #client: Bun.S3Client;
  readonly #silenceMs: number;

  constructor(access: StoreAccess, clock: Clock, silenceMs = SILENCE_MS) {
    const { endpoint, bucket, region, accessKey, secret } = access;
    this.#access = access;
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#client = new Bun.S3Client({
      ...{ endpoint, bucket, region: region ?? DEFAULT_REGION },
      ...{ accessKeyId: accessKey, secretAccessKey: secret },
    });
  }

  /**
   * Writes an object of at most `bytes` bytes. If the source fails, the upload stays incomplete, and `abortUploads`
   * removes what the store has of it: ending the writer would complete the object.
   */
  async put(key: string, pieces: AsyncIterable<Uint8Array>, bytes: number): Promise<void> {
    const partSize = Math.max(PART_BYTES_MIN, Math.ceil(bytes / PARTS_MAX / MEGABYTE) * MEGABYTE);
    const type = "application/octet-stream";
    const writer = this.#client.file(key).writer({ partSize, queueSize: 1, retry: 3, type });
    let waiting = 0;
    for await (const piece of pieces) {
      writer.write(piece);
      waiting += piece.length;
      if (waiting < MEGABYTE) continue;
      waiting = 0;
      await this.#within(Promise.resolve(writer.flush()));
    }
    await this.#within(Promise.resolve(writer.end()));
  }

  async *get(key: string): AsyncGenerator<Uint8Array> {
    const reader = this.#client.file(key).stream().getReader();
    try {
      for (;;) {
        const { done, value } = await this.#within(reader.read());
        if (done) return;
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  /** The objects whose keys begin with `prefix`, in the order of their keys. */
  async list(prefix: string, max = LISTED_MAX): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    let after: string | undefined;
    while (found.length < max) {
      const page = await this.#within(
        this.#client.list({
          prefix,
          maxKeys: Math.min(1_000, max - found.length),
          ...(after === undefined ? {} : { startAfter: after }),
        }),
      );
      const objects = (page.contents ?? []).map(({ key, size }) => ({ key, bytes: Number(size ?? 0) }));
      found.push(...objects);
      after = objects.at(-1)?.key;
      if (page.isTruncated !== true || after === undefined) break;
    }
    return found;
  }

  /** Does nothing if there is no such object. */
  async remove(key: string): Promise<void> {
    await this.#within(this.#client.delete(key));
  }

  /** Ends uploads that were begun and not completed, of the keys that `isMeant`, and so frees the space of their parts. */
  async abortUploads(prefix: string, isMeant: (key: string) => boolean): Promise<void> {
    const listed = await this.#ask("GET", null, { uploads: "", prefix });
    for (const upload of elementsOf(listed, "Upload")) {
      const [key, uploadId] = ["Key", "UploadId"].map((name) => elementsOf(upload, name).map(unescaped)[0]);
      if (key !== undefined && uploadId !== undefined && isMeant(key)) await this.#ask("DELETE", key, { uploadId });
    }
  }

  /** A request that Bun's client does not know. */
  async #ask(method: "GET" | "DELETE", key: string | null, query: Record<string, string>): Promise<string> {
    const { endpoint, bucket, region, accessKey, secret } = this.#access;
    const signer = new AwsClient({
      ...{ accessKeyId: accessKey, secretAccessKey: secret, service: "s3", region: region ?? DEFAULT_REGION },
    });
    const path = [endpoint.replace(/\/$/, ""), bucket, ...(key === null ? [] : key.split("/").map(encodeURIComponent))];
    const address = `${path.join("/")}?${new URLSearchParams(query)}`;
    const datetime = new Date(this.#clock.now()).toISOString().replace(/[-:]|\.\d+/g, "");
    const limit = new AbortController();
    try {
      return await this.#within(
        (async () => {
          const request = await signer.sign(address, { method, aws: { datetime } });
          const answer = await fetch(request, { signal: limit.signal, redirect: "error" });
          const text = await answer.text();
          if (answer.ok || answer.status === 404) return answer.ok ? text : "";
          throw Object.assign(new Error(`status ${answer.status}`), {
            code: /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? `Status${answer.status}`,
          });
        })(),
      );
    } finally {
      limit.abort();
    }
  }

  /** Rejects after a long silence, and turns every error into one in words. */
  #within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.setTimer(this.#silenceMs, () =>
        reject(
          new StoreFailure(
            "Silent",
            `the store at ${this.#access.endpoint} has not answered for ${this.#silenceMs / 1000} seconds`,
          ),
        ),
      );
      work.then(resolve, (error: unknown) => reject(this.#inWords(error))).finally(() => timer.cancel());
    });
  }

  #inWords(error: unknown): StoreFailure {
    if (error instanceof StoreFailure) return error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    const { endpoint, bucket } = this.#access;
    const message = error instanceof Error ? error.message : String(error);
    if (CREDENTIALS.test(code))
      return new StoreFailure(code, `the store at ${endpoint} refuses the credentials (${code})`);
    if (code === "NoSuchBucket") return new StoreFailure(code, `the store at ${endpoint} has no bucket ${bucket}`);
    if (isNotFound(code)) return new StoreFailure(code, `the bucket ${bucket} does not hold it (${code})`);
    if (CONNECTION.test(code) || code.includes("CERT"))
      return new StoreFailure(code, `the store at ${endpoint} cannot be reached (${code})`);
    return new StoreFailure(code, `the store at ${endpoint} answered with an error: ${quoted(`${code}, ${message}`)}`);
  }
}

const CREDENTIALS =
  /^(InvalidAccessKeyId|SignatureDoesNotMatch|AccessDenied|InvalidToken|ExpiredToken|Status40[13]|InvalidSecurity|AccountProblem)$/;
const CONNECTION =
  /^(ConnectionRefused|ConnectionClosed|ConnectionReset|ECONNREFUSED|ECONNRESET|ENOTFOUND|FailedToOpenSocket|DNSResolveFailed|UnableToConnect|Timeout|ConnectionTimeout)$/;

function isNotFound(code: string): boolean {
  return code === "NoSuchKey" || code === "NotFound" || code === "Status404";
}

/** The contents of each element of this name: one step through the text, whatever a store answers. */
function elementsOf(xml: string, name: string): string[] {
  return xml
    .split(`<${name}>`)
    .slice(1)
    .flatMap((rest) => {
      const end = rest.indexOf(`</${name}>`);
      return end === -1 ? [] : [rest.slice(0, end)];
    });
}

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
}
