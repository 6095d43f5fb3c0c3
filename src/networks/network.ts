/**
 * The port to a messaging network. A connector turns an outgoing message into an `Outcome` and a callback's body into
 * items; it knows nothing of storage, workspaces or HTTP routes. `simulator/` and `whatsapp/` implement it.
 */

import type {
  CallItem,
  ControlPassItem,
  EchoItem,
  HistoryProgressItem,
  InboundItem,
  NumberChangeItem,
  PhoneContactItem,
  PreferenceItem,
} from "#src/domain/inbound/callback-item.ts";
import type { ThreadAction } from "#src/domain/inbound/thread-actions.ts";
import type { Content } from "#src/domain/messages/content.ts";
import type { DirectCategory } from "#src/domain/messages/direct-send.ts";
import type { FailedOutcome, Outcome } from "#src/domain/messages/outcome.ts";
import type { SendPath } from "#src/domain/messages/send-path.ts";
import type { StatusItem } from "#src/domain/messages/status-item.ts";
import type { AccountUpdate } from "#src/domain/numbers/account-sync.ts";
import type { NumberDetails } from "#src/domain/numbers/network-state.ts";
import type { Provider } from "#src/domain/numbers/provider.ts";
import type { ListedTemplate, TemplateStatusUpdate, TemplateUpdate } from "#src/domain/templates/sync.ts";
import type {
  AccountDetails,
  AppSubscription,
  AppWebhook,
  NumberCallbackUrls,
  NumberExtras,
  SubscribedApp,
  TokenDetails,
} from "./account-facts.ts";
import type { BlockedPage, BlockedPerson, BusinessProfile, ProfileChanges, Username } from "./profile-request.ts";
import type { SignUpPort } from "./sign-up-request.ts";
import type {
  CorrectionRequest,
  LibraryPage,
  LibraryQuery,
  NewTemplateRequest,
  ReviewedTemplate,
  Submitted,
} from "./template-request.ts";

export interface Network {
  readonly name: NetworkName;
  /**
   * Sends one message, once. Never rejects: every result is an `Outcome`. If no readable answer has arrived after
   * `timeoutMs`, the outcome is `unknown`. `onAnswer` receives the raw answer, without the access token.
   */
  send(outbound: OutboundMessage, timeoutMs: number, onAnswer?: (answer: RawAnswer) => void): Promise<Outcome>;
  /**
   * Marks a received message, and all before it, as read; `isTyping`: also shows that an answer is being written. A repeat
   * changes nothing. Never rejects. Absent on a network without read receipts.
   */
  markRead?(sender: Sender, networkMessageId: string, isTyping: boolean, timeoutMs: number): Promise<DoneOutcome>;
  /**
   * Takes, releases or passes the thread with a person; the request leaves once. Never rejects. Absent on a network on
   * which a number has one sender.
   */
  controlThread?(sender: Sender, control: ThreadControl, timeoutMs: number): Promise<DoneOutcome>;
  /**
   * Whether the network's host answers at all; sends no data. Never rejects and ends within `timeoutMs`. `onTime`
   * receives the time in the answer's `Date` header, milliseconds. `sender`: a number whose provider is asked.
   */
  isReachable(timeoutMs: number, onTime?: (networkTime: number) => void, sender?: Sender): Promise<boolean>;
  /**
   * Whether the network answers a query about this number sensibly; a refusal of the number or the account counts,
   * because the network is well enough to refuse. Never rejects and ends within `timeoutMs`.
   */
  probe(sender: Sender, timeoutMs: number): Promise<boolean>;
  /** Parses a callback's body item by item. Never throws: an unreadable part becomes a `broken` item. */
  parse(body: string): CallbackItem[];
  /** Whether this signature header proves, under `secret`, that the network sent these bytes. */
  verify?(rawBody: Uint8Array, signature: string | null, secret: string): boolean;
  /** Queries about an account; absent on a network without any. */
  account?: AccountPort;
  /** The files that people send; absent on a network without any. */
  media?: MediaPort;
  /** Templates that are written here; absent on a network that takes none. */
  templates?: TemplatePort;
  /** The number as its customers see it. */
  profile?: ProfilePort;
  /** Whom the number blocks. */
  blocks?: BlockPort;
  /** Signing up at the network; absent where the configuration names no app for it. */
  signUp?: SignUpPort;
}

/** It is done, or it is not, or that is not known. */
export type DoneOutcome = { kind: "done" } | FailedOutcome;

export interface ThreadControl {
  action: ThreadAction;
  /** Of a pass: the network's word for the new owner; null: the escalation partner of the number. */
  targetRole: string | null;
  /** E.164 with `+`; null only if the person is known by `recipientNetworkUserId` alone. */
  to: string | null;
  recipientNetworkUserId: string | null;
}

