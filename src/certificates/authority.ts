/** The port to a certificate authority: what the keeper asks it, one step each, and how it can fail. */

export interface Order {
  /** `pending`, `ready`, `processing`, `valid` or `invalid` (RFC 8555, 7.1.6). */
  status: string;
  authorizationUrl: string;
  finalizeUrl: string;
  certificateUrl: string | null;
  problem: AcmeProblem | null;
  /** How long the authority asks to wait before the next question; null: it does not say. */
  retryAfterMs: number | null;
}

export interface Challenge {
  /** Of the authorization: `pending`, `valid`, `invalid`, … */
  status: string;
  url: string;
  /** The authority has been told that it may look, or has looked. */
  isAnswered: boolean;
  token: string;
  /** What has to be found at `/.well-known/acme-challenge/<token>`. */
  keyAuthorization: string;
  problem: AcmeProblem | null;
}

/** `accountKey` is a private key as PEM, `account` the account's address. Every call may throw the two errors below. */
export interface CertificateAuthority {
  /** Makes the account of this key, or finds it. Returns its address. */
  account(accountKey: string): Promise<string>;
  /** Returns the order's address. */
  order(accountKey: string, account: string, domain: string): Promise<string>;
  readOrder(accountKey: string, account: string, orderUrl: string): Promise<Order>;
  readChallenge(accountKey: string, account: string, authorizationUrl: string): Promise<Challenge>;
  answerChallenge(accountKey: string, account: string, challengeUrl: string): Promise<void>;
  finalize(accountKey: string, account: string, finalizeUrl: string, csr: Uint8Array): Promise<void>;
  /** The chain as PEM. */
  download(accountKey: string, account: string, certificateUrl: string): Promise<string>;
}

/** The authority refused. `kind` is the type of the problem without its prefix: `rateLimited`, `dns`, `connection`, … */
export class AcmeProblem extends Error {
  override readonly name = "AcmeProblem";
  readonly kind: string;
  readonly retryAfterMs: number | null;

  constructor(kind: string, message: string, retryAfterMs: number | null) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** There was no answer. */
export class AuthorityUnreachable extends Error {
  override readonly name = "AuthorityUnreachable";
  readonly host: string;

  constructor(host: string, reason: string) {
    super(reason);
    this.host = host;
  }
}
