/** What networks report about a person's actions, in one form for all networks. */
import type { InboundDetails, InboundReferences } from "./details.ts";

/** A person wrote to one of our numbers. */
export interface InboundItem {
  kind: "inbound";
  phoneNumberId: string;
  networkMessageId: string;
  /** Digits without `+`; null if the network gives only its own id of the person. */
  from: string | null;
  fromNetworkUserId: string | null;
  profileName: string | null;
  /** The network's name of the kind: `text`, `image`, `button`, `interactive`, `reaction` … */
  type: string;
  /** The text, caption, button or list title, or another text to show; null if there is none. */
  text: string | null;
  /** The text that may mean STOP or START: a text, a caption, an edit, the title of a button or list reply. */
  command: string | null;
  /** Whether the person wrote `command`. Otherwise they chose it among the titles that the workspace wrote. */
  isWritten: boolean;
  /** What the workspace attached to the button or list row that the person chose. */
  payload: string | null;
  details: InboundDetails;
  /** The network's id of the file that the message brings; null if it brings none. */
  networkMediaId: string | null;
  references: InboundReferences;
  /** The network's time, milliseconds. */
  at: number;
}

/**
 * A person moved to another phone number. This is a system message: it does not count as an inbound or open the window.
 */
export interface NumberChangeItem {
  kind: "number_change";
  phoneNumberId: string;
  networkMessageId: string;
  from: string | null;
  fromNetworkUserId: string | null;
  /** The new number (digits), if the phone number changed. */
  newPhone: string | null;
  /** The network's new id of the person, if it changed. */
  newNetworkUserId: string | null;
  at: number;
}

/** The network's own control for marketing messages: a person's marketing preference. */
export interface PreferenceItem {
  kind: "preference";
  phoneNumberId: string;
  waId: string | null;
  networkUserId: string | null;
  value: "stop" | "resume";
  at: number;
}
