import { describe, expect, test } from "bun:test";
import { verifySignature } from "#src/networks/whatsapp/signature.ts";
import { sign } from "#test/support/graph.ts";

const SECRET = "an app secret";
const BODY = new TextEncoder().encode('{"name":"J\\u00fcrgen","link":"https:\\/\\/x.example"}');
const SIGNATURE = sign(BODY, SECRET);

test("the HMAC of a known body is the one that openssl prints", () => {
  // printf '{}' | openssl dgst -sha256 -hmac key
  const known = "sha256=a777724d943eb48dc69bca8a4a6d57a04db3f9ec7e1de4e581e860265bdf3032";
  expect(verifySignature(new TextEncoder().encode("{}"), known, "key")).toBe(true);
});

test("the bytes as Meta sent them are accepted", () => {
  expect(verifySignature(BODY, SIGNATURE, SECRET)).toBe(true);
  expect(verifySignature(BODY, SIGNATURE.toUpperCase().replace("SHA256", "sha256"), SECRET)).toBe(true);
});

describe("the signature check refuses", () => {
  const rewritten = new TextEncoder().encode(JSON.stringify(JSON.parse(new TextDecoder().decode(BODY))));
  const rows: { name: string; body?: Uint8Array; header?: string | null; secret?: string }[] = [
    { name: "the same JSON written again", body: rewritten },
    { name: "a body cut short", body: BODY.subarray(0, -1) },
    { name: "another secret", secret: "another" },
    { name: "no header", header: null },
    { name: "an empty header", header: "" },
    { name: "the sum without its prefix", header: SIGNATURE.slice(7) },
    { name: "a sum cut short", header: SIGNATURE.slice(0, -2) },
    { name: "a sum with more behind it", header: `${SIGNATURE}00` },
    { name: "SHA-1", header: `sha1=${"0".repeat(40)}` },
    { name: "no hex", header: `sha256=${"g".repeat(64)}` },
    { name: "an empty secret, with which anybody can sign", header: sign(BODY, ""), secret: "" },
  ];

  test.each(rows)("$name", ({ body = BODY, header = SIGNATURE, secret = SECRET }) => {
    expect(verifySignature(body, header, secret)).toBe(false);
  });
});
