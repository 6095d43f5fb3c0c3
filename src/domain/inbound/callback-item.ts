/** What a person did, as the network told it: one kind of report each, of every network alike. */

/** A person wrote to one of our numbers. */
export interface InboundItem {
  kind: "inbound";
  phoneNumberId: string;
  networkMessageId: string;
  /** Digits without `+`; null where the network names the person only by its own id. */
  from: string | null;
  fromNetworkUserId: string | null;
  profileName: string | null;
  /** The network's word: `text`, `image`, `button`, `interactive`, `reaction` … */
  type: string;
  /** The text, caption, button or list title, or what there is to show; null where there is nothing. */
  text: string | null;
  /** The words that may mean STOP or START: a text, a caption, an edit, the title of a button or list reply. */
  command: string | null;
  /** The network's time, milliseconds. */
  at: number;
}

/** A person moved to another phone number (a system message: no inbound, opens no window). */
export interface NumberChangeItem {
  kind: "number_change";
  phoneNumberId: string;
  networkMessageId: string;
  from: string | null;
  fromNetworkUserId: string | null;
  /** The new number (digits), where the phone number changed. */
  newPhone: string | null;
  /** The network's new id of the person, where that changed. */
  newNetworkUserId: string | null;
  at: number;
}

/** The network's own control for marketing messages. */
export interface PreferenceItem {
  kind: "preference";
  phoneNumberId: string;
  waId: string | null;
  networkUserId: string | null;
  value: "stop" | "resume";
  at: number;
}
