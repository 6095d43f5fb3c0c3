/**
 * An S3-compatible store in memory, as strict as a real one about signatures (AWS Signature Version 4), multipart uploads
 * and pages of lists, and able to lose, change or refuse what it was given.
 */
import { createHash, createHmac } from "node:crypto";

interface Upload {
  key: string;
  parts: Map<number, Buffer>;
}

export class FakeObjectStore implements AsyncDisposable {
  readonly bucket = "backups";
  readonly accessKey = "AKIDWAXWING";
  readonly secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  readonly objects = new Map<string, Buffer>();
  /** Uploads that were begun and neither completed nor aborted. */
  readonly uploads = new Map<string, Upload>();
  /** `PUT /backups/name` … with the query. */
  readonly requests: string[] = [];
  /** How many objects one page of a list holds. */
  pageSize = 1_000;
  /** Called for each request; an answer replaces the store's own. */
  intercept: (method: string, key: string, url: URL) => Response | Promise<Response> | null = () => null;
  /** Changes an object as it is stored. */
  corrupt: (bytes: Buffer) => Buffer = (bytes) => bytes;
  #server: Bun.Server<undefined> | null = null;
  #port = 0;
  #uploadCount = 0;

  constructor() {
    this.start();
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The lines of a configuration that uses this store. */
  configuration(secretKeyFile: string, recipient: string, more = ""): string {
    const { endpoint, bucket, accessKey } = this;
    const keys = { endpoint, bucket, prefix: "shop", access_key: accessKey, secret_key_file: secretKeyFile, recipient };
    const lines = Object.entries(keys).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    return ["[backup.remote]", ...lines, more, ""].join("\n");
  }

  start(): void {
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: this.#port,
      idleTimeout: 0,
      maxRequestBodySize: 8 * 1024 ** 3,
      fetch: (request) => this.#answer(request),
    });
    this.#server = server;
    this.#port = server.port ?? 0;
  }

  /** Connections are refused until `start`. */
  async stop(): Promise<void> {
    await this.#server?.stop(true);
    this.#server = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    this.requests.push(`${request.method} ${url.pathname}${url.search}`);
    const [, bucket, ...rest] = url.pathname.split("/").map(decodeURIComponent);
    const key = rest.join("/");
    const replaced = this.intercept(request.method, key, url);
    if (replaced !== null) return await replaced;
    const body = Buffer.from(await request.arrayBuffer());
    const refused = this.#verify(request, url, body);
    if (refused !== null) return refused;
    if (bucket !== this.bucket) return failure(404, "NoSuchBucket");
    if (key === "") return url.searchParams.has("uploads") ? this.#listUploads(url) : this.#list(url);
    switch (request.method) {
      case "POST":
        return this.#post(key, url, body);
      case "PUT":
        return this.#put(key, url, body);
      case "DELETE":
        return this.#delete(key, url);
      default:
        return this.#get(key, request.method === "HEAD");
    }
  }

  #post(key: string, url: URL, body: Buffer): Response {
    if (url.searchParams.has("uploads")) {
      this.#uploadCount += 1;
      const id = `upload-${this.#uploadCount}.A_b`;
      this.uploads.set(id, { key, parts: new Map() });
      return xml(
        `<InitiateMultipartUploadResult><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    const id = url.searchParams.get("uploadId") ?? "";
    const upload = this.uploads.get(id);
    if (upload === undefined) return failure(404, "NoSuchUpload");
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) => Number(number));
    const parts = named.map((number) => upload.parts.get(number));
    if (parts.length === 0 || parts.includes(undefined)) return failure(400, "InvalidPart");
    this.objects.set(key, this.corrupt(Buffer.concat(parts as Buffer[])));
    this.uploads.delete(id);
    return xml(`<CompleteMultipartUploadResult><Key>${key}</Key><ETag>"done"</ETag></CompleteMultipartUploadResult>`);
  }

  #put(key: string, url: URL, body: Buffer): Response {
    const number = url.searchParams.get("partNumber");
    const headers = { etag: `"${createHash("md5").update(body).digest("hex")}"` };
    if (number === null) {
      this.objects.set(key, this.corrupt(body));
      return new Response(null, { headers });
    }
    const upload = this.uploads.get(url.searchParams.get("uploadId") ?? "");
    if (upload === undefined) return failure(404, "NoSuchUpload");
    upload.parts.set(Number(number), body);
    return new Response(null, { headers });
  }

  #delete(key: string, url: URL): Response {
    const id = url.searchParams.get("uploadId");
    if (id === null) this.objects.delete(key);
    else if (!this.uploads.delete(id)) return failure(404, "NoSuchUpload");
    return new Response(null, { status: 204 });
  }

  #get(key: string, isHead: boolean): Response {
    const bytes = this.objects.get(key);
    if (bytes === undefined) return isHead ? new Response(null, { status: 404 }) : failure(404, "NoSuchKey");
    const headers = { "content-length": String(bytes.length), etag: '"x"', "last-modified": new Date(0).toUTCString() };
    return new Response(isHead ? null : new Uint8Array(bytes), { headers });
  }

  #list(url: URL): Response {
    const query = url.searchParams;
    const prefix = query.get("prefix") ?? "";
    const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
    const all = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
    const page = all.slice(0, Math.min(this.pageSize, Number(query.get("max-keys") ?? 1_000)));
    const contents = page.map(
      (key) =>
        `<Contents><Key>${key}</Key><Size>${this.objects.get(key)?.length}</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
    );
    const more = page.length < all.length;
    return xml(
      `<ListBucketResult><Name>${this.bucket}</Name><Prefix>${prefix}</Prefix><KeyCount>${page.length}</KeyCount><IsTruncated>${more}</IsTruncated>${contents.join("")}</ListBucketResult>`,
    );
  }

  #listUploads(url: URL): Response {
    const prefix = url.searchParams.get("prefix") ?? "";
    const found = [...this.uploads].filter(([, { key }]) => key.startsWith(prefix));
    const shown = found.map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`);
    return xml(`<ListMultipartUploadsResult>${shown.join("")}</ListMultipartUploadsResult>`);
  }

  /** Null if the signature is right. */
  #verify(request: Request, url: URL, body: Buffer): Response | null {
    const header = request.headers.get("authorization") ?? "";
    const [, accessKey, scope = "", names = "", signature] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
        header,
      ) ?? [];
    if (accessKey !== this.accessKey) return failure(403, "InvalidAccessKeyId");
    const claimed = request.headers.get("x-amz-content-sha256") ?? "";
    if (claimed !== "UNSIGNED-PAYLOAD" && claimed !== sha256(body)) return failure(400, "XAmzContentSHA256Mismatch");
    const query = [...url.search.slice(1).split("&")]
      .filter((pair) => pair !== "")
      .map((pair) => {
        const [name = "", value = ""] = pair.split("=").map((part) => encode(decodeURIComponent(part)));
        return `${name}=${value}`;
      })
      .toSorted()
      .join("&");
    const signed = names.split(";").map((name) => `${name}:${(request.headers.get(name) ?? "").trim()}\n`);
    const path = url.pathname
      .split("/")
      .map((part) => encode(decodeURIComponent(part)))
      .join("/");
    const canonical = [request.method, path, query, signed.join(""), names, claimed].join("\n");
    const time = request.headers.get("x-amz-date") ?? "";
    const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
    let signingKey: Buffer = Buffer.from(`AWS4${this.secret}`);
    for (const part of scope.split("/")) signingKey = createHmac("sha256", signingKey).update(part).digest();
    const expected = createHmac("sha256", signingKey).update(text).digest("hex");
    return expected === signature ? null : failure(403, "SignatureDoesNotMatch");
  }
}

export function failure(status: number, code: string): Response {
  return new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`, {
    status,
    headers: { "content-type": "application/xml" },
  });
}

function xml(text: string): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>${text}`, {
    headers: { "content-type": "application/xml" },
  });
}

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}
