/**
 * Meta's error codes: the meaning of each for the message and for later messages, and a description for people of what
 * happened and what to do. The code alone decides, because HTTP statuses and English titles change without notice
 * (Meta: "Error codes" of the Cloud API). Codes of calls that this connector never makes are omitted, unless a number
 * in trouble can answer with them.
 */
import type { RefusalScope } from "#src/domain/messages/outcome.ts";

export type ErrorMeaning =
  | { kind: "throttled"; scope: "number" | "pair"; description: string }
  | { kind: "refused"; scope: RefusalScope; description: string };

export function findErrorMeaning(code: number): ErrorMeaning | undefined {
  // Meta reserves the whole range for permissions that the token lacks.
  return code >= 200 && code <= 299 ? PERMISSION_MISSING : MEANINGS.get(code);
}

const SYSTEM_USER_HINT =
  "Give the system user of the token both WhatsApp permissions (messaging and management) and store a new token.";

const PERMISSION_MISSING: ErrorMeaning = {
  kind: "refused",
  scope: "account",
  description: `The access token lacks a permission that sending needs. ${SYSTEM_USER_HINT}`,
};

const MEANINGS: ReadonlyMap<number, ErrorMeaning> = new Map([
  // Temporary: the message was certainly not accepted.
  ...throttled("number", {
    2: "WhatsApp is down or overloaded. Try again in a few minutes.",
    4: "The app has made too many calls. Wait a few minutes; if this happens again, lower the sending rate.",
    613: "Too many calls of this kind in a short time. Wait a moment and send more slowly.",
    80007: "The WhatsApp account has used up its calls for now. Wait up to an hour.",
    130429: "The number sends faster than WhatsApp allows it. Lower its throughput.",
    131016: "A WhatsApp service is unavailable for the moment. Try again shortly.",
    131057: "WhatsApp is working on this account, usually for about a minute. Try again after that.",
    133004: "WhatsApp's server is unavailable for the moment. Try again in a few minutes.",
    133016: "The number was registered too many times. Wait up to 72 hours before registering it again.",
  }),
  ...throttled("pair", {
    131056: "Too many messages to this person in a short time. Wait before writing to them again.",
  }),
  // Concern the recipient.
  ...refused("recipient", {
    130472: "The person is in a WhatsApp experiment and gets no marketing messages. Wait until they write first.",
    131021: "Sender and recipient are the same number. Choose another recipient.",
    131026:
      "The message cannot be delivered to this number: it may not be on WhatsApp, use an old app or not accept messages. Check the number with the person.",
    131047: "More than 24 hours have passed since the person last wrote. Send a template instead of free text.",
    131049:
      "WhatsApp held the message back to spare the person more marketing. Wait at least a day before trying again.",
    131050: "The person has switched off marketing messages from this business. Send them no more marketing.",
    131062: "This kind of message needs the person's phone number, which is not known. Ask them for it.",
    137000:
      "The person's WhatsApp identity has changed, for example by a new phone. Confirm who they are before sending.",
  }),
  // Concern the network itself, and nothing of ours.
  ...refused("network", {
    1: "WhatsApp could not process the request. Send it again; if the error persists, report it.",
    131000: "WhatsApp failed to send the message and named no reason. Send it again later.",
    135000: "WhatsApp refused the message and named no reason. Check the content and send it again.",
  }),
  // Concern the message: its values, its media, its destination.
  ...refused("message", {
    100: "WhatsApp did not accept a part of the request. Check the template's values and the media link.",
    130497: "The business may not write to people in this country. Remove recipients in that country.",
    131008:
      "Something that WhatsApp requires is missing from the message. Compare it with the template and report it if nothing is.",
    131009: "A value in the message is not one that WhatsApp accepts. Check the values and the recipient's number.",
    131030:
      "The sending number is a test number and the recipient is not on its list. Add them in Meta's dashboard or use a real number.",
    131051: "WhatsApp does not support this kind of message. Send another kind.",
    131052: "WhatsApp could not fetch the file that the person sent. Ask them to send it again.",
    131053:
      "WhatsApp could not fetch or use the file. Check that the link opens without signing in and that kind and size are allowed.",
    132000:
      "The number of values differs from what the template takes. Sync the templates and fill in every placeholder.",
    132005: "The text is too long once the values are filled in. Shorten the values.",
    132008: "A value does not fit its place in the template. Check the values.",
    132012:
      "A value or the header has another form than the template was approved with. Sync the templates and check header and values.",
    132018:
      "The template's values are not allowed as they are. Remove line breaks, tabs, long runs of spaces and empty values.",
  }),
  // Concern the template.
  ...refused("template", {
    131058:
      "hello_world can be sent from Meta's own test numbers alone. Send one of the account's own approved templates.",
    132001:
      "The template does not exist in this language or is not approved. Sync the templates and choose an approved one.",
    132007: "The template's content breaks a WhatsApp policy. Change it and have it approved again.",
    132015: "WhatsApp has paused the template for poor feedback. Wait until it is approved again, or use another one.",
    132016: "WhatsApp has disabled the template for good. Make a new one.",
    132068: "The flow of this template is blocked. Repair the flow, or use another template.",
    132069: "The flow of this template is limited to a few messages an hour. Wait, or use another template.",
    134100: "Only marketing templates can be sent in this way. Choose one, or switch the endpoint back.",
    134101: "WhatsApp is still preparing the template. Try again in ten minutes.",
    134102: "The template, or the account, is not available for marketing messages. Check both in Meta's dashboard.",
    2388019: "The account has as many templates as it may have. Delete some that are not used.",
    2388040: "A part of the template is longer than allowed. Shorten it.",
    2388047: "The template's header is not as WhatsApp wants it. Correct it.",
    2388072: "The template's body is not as WhatsApp wants it. Correct it.",
    2388073: "The template's footer is not as WhatsApp wants it. Correct it.",
    2388293: "The template has too many placeholders for so little text. Write more text around them.",
    2388299: "A placeholder stands at the start or end of the template. Put words around it.",
  }),
  // Concern the sending number.
  ...refused("number", {
    33: "WhatsApp no longer knows the sending number. Check its phone number id, and whether the token may use it.",
    131037: "The number has no approved display name yet. Have the name approved in Meta's dashboard.",
    131045: "The number is not registered correctly. Register it again.",
    131048:
      "WhatsApp limits the number because people blocked or reported its messages. Stop for some hours and write to fewer people.",
    131055:
      "This number or this endpoint cannot send the message. Check whether the number is set up for calls by SIP, and the endpoint.",
    133000: "The number's last deregistration did not finish. Deregister it again, then register it.",
    133005: "The two-step PIN of the number is wrong. Register it with the right PIN.",
    133006: "The number must be verified again before it is registered. Ask for a new code.",
    133008: "The PIN was wrong too many times. Wait as long as Meta's dashboard says.",
    133009: "PINs were tried too fast. Wait a few minutes.",
    133010: "The number is not registered with the Cloud API. Register it.",
    133015: "The number was deleted a moment ago. Wait five minutes before registering it again.",
    2494100: "WhatsApp is working on this number. Try again in a few minutes.",
  }),
  // Concern the account.
  ...refused("account", {
    0: "WhatsApp could not tell who is calling: the access token is not valid. Store a new token.",
    3: "The app or its token may not do this. Check the app's WhatsApp product and the token's permissions.",
    10: `The access token lacks a permission that sending needs. ${SYSTEM_USER_HINT}`,
    190: "The access token has expired or was revoked. Store a new token of a system user.",
    368: "WhatsApp has blocked the account for a while for breaking a policy. Read the notice in Meta's dashboard.",
    131005: `Access was denied. ${SYSTEM_USER_HINT}`,
    131031: "The WhatsApp account is locked or restricted. Read the notice in Meta's dashboard and appeal there.",
    131042:
      "The account's payment is not in order. Check payment method, credit, timezone and currency in Meta's dashboard.",
    131044: "The account's payment for calls is not in order. Check the payment method in Meta's dashboard.",
    131063:
      "The account sends marketing through another endpoint only. Allow marketing on the Cloud API in Meta's dashboard.",
    131064:
      "The account has reached its messaging limit because templates were in the wrong category. Correct the categories and wait.",
    134011: "The terms for payments have not been accepted. Accept them in Meta's dashboard.",
  }),
]);

function throttled(scope: "number" | "pair", descriptions: Readonly<Record<number, string>>): [number, ErrorMeaning][] {
  return Object.entries(descriptions).map(([code, text]) => [
    Number(code),
    { kind: "throttled", scope, description: text },
  ]);
}

function refused(scope: RefusalScope, descriptions: Readonly<Record<number, string>>): [number, ErrorMeaning][] {
  return Object.entries(descriptions).map(([code, text]) => [
    Number(code),
    { kind: "refused", scope, description: text },
  ]);
}
