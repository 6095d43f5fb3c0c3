/**
 * The protocol of certificate authorities (ACME, RFC 8555) as one account's client: signed requests, one nonce each.
 * Every call is one step and says what the authority answered; when to take which step is the keeper's business.
 */
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import type { Clock } from "#src/core/clock.ts";
import { type Answer, NoAnswer, request } from "#src/net/json-request.ts";
import {
  AcmeProblem,
  AuthorityUnreachable,
  type CertificateAuthority,
  type Challenge,
  type Order,
} from "./authority.ts";

interface AcmeOptions {
  /** Address of the directory. */
  directory: string;
  email: string | null;
  /** PEM of the authority that signs the directory's own address. */
  ca: string | undefined;
  clock: Pick<Clock, "setTimer" | "now">;
  signal: AbortSignal;
}

interface Directory {
  newNonce: string;
  newAccount: string;
  newOrder: string;
}

type Json = Readonly<Record<string, unknown>>;

/** An order has about fifteen requests; of those to an authority that refuses each fifth nonce, none fails then. */
const BAD_NONCE_TRIES = 12;
const PROBLEM_PREFIX = "urn:ietf:params:acme:error:";

export class AcmeClient implements CertificateAuthority {
  readonly #options: AcmeOptions;
  #directory: Directory | null = null;
  #nonce: string | null = null;

  constructor(options: AcmeOptions) {
    this.#options = options;
  }

  async account(accountKey: string): Promise<string> {
    const { newAccount } = await this.#readDirectory();
    const { email } = this.#options;
    const contact = email === null ? {} : { contact: [`mailto:${email}`] };
    const { headers } = await this.#post(newAccount, { termsOfServiceAgreed: true, ...contact }, accountKey, null);
    return locationOf(headers);
  }

  async order(accountKey: string, account: string, domain: string): Promise<string> {
    const { newOrder } = await this.#readDirectory();
    const payload = { identifiers: [{ type: "dns", value: domain }] };
    return locationOf((await this.#post(newOrder, payload, accountKey, account)).headers);
  }

  async readOrder(accountKey: string, account: string, url: string): Promise<Order> {
    const answer = await this.#post(url, null, accountKey, account);
    const order = parse(answer);
    const [authorization] = Array.isArray(order.authorizations) ? order.authorizations : [];
    return {
      status: text(order.status),
      authorizationUrl: text(authorization),
      finalizeUrl: text(order.finalize),
      certificateUrl: typeof order.certificate === "string" ? order.certificate : null,
      problem: problemOf(order.error),
      retryAfterMs: retryAfter(answer, this.#options.clock.now()),
    };
  }

  async readChallenge(accountKey: string, account: string, authorizationUrl: string): Promise<Challenge> {
    const authorization = parse(await this.#post(authorizationUrl, null, accountKey, account));
    const all = (Array.isArray(authorization.challenges) ? authorization.challenges : []) as Json[];
    const challenge = all.find(({ type }) => type === "http-01");
    if (challenge === undefined)
      throw new AcmeProblem("unsupported", "The authority offers no check over HTTP for this name.", null);
    const token = text(challenge.token);
    // It becomes part of an address that this server answers.
    if (!/^[A-Za-z0-9_-]{1,200}$/.test(token)) throw new AcmeProblem("malformed", "The challenge has no token.", null);
    return {
      status: text(authorization.status),
      url: text(challenge.url),
      isAnswered: challenge.status !== "pending",
      token,
      keyAuthorization: `${token}.${thumbprint(accountKey)}`,
      problem: problemOf(challenge.error),
    };
  }

  async answerChallenge(accountKey: string, account: string, challengeUrl: string): Promise<void> {
    await this.#post(challengeUrl, {}, accountKey, account);
  }

  async finalize(accountKey: string, account: string, finalizeUrl: string, csr: Uint8Array): Promise<void> {
    await this.#post(finalizeUrl, { csr: Buffer.from(csr).toString("base64url") }, accountKey, account);
  }

  async download(accountKey: string, account: string, certificateUrl: string): Promise<string> {
    return (await this.#post(certificateUrl, null, accountKey, account)).body;
  }

  async #readDirectory(): Promise<Directory> {
    if (this.#directory !== null) return this.#directory;
    const answer = await this.#send({ url: this.#options.directory, method: "GET" });
    if (answer.status !== 200) throw this.#problem(answer);
    const { newNonce, newAccount, newOrder } = parse(answer);
    this.#directory = { newNonce: text(newNonce), newAccount: text(newAccount), newOrder: text(newOrder) };
    return this.#directory;
  }

  /** `payload` null reads (POST-as-GET). A nonce that the authority no longer knows is replaced by the one it sent. */
  async #post(url: string, payload: Json | null, accountKey: string, account: string | null): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const nonce = this.#nonce ?? (await this.#newNonce());
      this.#nonce = null;
      const answer = await this.#send({
        url,
        method: "POST",
        headers: { "content-type": "application/jose+json" },
        body: signedBody({ url, nonce, payload, accountKey, account }),
      });
      if (answer.status >= 200 && answer.status < 300) return answer;
      const problem = this.#problem(answer);
      if (problem.kind !== "badNonce" || tries === BAD_NONCE_TRIES) throw problem;
    }
  }

  async #newNonce(): Promise<string> {
    const { newNonce } = await this.#readDirectory();
    const { headers } = await this.#send({ url: newNonce, method: "HEAD" });
    const nonce = headers["replay-nonce"];
    if (typeof nonce !== "string") throw new AcmeProblem("malformed", "The authority sent no nonce.", null);
    return nonce;
  }

