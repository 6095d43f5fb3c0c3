/** What the network says about the connection of a number with this server. */

export interface NumberHealth {
  canSend: "AVAILABLE" | "LIMITED" | "BLOCKED";
  reasons: string[];
  /** The network's codes of the reasons. */
  codes: number[];
  /** The app itself is limited, as in its development mode. */
  isAppLimited: boolean;
}

/** How a number is set up at the network, in its own words; null: it does not say. */
export interface NumberSetup {
  /** `CLOUD_API`, or another platform that this server cannot send through. */
  platform: string | null;
  /** `LIVE`, or `SANDBOX` for a test number. */
  mode: string | null;
  /** Whether it has a two-step PIN. */
  hasPin: boolean | null;
}

export interface ConnectionFacts {
  /** Why the network could not be asked about the number; null if it could. */
  failure: ConnectionFailure | null;
  /** Why the account could not be asked for although the number is visible. */
  accountFailure: ConnectionFailure | null;
  /** The phone to which the number's id belongs at the network, in digits. */
  phone: string | null;
  /** `refused`: the network does not accept the proof of our app secret. `missing`: it demands one. */
  proof: "accepted" | "refused" | "missing" | null;
  /** Null: not asked, or the network did not say. */
  token: {
    isValid: boolean;
    scopes: string[];
    appId: string | null;
    /** Milliseconds; null: it does not expire. */
    expiresAt: number | null;
    subcode: number | null;
    /** When the app's access to data ends, milliseconds; null if it does not. Absent: stored by 0.1. */
    dataAccessEndsAt?: number | null;
    /** The accounts that the token was made for; empty if the network does not name them. Absent: stored by 0.1. */
    accountIds?: string[];
  } | null;
  number: {
    status: string | null;
    nameStatus: string | null;
    quality: string | null;
    messagingLimit: string | null;
    throughputLevel: string | null;
    health: NumberHealth | null;
    /** Absent: stored by 0.1. */
    setup?: NumberSetup;
  } | null;
  subscription: { isSubscribed: boolean; overrideUrl: string | null } | null;
  /** The app's own webhook. `wrong_secret`: Meta does not accept our app secret for this app. */
  app: { callbackUrl: string | null; fields: string[]; isActive?: boolean } | "none" | "wrong_secret" | null;
  /** Where the number's callbacks go, if not to the app's address. */
  callbackUrl: string | null;
}

/** As the network's `RequestFailure`. */
export interface ConnectionFailure {
  code: string;
  message: string;
  kind: "token" | "number" | "permission" | "proof" | "later" | "foreign" | "other" | "key";
  subcode?: number;
}

export const NO_FACTS: ConnectionFacts = {
  ...{ failure: null, accountFailure: null, phone: null, proof: null, token: null, number: null },
  ...{ subscription: null, app: null, callbackUrl: null },
};