/** Fetches files that people sent, and takes those that messages send. */
export interface MediaPort {
  /**
   * Gives the bytes to `sink` as they arrive, and waits for it before it reads on. Rejects only with what `sink`
   * throws. `stopping` ends it as `later`.
   */
  fetch(sender: Sender, networkMediaId: string, sink: MediaSink, stopping: AbortSignal): Promise<MediaAnswer>;
  /** Uploads a file. The id is valid for this number only, and for as long as Meta keeps an upload. Never rejects. */
  uploadFile(sender: Sender, file: UploadFile): Promise<Result<{ mediaId: string }>>;
  /** The file is stored: a network that keeps it here may delete it. */
  forget?(networkMediaId: string): void;
}

export interface MediaSink {
  /** Called before the first byte with the size that the network states, null if it states none. False: ends the fetch. */
  begin(bytes: number | null): Promise<boolean>;
  /** False: ends the fetch. */
  write(chunk: Uint8Array): Promise<boolean>;
}

export type MediaAnswer =
  /** All bytes have arrived. `bytes`: as the network stated; null if it did not. */
  | { kind: "fetched"; bytes: number | null }
  /** The sink wanted no more. */
  | { kind: "declined" }
  /** The network has no such file, or not for this number. */
  | { kind: "missing"; says: string }
  /** A later attempt may succeed. `retryAfterMs`: the network asked for this wait. */
  | { kind: "later"; says: string; retryAfterMs: number | null };

/** Queries about an account and its numbers. Never rejects: a failure is a value, with a message for people. */
export interface AccountPort {
  /** False: the number's provider can list templates but not numbers. */
  knowsNumbers(number: Pick<Sender, "provider" | "apiUrl">): boolean;
  /** One number, queried with the sender's own token. */
  fetchNumber(sender: Sender): Promise<Result<ListedNumber>>;
  /** Never fails: what the network does not say is null. */
  fetchExtras(sender: Sender): Promise<NumberExtras>;
  /** All numbers of the account, from all pages. */
  listNumbers(sender: Sender): Promise<Result<ListedNumber[]>>;
  /** The account itself. */
  fetchAccount(sender: Sender): Promise<Result<AccountDetails>>;
  /**
   * Whether the account may send to the endpoint for marketing, in the network's word (`ELIGIBLE`, `ONBOARDED`,
   * `INELIGIBLE`); null: the network does not say.
   */
  fetchMarketingStatus(sender: Sender): Promise<Result<string | null>>;
  /** All templates of the account, from all pages. */
  listTemplates(sender: Sender): Promise<Result<ListedTemplate[]>>;
  /** As that of `TemplatePort`. */
  listLibrary(sender: Sender, query: LibraryQuery): Promise<Result<LibraryPage>>;
  /** As that of `MediaPort`. */
  uploadFile(sender: Sender, file: UploadFile): Promise<Result<{ mediaId: string }>>;
  /** The token's validity, scopes, app and expiry. */
  inspectToken(sender: Sender): Promise<Result<TokenDetails>>;
  /** The apps subscribed to the account's messages. */
  listSubscribedApps(sender: Sender): Promise<Result<SubscribedApp[]>>;
  /** Where the callbacks of each number of the account go, as far as they have an address of their own. */
  listCallbackUrls(sender: Sender): Promise<Result<NumberCallbackUrls[]>>;
  /** What the app receives of all accounts; null: nothing. Asked with the app secret. */
  fetchAppSubscription(sender: Sender, appId: string): Promise<Result<AppSubscription | null>>;
  /** Whether there is an app secret for the number, its own or the configured one. */
  hasSecret(sender: Sender): boolean;
  /** Subscribes the token's app to the account's messages. */
  subscribeApp(sender: Sender): Promise<Result<null>>;
  /**
   * Sets where the app's callbacks go, and what it receives; replaces what it had. The network verifies the address
   * before it answers. Asked with the app secret.
   */
  subscribeAppFields(sender: Sender, appId: string, webhook: AppWebhook): Promise<Result<null>>;
  /** Registers the number with the Cloud API. `pin`: of its two-step verification, six digits. */
  registerNumber(sender: Sender, pin: string): Promise<Result<null>>;
  /** Asks for what the app on the phone has; it arrives by callbacks. The network does each kind once. */
  syncPhone(sender: Sender, kind: "contacts" | "history"): Promise<Result<null>>;
}

/** Gives templates to the network, which reviews them. Never rejects, and sends each request once. */
export interface TemplatePort {
  create(sender: Sender, request: NewTemplateRequest): Promise<Submitted<ReviewedTemplate>>;
  /** Replaces the parts of a template that the network knows by `networkId`. */
  correct(sender: Sender, networkId: string, request: CorrectionRequest): Promise<Submitted<null>>;
  /** `networkId`: of one language; null: all languages. */
  remove(sender: Sender, name: string, networkId: string | null): Promise<Submitted<null>>;
  /** The handle of a file that stands in a template as a sample. */
  uploadSample(sender: Sender, file: UploadFile): Promise<Submitted<{ handle: string }>>;
  /** One page of the network's own library of templates. */
  listLibrary(sender: Sender, query: LibraryQuery): Promise<Result<LibraryPage>>;
  /** All templates of the account; absent on a network that keeps none but those of this database. */
  list?(sender: Sender): Promise<Result<ListedTemplate[]>>;
}

