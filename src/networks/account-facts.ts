/** What the network says of an account, its app and its token. */
export interface SubscribedApp {
  id: string | null;
  name: string | null;
  /** Where the account's callbacks go instead of the app's address. */
  overrideUrl: string | null;
}

export interface NumberCallbackUrls {
  phoneNumberId: string;
  /** Of the number, its account and the app: the first one counts. Null: none is set. */
  number: string | null;
  account: string | null;
  app: string | null;
}

export interface AppWebhook {
  callbackUrl: string;
  verifyToken: string;
  fields: readonly string[];
}

export interface AppSubscription {
  callbackUrl: string | null;
  fields: string[];
  /** False: the app's webhook is switched off, and nothing is called. */
  isActive: boolean;
}

/** What only some versions and numbers have. */
export interface NumberExtras {
  /** The country that messages are kept in, ISO 3166; null: no country was chosen. */
  storageRegion: string | null;
  /** The network's id of the account that the number sends through, beside that of the WhatsApp Business account. */
  messagingAccountId: string | null;
}

/** Null: the network does not say. */
export interface AccountDetails {
  name: string | null;
  /** The id of the business portfolio that owns the account. */
  portfolio: string | null;
  hasPaymentMethod: boolean | null;
}

export interface TokenDetails {
  isValid: boolean;
  scopes: string[];
  appId: string | null;
  /** Milliseconds; null if it does not expire. */
  expiresAt: number | null;
  /** Why it is not valid: 463 for an expired one; null if it is valid or the network does not say. */
  subcode: number | null;
  /** When the app's access to data ends, milliseconds; null if it does not. */
  dataAccessEndsAt: number | null;
  /** The accounts that the token was made for; empty if the network does not name them. */
  accountIds: string[];
}
