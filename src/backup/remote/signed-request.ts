/**
 * Requests to an S3-compatible store that Bun's client does not know: those about uploads that were begun and not
 * completed. Signed with AWS Signature Version 4.
 */
import { createHash, createHmac } from "node:crypto";

export interface StoreAccess {
  endpoint: string;
  bucket: string;
  /** Null: "us-east-1", which most stores other than Amazon's accept. */
  region: string | null;
  accessKey: string;
  secret: string;
}

export const DEFAULT_REGION = "us-east-1";

interface Request {
  method: "GET" | "DELETE";
  /** Null: the bucket itself. */
  key: string | null;
  query: Readonly<Record<string, string>>;
  /** Milliseconds. */
  now: number;
  signal: AbortSignal;
}

export async function sendSigned(access: StoreAccess, request: Request): Promise<Response> {
  const { method, key, query, now, signal } = request;
  const base = new URL(access.endpoint);
  const path = [
    base.pathname.replace(/\/$/, ""),
    access.bucket,
    ...(key === null ? [] : key.split("/").map(encode)),
  ].join("/");
  const sorted = Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  const headers = { host: base.host, "x-amz-content-sha256": sha256(""), "x-amz-date": time };
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = [method, path, sorted, lines.join(""), names, headers["x-amz-content-sha256"]].join("\n");
  const scope = `${time.slice(0, 8)}/${access.region ?? DEFAULT_REGION}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const signingKey = scope.split("/").reduce<Buffer>((by, part) => hmac(by, part), Buffer.from(`AWS4${access.secret}`));
  const signature = hmac(signingKey, text).toString("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${access.accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return fetch(`${base.origin}${path}?${sorted}`, {
    method,
    headers: { ...headers, authorization },
    signal,
    redirect: "error",
  });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** What AWS calls URI encoding: everything but letters, digits and -._~ . */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
