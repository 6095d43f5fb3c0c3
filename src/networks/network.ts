/**
 * The port to a messaging network. A connector turns a hand-over into an `Outcome` and a callback's body into reports;
 * it knows nothing of storage, workspaces or HTTP routes. `simulator/` and `whatsapp/` implement it.
 */
import type { InboundReport, NumberChangeReport, PreferenceReport } from "#src/domain/inbound/callback-item.ts";
import type { Content } from "#src/domain/messages/content.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { StatusReport } from "#src/domain/messages/status-item.ts";
import type { NumberNews } from "#src/domain/numbers/account-update.ts";
import type { NumberFacts } from "#src/domain/numbers/network-state.ts";
import type { TemplateFacts } from "#src/domain/templates/sync.ts";
import type { TemplateNews, TemplateReport } from "#src/domain/templates/template-update.ts";

export interface Network {
  readonly name: NetworkName;
  /**
   * Hands one message over, once. Never rejects: whatever happens is an `Outcome`. Once `timeoutMs` has passed without
   * a readable answer the outcome is `unknown`. `onAnswer` is given the answer as it came, without the access token.
   */
  send(handover: Handover, timeoutMs: number, onAnswer?: (answer: RawAnswer) => void): Promise<Outcome>;
  /**
   * Whether the network's host answers at all; carries nothing. Never rejects, and ends within `timeoutMs`. `onTime` is
   * given the time at which the answer was dated, milliseconds.
   */
  isReachable(timeoutMs: number, onTime?: (networkTime: number) => void): Promise<boolean>;
  /** Reads a callback's body item by item. Never throws: what cannot be read becomes a `broken` item. */
  parse(body: string): Report[];
  /** Whether this header proves that these bytes come from the network, under this secret. */
  verify?(rawBody: Uint8Array, signature: string | null, secret: string): boolean;
  /** What can be asked of an account; left out where there is nothing to ask. */
  account?: AccountPort;
}

/** Questions about an account and its numbers. Never rejects: what went wrong is a value, in words for a person. */
export interface AccountPort {
  /** False: this provider has no way to ask for numbers, only for templates. */
  readonly knowsNumbers: boolean;
  /** One number, by the sender's own token. */
  lookAtNumber(sender: Sender): Promise<Looked<ListedNumber>>;
  /** Every number of the account, all pages. */
  listNumbers(sender: Sender): Promise<Looked<ListedNumber[]>>;
  /** Every template of the account, all pages. */
  listTemplates(sender: Sender): Promise<Looked<TemplateFacts[]>>;
  /** Uploads a file for the number; the id is good for that number and for `MEDIA_ID_LIFE_MS`. */
  uploadFile(sender: Sender, file: UploadFile): Promise<Looked<{ mediaId: string }>>;
  /** What the token may do. */
  inspectToken(sender: Sender): Promise<Looked<TokenFacts>>;
  /** The apps that are told of the account's messages. */
  listSubscribedApps(sender: Sender): Promise<Looked<{ id: string | null; name: string | null }[]>>;
  /** Has the token's app told of the account's messages from now on. */
  subscribeApp(sender: Sender): Promise<Looked<null>>;
}

export type Looked<T> =
  /** `at` is the network's own time, milliseconds; null where it named none. */
  { ok: true; value: T; at: number | null } | { ok: false; failure: LookFailure };

export interface LookFailure {
  /** The network's code, or `unreachable` or `no_answer`. */
  code: string;
  words: string;
  /**
   * `token`: the access token is no good · `number`: the number (or account) is not there for this token · `permission`:
   * the token may not ask this · `later`: it may well work another time · `other`.
   */
  kind: "token" | "number" | "permission" | "later" | "other";
}

export interface ListedNumber extends NumberFacts {
  phoneNumberId: string;
  /** Digits. */
  phone: string | null;
}

export interface TokenFacts {
  isValid: boolean;
  scopes: string[];
  appId: string | null;
  /** Milliseconds; null: it does not expire. */
  expiresAt: number | null;
}

export interface UploadFile {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
  name: string;
}

/** For a look at what went wrong. */
export interface RawAnswer {
  httpStatus: number;
  body: string;
  /** The network's own time, milliseconds; null where it named none. */
  at: number | null;
}

export type NetworkName = "simulator" | "whatsapp";

export interface Handover {
  sender: Sender;
  /** E.164 with `+`; null only where the person is known by `recipientUserId` alone. */
  to: string | null;
  recipientUserId: string | null;
  /** Our reference, echoed on statuses. */
  reference: string;
  content: Content;
}

/** The sending number as its network knows it. */
export interface Sender {
  /** E.164. */
  phone: string;
  phoneNumberId: string;
  accountId: string;
  /** The access token in clear; null on networks that need none. Never logged. */
  accessToken: string | null;
}

export type Report =
  | StatusReport
  | InboundReport
  | NumberChangeReport
  | PreferenceReport
  | TemplateReport
  | TemplateNews
  | NumberNews
  /** Understood and of no use to us (a field or kind that we do not act on). */
  | { kind: "ignored"; about: string }
  /** Could not be read; `raw` is kept for a look. */
  | { kind: "broken"; why: string; raw: string };

export type Networks = Readonly<Record<NetworkName, Network>>;