  async #send(sent: Parameters<typeof request>[0]): Promise<Answer> {
    const { ca, clock, signal } = this.#options;
    try {
      const answer = await request(
        { ...sent, ca, headers: { "user-agent": "waxwing", ...sent.headers } },
        clock,
        signal,
      );
      const nonce = answer.headers["replay-nonce"];
      if (typeof nonce === "string" && sent.method === "POST") this.#nonce = nonce;
      return answer;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      throw new AuthorityUnreachable(new URL(sent.url).host, error.message);
    }
  }

  #problem(answer: Answer): AcmeProblem {
    const wait = retryAfter(answer, this.#options.clock.now());
    try {
      const problem = problemOf(parse(answer));
      if (problem !== null) return new AcmeProblem(problem.kind, problem.message, wait);
    } catch {
      // A page of a proxy or an overloaded front end.
    }
    return new AcmeProblem("serverInternal", `The authority answered HTTP ${answer.status}.`, wait);
  }
}

function signedBody(given: {
  url: string;
  nonce: string;
  payload: Json | null;
  accountKey: string;
  account: string | null;
}): string {
  const { url, nonce, payload, accountKey, account } = given;
  const identity = account === null ? { jwk: publicJwk(accountKey) } : { kid: account };
  const header = base64url(JSON.stringify({ alg: "ES256", nonce, url, ...identity }));
  const body = payload === null ? "" : base64url(JSON.stringify(payload));
  const signature = sign("sha256", Buffer.from(`${header}.${body}`), {
    key: accountKey,
    dsaEncoding: "ieee-p1363",
  });
  return JSON.stringify({ protected: header, payload: body, signature: signature.toString("base64url") });
}

function publicJwk(accountKey: string): { crv: string; kty: string; x: string; y: string } {
  const { crv, kty, x, y } = createPublicKey(createPrivateKey(accountKey)).export({ format: "jwk" });
  return { crv: crv ?? "", kty: kty ?? "", x: x ?? "", y: y ?? "" };
}

/** RFC 7638: the members in this order. */
function thumbprint(accountKey: string): string {
  return createHash("sha256")
    .update(JSON.stringify(publicJwk(accountKey)))
    .digest("base64url");
}

function problemOf(value: unknown): AcmeProblem | null {
  if (typeof value !== "object" || value === null || !("type" in value)) return null;
  const { type, detail } = value as { type: unknown; detail?: unknown };
  return new AcmeProblem(text(type).replace(PROBLEM_PREFIX, ""), detail === undefined ? "" : text(detail), null);
}

/** Seconds or a date; null without one. */
function retryAfter({ headers }: Answer, now: number): number | null {
  const value = headers["retry-after"];
  if (value === undefined) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

function locationOf(headers: Answer["headers"]): string {
  if (headers.location === undefined)
    throw new AcmeProblem("malformed", "The authority's answer has no address.", null);
  return headers.location;
}

function parse({ body }: Answer): Json {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new AcmeProblem("malformed", "The authority's answer is not JSON.", null);
  }
  if (typeof value !== "object" || value === null)
    throw new AcmeProblem("malformed", "The response is not a JSON object.", null);
  return value as Json;
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new AcmeProblem("malformed", "The authority's answer lacks a member.", null);
  return value;
}

function base64url(value: string): string {
  return Buffer.from(value).toString("base64url");
}
