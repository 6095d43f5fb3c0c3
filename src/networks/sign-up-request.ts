/** Signing up at the network: where the browser goes, and what its code becomes. */

/** An owner signs up on the network's own page and comes back with a code, which becomes an access token here. */
export interface SignUpPort {
  /** Where the browser goes. */
  dialogAddress(dialog: SignUpDialog): string;
  /** Never rejects. The network takes a code once. `returnAddress`: the one that the dialog was given. */
  exchangeCode(code: string, returnAddress: string): Promise<SignUpResult>;
}

export interface SignUpDialog {
  state: string;
  /** Where the browser comes back to. */
  returnAddress: string;
  /** The number may stay in the WhatsApp Business app too. */
  keepsApp: boolean;
}

export type SignUpResult =
  | { kind: "token"; token: string }
  /** The code was used, is too old, or is none of the network's. */
  | { kind: "code_refused" }
  /** The configured app ID or app secret is wrong. */
  | { kind: "app_refused" }
  /** The network gave no token, for another reason. */
  | { kind: "later"; message: string }
  /** The network may have used the code up. */
  | { kind: "unknown" };
