/**
 * The port to a messaging network. A connector turns a hand-over into an `Outcome` and a callback's body into reports;
 * it knows nothing of storage, workspaces or HTTP routes. `simulator/` and `whatsapp/` implement it.
 */
import type { InboundItem, NumberChangeItem, PreferenceItem } from "#src/domain/inbound/callback-item.ts";
import type { Content } from "#src/domain/messages/content.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { StatusItem } from "#src/domain/messages/status-item.ts";
import type { AccountUpdate } from "#src/domain/numbers/account-update.ts";
import type { NumberDetails } from "#src/domain/numbers/network-state.ts";
import type { ListedTemplate } from "#src/domain/templates/sync.ts";
import type { TemplateStatusUpdate, TemplateUpdate } from "#src/domain/templates/template-update.ts";

export interface Network {
  readonly name: NetworkName;
  /**
   * Hands one message over, once. Never rejects: whatever happens is an `Outcome`. Once `timeoutMs` has passed without
   * a readable answer the outcome is `unknown`. `onAnswer` is given the answer as it came, without the access token.
   */
  send(outbound: OutboundMessage, timeoutMs: number, onAnswer?: (answer: RawAnswer) => void): Promise<Outcome>;
  /**
   * Whether the network's host answers at all; carries nothing. Never rejects, and ends within `timeoutMs`. `onTime` is
   * given the time at which the answer was dated, milliseconds.
   */
  isReachable(timeoutMs: number, onTime?: (networkTime: number) => void): Promise<boolean>;
  /** Reads a callback's body item by item. Never throws: what cannot be read becomes a `broken` item. */
  parse(body: string): CallbackItem[];
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
  fetchNumber(sender: Sender): Promise<Result<ListedNumber>>;
  /** Every number of the account, all pages. */
  listNumbers(sender: Sender): Promise<Result<ListedNumber[]>>;
  /** Every template of the account, all pages. */
  listTemplates(sender: Sender): Promise<Result<ListedTemplate[]>>;
  /** Uploads a file for the number; the id is good for that number and for `MEDIA_ID_LIFE_MS`. */
  uploadFile(sender: Sender, file: UploadFile): Promise<Result<{ mediaId: string }>>;
  /** What the token may do. */
  inspectToken(sender: Sender): Promise<Result<TokenDetails>>;
  /** The apps that are told of the account's messages. */
  listSubscribedApps(sender: Sender): Promise<Result<{ id: string | null; name: string | null }[]>>;
  /** Has the token's app told of the account's messages from now on. */
  subscribeApp(sender: Sender): Promise<Result<null>>;
}

export type Result<T> =
  /** `at` is the network's own time, milliseconds; null where it named none. */
  { ok: true; value: T; at: number | null } | { ok: false; failure: RequestFailure };

export interface RequestFailure {
  /** The network's code, or `unreachable` or `no_answer`. */
  code: string;
  message: string;
  /**
   * `token`: the access token is no good · `number`: the number (or account) is not there for this token · `permission`:
   * the token may not ask this · `later`: it may well work another time · `other`.
   */
  kind: "token" | "number" | "permission" | "later" | "other";
}

export interface ListedNumber extends NumberDetails {
  phoneNumberId: string;
  /** Digits. */
  phone: string | null;
}

export interface TokenDetails {
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

export interface OutboundMessage {
  sender: Sender;
  /** E.164 with `+`; null only where the person is known by `recipientUserId` alone. */
  to: string | null;
  recipientNetworkUserId: string | null;
  /** Our reference, echoed on statuses. */
  sendToken: string;
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

export type CallbackItem =
  | StatusItem
  | InboundItem
  | NumberChangeItem
  | PreferenceItem
  | TemplateStatusUpdate
  | TemplateUpdate
  | AccountUpdate
  /** Understood and of no use to us (a field or kind that we do not act on). */
  | { kind: "ignored"; about: string }
  /** Could not be read; `raw` is kept for a look. */
  | { kind: "broken"; why: string; raw: string };

export type Networks = Readonly<Record<NetworkName, Network>>;
