/**
 * The little of ASN.1 that automatic HTTPS needs: a signing request for one domain, and a certificate that the server
 * signs itself, with which it answers until a real one has arrived. P-256 and SHA-256 throughout.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import type { Random } from "#src/core/random.ts";

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT = 0x06;
const UTF8_STRING = 0x0c;
const SEQUENCE = 0x30;
const SET = 0x31;
const GENERALIZED_TIME = 0x18;
/** `[0]` and `[3]` of a certificate, constructed; `[2]` of a general name (a DNS name), primitive. */
const CONTEXT_0 = 0xa0;
const CONTEXT_3 = 0xa3;
const DNS_NAME = 0x82;

const ECDSA_WITH_SHA256 = Uint8Array.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02);
const EXTENSION_REQUEST = Uint8Array.of(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x0e);
const SUBJECT_ALTERNATIVE_NAME = Uint8Array.of(0x55, 0x1d, 0x11);
const COMMON_NAME = Uint8Array.of(0x55, 0x04, 0x03);
const SERIAL_BYTES = 16;
/** A common name has at most 64 characters. */
const PLACEHOLDER_NAME = "waxwing";
const DAY_MS = 24 * 60 * 60_000;
const PLACEHOLDER_DAYS = 30;

/** A new P-256 private key, as PEM. */
export function newPrivateKey(): string {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });
}

/** A PKCS #10 request for `domain`, as DER. */
export function signingRequest(domain: string, privateKey: string): Uint8Array {
  const extensions = encode(
    CONTEXT_0,
    encode(SEQUENCE, encode(OBJECT, EXTENSION_REQUEST), encode(SET, encode(SEQUENCE, alternativeName(domain)))),
  );
  const info = encode(
    SEQUENCE,
    encode(INTEGER, Uint8Array.of(0)),
    encode(SEQUENCE),
    publicKeyOf(privateKey),
    extensions,
  );
  return signed(info, privateKey);
}

/** A certificate for `domain` that no client trusts, as PEM, with its key. */
export function selfSigned(domain: string, now: number, random: Random): { cert: string; key: string } {
  const key = newPrivateKey();
  const [startsAt, endsAt] = [now - DAY_MS, now + PLACEHOLDER_DAYS * DAY_MS];
  const serial = random.bytes(SERIAL_BYTES);
  // Positive, and without a leading zero byte.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return { cert: certificate({ domain, startsAt, endsAt, serial, publicKey: publicKeyOf(key), signingKey: key }), key };
}

interface Content {
  domain: string;
  startsAt: number;
  endsAt: number;
  serial: Uint8Array;
  /** As DER. */
  publicKey: Uint8Array;
  signingKey: string;
}

/** A certificate as PEM. */
export function certificate({ domain, startsAt, endsAt, serial, publicKey, signingKey }: Content): string {
  const attribute = encode(SEQUENCE, encode(OBJECT, COMMON_NAME), encode(UTF8_STRING, Buffer.from(PLACEHOLDER_NAME)));
  const name = encode(SEQUENCE, encode(SET, attribute));
  const content = encode(
    SEQUENCE,
    encode(CONTEXT_0, encode(INTEGER, Uint8Array.of(2))),
    encode(INTEGER, serial),
    algorithm(),
    name,
    encode(SEQUENCE, time(startsAt), time(endsAt)),
    name,
    publicKey,
    encode(CONTEXT_3, encode(SEQUENCE, alternativeName(domain))),
  );
  const base64 = Buffer.from(signed(content, signingKey)).toString("base64").replace(/.{64}/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${base64.trimEnd()}\n-----END CERTIFICATE-----\n`;
}

function encode(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Uint8Array.of(tag, ...size), content]);
}

function alternativeName(domain: string): Uint8Array {
  const names = encode(SEQUENCE, encode(DNS_NAME, Buffer.from(domain)));
  return encode(SEQUENCE, encode(OBJECT, SUBJECT_ALTERNATIVE_NAME), encode(OCTET_STRING, names));
}

function publicKeyOf(privateKey: string): Uint8Array {
  return createPublicKey(createPrivateKey(privateKey)).export({ type: "spki", format: "der" });
}

function algorithm(): Uint8Array {
  return encode(SEQUENCE, encode(OBJECT, ECDSA_WITH_SHA256));
}

function signed(content: Uint8Array, privateKey: string): Uint8Array {
  const signature = sign("sha256", content, privateKey);
  return encode(SEQUENCE, content, algorithm(), encode(BIT_STRING, Uint8Array.of(0), signature));
}

function time(at: number): Uint8Array {
  const text = new Date(at).toISOString().replace(/\.\d+|[-:T]/g, "");
  return encode(GENERALIZED_TIME, Buffer.from(text));
}
