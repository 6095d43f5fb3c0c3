/** What the network reports on its own about an account, or about one of its numbers. */
export interface AccountUpdate {
  kind: "account_update";
  /** The network's id of the account. */
  accountId: string;
  /** Digits of the number concerned; null: every number of the account. */
  phone: string | null;
  /** The network's time, milliseconds; null if it gave none. */
  at: number | null;
  change: /** The number must not send. `until`: milliseconds; null: until the network reports otherwise. */
    | { type: "restricted"; reason: string; until: number | null }
    /** The restriction is over. */
    | { type: "lifted" }
    /** The number can still send, but the operator should know. */
    | { type: "warned"; message: string }
    /** How many different people may be written to in a day: digits, or `unlimited`. */
    | { type: "limit"; messagingLimit: string }
    /** An app of this id can no longer send for the account; null: the network names none. */
    | { type: "disconnected"; appId: string | null; reason: string }
    /** Something that a person should know. `says` null: the network revokes the report of this kind. */
    | { type: "notice"; kind: string; says: string | null }
    /** A change that only an account sync can find out. */
    | { type: "changed" };
}
