/** What networks report about a person's actions, in one form for all networks. */
import type { StatedMedia } from "../media/schema.ts";
import type { InboundDetails, InboundReferences } from "./details.ts";
import type { EchoOrigin, EchoStatus, InboundOrigin } from "./origin.ts";

/** A person wrote to one of our numbers. */
export interface InboundItem {
  kind: "inbound";
  phoneNumberId: string;
  networkMessageId: string;
  /** Digits without `+`; null if the network gives only its own id of the person. */
  from: string | null;
  fromNetworkUserId: string | null;
  /** The id that the portfolios of one parent company share. */
  parentUserId?: string | null;
  username?: string | null;
  /** Digits: the person's own number, from a contact card that they shared when asked for it. */
  sharedPhone?: string | null;
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
  /** Files that were uploaded in a form. Absent: none. */
  files?: { networkMediaId: string; stated: StatedMedia }[];
  references: InboundReferences;
  /** The network's time, milliseconds. */
  at: number;
  /** Absent: it arrived as a new message. */
  origin?: Exclude<InboundOrigin, "messages">;
}

/** The business sent a message in another way than through this server. */
export interface EchoItem {
  kind: "echo";
  phoneNumberId: string;
  networkMessageId: string;
  /** Digits without `+`; null if the network gives only its own id of the person. */
  to: string | null;
  toNetworkUserId: string | null;
  origin: Exclude<EchoOrigin, "control">;
  type: string;
  text: string | null;
  details: InboundDetails;
  references: InboundReferences;
  status: EchoStatus | null;
  at: number;
}

/** A conversation went from one sender on the number to another. */
export interface ControlPassItem {
  kind: "control_pass";
  phoneNumberId: string;
  /** The person. */
  from: string | null;
  fromNetworkUserId: string | null;
  /** The roles before and after, in the network's words. */
  previousOwner: string | null;
  newOwner: string | null;
  /** This server may answer from now on. */
  isOurs: boolean;
  /** What the network says of the conversation so far. */
  summary: string | null;
  /** What the person wrote in the conversation so far, oldest first. */
  written: string[];
  /** When the person last wrote, as far as the network says it with the conversation; null: it does not. */
  writtenAt: number | null;
  at: number;
}

/** A part of the phone's history is complete, or its owner declined to share it. Messages are items of their own. */
export interface HistoryProgressItem {
  kind: "history_progress";
  phoneNumberId: string;
  phase: number | null;
  /** Percent. */
  progress: number | null;
  declined: { code: string; reason: string } | null;
}

/** A person called one of our numbers. */
export interface CallItem {
  kind: "call";
  /** The call has ended; until then only the window follows from it. */
  isOver: boolean;
  phoneNumberId: string;
  networkMessageId: string;
  from: string | null;
  fromNetworkUserId: string | null;
  profileName: string | null;
  direction: string | null;
  status: string | null;
  /** When the call began. */
  at: number;
}

/** The business changed a contact in the phone's address book. */
export interface PhoneContactItem {
  kind: "phone_contact";
  phoneNumberId: string;
  phone: string | null;
  networkUserId: string | null;
  /** Null: the contact was removed. */
  names: { name: string | null; firstName: string | null } | null;
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
  /** The parent company's new id of the person. */
  newParentUserId?: string | null;
  at: number;
}

/** The network's own control for marketing messages: a person's marketing preference. */
export interface PreferenceItem {
  kind: "preference";
  phoneNumberId: string;
  waId: string | null;
  networkUserId: string | null;
  parentUserId?: string | null;
  value: "stop" | "resume";
  at: number;
}
