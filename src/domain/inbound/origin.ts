/** Where a message of a conversation came from, if this server did not send it. Pure. */

/**
 * How an inbound arrived.
 * - `messages`: as a new message.
 * - `standby`: as a new message while another sender, such as Meta's Business Agent, held the conversation.
 * - `history`: in the history of the phone that shares the number. Never new: no event, no window, no unread mark.
 */
export const inboundOrigins = ["messages", "standby", "history"] as const;
export type InboundOrigin = (typeof inboundOrigins)[number];

/**
 * Who sent what this server did not send.
 * - `phone`: the business, in the WhatsApp Business app or on a linked device.
 * - `standby`: another sender on the number, such as Meta's Business Agent.
 * - `history`: the business, before the number was connected.
 * - `control_pass`: no message; one sender passed the conversation to another.
 */
export const echoOrigins = ["phone", "standby", "history", "control_pass"] as const;
export type EchoOrigin = (typeof echoOrigins)[number];

export const echoStatuses = ["sent", "delivered", "read", "failed"] as const;
export type EchoStatus = (typeof echoStatuses)[number];