/** The number as its customers see it. Never rejects; each change is sent once. */
export interface ProfilePort {
  fetchProfile(sender: Sender): Promise<Result<BusinessProfile>>;
  /** JPEG or PNG, as the network keeps it; null: there is no photo. */
  fetchPhoto(sender: Sender): Promise<Result<Uint8Array | null>>;
  changeProfile(sender: Sender, changes: ProfileChanges): Promise<Submitted<null>>;
  changePhoto(sender: Sender, photo: UploadFile): Promise<Submitted<null>>;
  fetchUsername(sender: Sender): Promise<Result<Username>>;
  /** Those that the network keeps for this business. */
  suggestUsernames(sender: Sender): Promise<Result<string[]>>;
  /** `transfers`: also where another number of the business has it. */
  reserveUsername(sender: Sender, username: string, transfers: boolean): Promise<Submitted<null>>;
  releaseUsername(sender: Sender): Promise<Submitted<null>>;
}

/** Whom the number blocks. Never rejects; each change is sent once. */
export interface BlockPort {
  setBlocked(sender: Sender, person: BlockedPerson, isBlocked: boolean): Promise<Submitted<null>>;
  /** One page; `after`: the cursor of the page before, null for the first. */
  listBlocked(sender: Sender, after: string | null, limit: number): Promise<Result<BlockedPage>>;
}

export type Result<T> =
  /** `at` is the network's own time, milliseconds; null if the answer had none. */
  { ok: true; value: T; at: number | null } | { ok: false; failure: RequestFailure };

export interface RequestFailure {
  /** The network's error code, or `unreachable` or `no_answer`. */
  code: string;
  message: string;
  /**
   * - `token`: the access token is unusable.
   * - `number`: the number or account does not exist, or is invisible to this token.
   * - `permission`: the token may not make this request.
   * - `proof`: the app demands proof of the app secret, or does not accept the proof that was given.
   * - `later`: temporary; a later attempt may succeed.
   * - `foreign`: the answer comes from another host than the network, such as a proxy.
   * - `other`: anything else.
   */
  kind: "token" | "number" | "permission" | "proof" | "later" | "foreign" | "other";
  /** The network's finer reason, if it gave one. */
  subcode?: number;
}

export interface ListedNumber extends NumberDetails {
  phoneNumberId: string;
  /** Digits. */
  phone: string | null;
}

export interface UploadFile {
  /** SHA-256, hexadecimal. */
  hash: string;
  bytes: number;
  contentType: string;
  name: string;
  /** From its beginning; may be called again. */
  read(): AsyncIterable<Uint8Array>;
}

/** The answer as it arrived, kept for diagnosis. */
export interface RawAnswer {
  httpStatus: number;
  body: string;
  /** The network's own time, milliseconds; null if the answer had none. */
  at: number | null;
}

export type NetworkName = "simulator" | "whatsapp";

export interface OutboundMessage {
  sender: Sender;
  /** E.164 with `+`; null only if the person is known by `recipientNetworkUserId` alone. */
  to: string | null;
  recipientNetworkUserId: string | null;
  /** Our send token; the network returns it on every status. */
  sendToken: string;
  content: Content;
  /** The network's ids of the uploads that the content sends, by their ids here. Absent: it sends none. */
  uploads?: ReadonlyMap<number, string>;
  /** The network's id of the message that this one answers or reacts to. Absent: none. */
  about?: string | null;
  /** One of a broadcast's many: single messages go first. */
  isBulk?: boolean;
  /** A free message that goes out as a template of this category does (Direct Send). */
  category?: DirectCategory;
  /** The endpoint of the network that takes it. Absent: the general one. */
  path?: SendPath;
}

/** The sending number as its network knows it. */
export interface Sender {
  /** E.164. */
  phone: string;
  phoneNumberId: string;
  accountId: string;
  /** The decrypted access token; null on networks that need none. Never logged. */
  accessToken: string | null;
  /** Who serves the number; Meta itself if absent. */
  provider?: Provider;
  /** Replaces the address of the provider's profile. */
  apiUrl?: string | null;
  /** The number's own app secret, decrypted; null: the configured one counts. Never logged. */
  appSecret?: string | null;
  /** Requests prove that this server knows the app secret. */
  sendsProof?: boolean;
}

export type CallbackItem =
  | StatusItem
  | InboundItem
  | NumberChangeItem
  | PreferenceItem
  | EchoItem
  | ControlPassItem
  | HistoryProgressItem
  | PhoneContactItem
  | CallItem
  | TemplateStatusUpdate
  | TemplateUpdate
  | AccountUpdate
  /** An error of the number or the app as a whole. `says`: in plain text. */
  | { kind: "number_error"; phoneNumberId: string; code: string; says: string }
  /** Understood, and nothing follows from it. */
  | { kind: "ignored"; about: string }
  /** A field or kind that this version does not know. The body is kept for a later version. */
  | { kind: "unhandled"; about: string }
  /** Unreadable; `raw` is kept for diagnosis. */
  | { kind: "broken"; why: string; raw: string };

export type Networks = Readonly<Record<NetworkName, Network>>;
