/** What the network says by itself of an account, or of one number in it. */
export interface AccountUpdate {
  kind: "number_news";
  /** The network's id of the account. */
  accountId: string;
  /** Digits of the one number that it is about; null: every number of the account. */
  phone: string | null;
  /** The network's time, milliseconds; null where it gave none. */
  at: number | null;
  change: /** It must not send, for a reason in words; `until` in milliseconds, null: until the network says otherwise. */
    | { type: "restricted"; reason: string; until: number | null }
    /** The stop is over. */
    | { type: "lifted" }
    /** It still sends; a person should know. */
    | { type: "warned"; message: string }
    /** Different people that may be written to in a day: digits, or `unlimited`. */
    | { type: "limit"; messagingLimit: string }
    /** Something changed that only a look at the network tells. */
    | { type: "changed" };
}
