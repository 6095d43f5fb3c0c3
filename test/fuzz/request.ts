/** One request as the fuzzer sends it, byte by byte, and the command with which a person can repeat it. */
import { shownBytes } from "./shown.ts";

export interface FuzzRequest {
  /** The operation of the document that the request is for, such as `POST /messages`; null for none. */
  operation: string | null;
  method: string;
  /** As it appears in the request line. */
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer;
  /** How the body is sent: with its length, in chunks, announced longer than it is, or as bytes that are not HTTP. */
  form: "plain" | "chunked" | "cut_short" | "broken";
  /** For `broken`: the bytes sent instead of a head and a body. */
  bytes: Buffer | null;
}

export function bytesOf(request: FuzzRequest): Buffer {
  const { method, target, headers, body, form, bytes } = request;
  if (form === "broken") return bytes ?? Buffer.alloc(0);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "host: waxwing",
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  if (form === "chunked") lines.push("transfer-encoding: chunked");
  else if (form === "cut_short") lines.push(`content-length: ${body.length + 100}`);
  else if (body.length > 0 || method !== "GET") lines.push(`content-length: ${body.length}`);
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return Buffer.concat([head, form === "chunked" ? chunksOf(body) : body]);
}

function chunksOf(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  // Small chunks first, so that characters and tokens are cut in two.
  for (let at = 0, size = 1; at < body.length; at += size, size = Math.min(65_536, size * 3)) {
    const piece = body.subarray(at, at + size);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/** A command that repeats the request; `url` is the server's. Requests that curl would not send go through netcat. */
export function asCommand(request: FuzzRequest, url: string): string {
  const { method, target, headers, body, form } = request;
  const isOrdinary = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);
  const curlCan = isOrdinary(target) && headers.every(([name, value]) => isOrdinary(name + value) && value !== "");
  if ((form !== "plain" && form !== "chunked") || !curlCan || !/^[A-Z]+$/.test(method)) {
    const { hostname, port } = new URL(url);
    return `${shownBytes(bytesOf(request))} | nc -q 2 ${hostname} ${port}`;
  }
  const given = headers.map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`).join("");
  const chunked = form === "chunked" ? " -H 'transfer-encoding: chunked'" : "";
  const data = body.length === 0 ? "" : " --data-binary @-";
  const input = body.length === 0 ? "" : `${shownBytes(body)} | `;
  const curl = `curl -i --path-as-is --globoff -X ${method}${given}${chunked}${data} ${quoted(url + target)}`;
  return `${input}${curl}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
