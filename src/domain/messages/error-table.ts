/**
 * Meta's error codes, the only place that decides by one: the meaning of each for the message, for later messages and for
 * who sent it, and a description for people of what happened and what to do. The code alone decides, because HTTP statuses
 * and English titles change without notice (Meta: "Error codes" of the Cloud API). Unless its row says otherwise, a code
 * proves that the message was not sent. Codes of calls that the connector never makes are omitted, unless a number in
 * trouble can answer with them. Imports nothing but types, so that the connector may read it.
 */
import type { ProblemCode } from "#src/core/problem.ts";
import type { FailureEffect, FailureScope } from "./failure.ts";

export interface ErrorMeaning {
  /** What fails with it. Of a code that asks to wait: what a failed status with it applies to. */
  scope: FailureScope;
  /** Our words: what happened, and what to do. The network's own follow them. */
  description: string;
  /** As an answer it only asks to wait: everything that the number sends, or this pair of numbers. */
  throttles?: "number" | "pair";
  /** The message may have been sent all the same: it is in doubt, and never repeated. */
  mayHaveBeenSent?: true;
  /** Of the endpoint for marketing: the message is not its own, and was not sent. The general endpoint may take it. */
  isWrongPath?: true;
  /** Of a message with a category: the account was never allowed to send it, or no longer is. */
  directSend?: "refused" | "blocked";
  effect?: FailureEffect;
  /** Time alone mends it, after this many milliseconds. */
  mendsAfterMs?: number;
  /** The error code that the caller of a single message gets; absent: `whatsapp_error`. */
  caller?: ProblemCode;
  /** When the person may be sent to again: after a day, and a day more for each further refusal; or once they write. */
  sendAgain?: "later" | "once_they_write";
  /** What an answer with it to a query is about; absent: nothing of these, or it asks to wait. */
  asked?: "token" | "number" | "permission" | "pin";
}

export function findErrorMeaning(code: number): ErrorMeaning | undefined {
  // Meta reserves the whole range for permissions that the token lacks.
  return code >= 200 && code <= 299 ? PERMISSION_MISSING : MEANINGS.get(code);
}

/** Every code of the table, in its order, for the page that lists them. A range is one entry: `200–299`. */
export function listErrorMeanings(): { codes: string; meaning: ErrorMeaning }[] {
  const single = [...MEANINGS].map(([code, meaning]) => ({ codes: String(code), meaning }));
  return [...single, { codes: "200–299", meaning: PERMISSION_MISSING }];
}

const SYSTEM_USER_HINT =
  "Give the system user of the token both WhatsApp permissions (messaging and management) and store a new token.";

const PARAMETER_WRONG =
  "WhatsApp did not accept a part of the request. Check the template's values and the media link.";

const MINUTE_MS = 60_000;

const PERMISSION_MISSING: ErrorMeaning = {
  scope: "account",
  asked: "permission",
  description: `The access token lacks a permission that sending needs. ${SYSTEM_USER_HINT}`,
};

/** Of the parameter error about the proof of the app secret. The next synchronization finds out which proof is right. */
export const PROOF_REFUSED: ErrorMeaning = {
  scope: "account",
  description: "The app demands a proof of its app secret, or the secret belongs to another app. Store its own secret.",
  effect: "number_unready",
};

const MEANINGS: ReadonlyMap<number, ErrorMeaning> = new Map([
  ...refused(
    "network",
    { 506: "WhatsApp holds this message for a repetition. It may have been sent before; it is not sent again." },
    { mayHaveBeenSent: true },
  ),
  // Temporary: the message was certainly not accepted.
  ...throttled("number", {
    2: "WhatsApp is down or overloaded. Try again in a few minutes.",
    17: "The token's user has made too many calls. Wait a few minutes; if this happens again, lower the sending rate.",
    32: "Too many calls were made for this account's page. Wait a few minutes and send more slowly.",
    341: "The app has reached a limit. Wait a few minutes and send more slowly.",
    4: "The app has made too many calls. Wait a few minutes; if this happens again, lower the sending rate.",
    613: "Too many calls of this kind in a short time. Wait a moment and send more slowly.",
    80007: "The WhatsApp account has used up its calls for now. Wait up to an hour.",
    80008: "Too many calls were made for the WhatsApp account. Wait up to an hour.",
    80014: "Too many calls were made for the account's catalogue. Wait up to an hour.",
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
  ...refused(
    "recipient",
    {
      1013: "The recipient's number is not on WhatsApp. Check the number with the person.",
      1026: "The recipient's app cannot receive this message. Ask the person to update WhatsApp.",
      131026:
        "The message cannot be delivered to this number: it may not be on WhatsApp, use an old app or not accept messages. Check the number with the person.",
      131062: "This kind of message needs the person's phone number, which is not known. Ask them for it.",
    },
    { caller: "invalid_number", sendAgain: "later" },
  ),
  ...refused(
    "recipient",
    {
      130403: "The business has blocked this person. Lift the block before sending to them.",
      131049:
        "WhatsApp held the message back to spare the person more marketing. Wait at least a day before trying again.",
      137000:
        "The person's WhatsApp identity has changed, for example by a new phone. Confirm who they are before sending.",
    },
    { sendAgain: "later" },
  ),
  ...refused(
    "recipient",
    {
      131047: "More than 24 hours have passed since the person last wrote. Send a template instead of free text.",
    },
    { caller: "window_closed", sendAgain: "later", effect: "window_closed" },
  ),
  ...refused(
    "recipient",
    {
      130472: "The person is in a WhatsApp experiment and gets no marketing messages. Wait until they write first.",
      131021: "Sender and recipient are the same number. Choose another recipient.",
    },
    { sendAgain: "once_they_write" },
  ),
  ...refused(
    "recipient",
    {
      131050: "The person has switched off marketing messages from this business. Send them no more marketing.",
    },
    { sendAgain: "once_they_write", effect: "marketing_refused" },
  ),
  ...refused("recipient", {
    2494191:
      "Only the escalation partner of the number can take a conversation from another sender. Choose it in Meta Business Suite, under conversation routing.",
    131043: "The message expired before it could be delivered. Send it again if it is still wanted.",
    131060: "Another app or device holds the message, and programs do not get it. Ask the person on the phone.",
    138001: "The person cannot be called. Send a message instead.",
    138006: "The person has not allowed calls from this business. Ask for the permission first.",
  }),
  // Concern the network itself, or are described nowhere in public: a streak of them counts as trouble of the network.
  ...refused("network", {
    131036: "WhatsApp refused the message and does not describe this code in public. Read its own words.",
    131059: "WhatsApp lost its place in a list. Nothing has to be done; the list is read again.",
    131061: "WhatsApp refused the message and does not describe this code in public. Read its own words.",
    1: "WhatsApp could not process the request. Send it again; if the error persists, report it.",
    131000: "WhatsApp failed to send the message and named no reason. Send it again later.",
    135000: "WhatsApp refused the message and named no reason. Check the content and send it again.",
  }),
  // Concern the message: its values, its media, its destination.
  ...refused("message", { 100: PARAMETER_WRONG }, { directSend: "refused" }),
  ...refused("message", { 139200: "The account may not use Direct Send any more." }, { directSend: "blocked" }),
  ...refused("message", {
    130497: "The business may not write to people in this country. Remove recipients in that country.",
    131001: "The message is too long. Shorten it.",
    131002: "WhatsApp does not take this kind of recipient. Check the number.",
    131014: "WhatsApp could not fetch the file from its link. Check that the link opens without signing in.",
    131020: "The group does not exist or cannot be written to. Write to people one by one.",
    131041: "The message cannot be sent to a group. Write to people one by one.",
    131008: "Something that WhatsApp requires is missing. Compare the message with the template, or report it.",
    131009: "A value in the message is not one that WhatsApp accepts. Check the values and the recipient's number.",
    131030:
      "The sending number is a test number and the recipient is not on its list. Add them in Meta's dashboard or use a real number.",
    131051: "WhatsApp does not support this kind of message. Send another kind.",
    131052: "WhatsApp could not fetch the file that the person sent. Ask them to send it again.",
    131053:
      "WhatsApp could not fetch or use the file. Check that the link opens without signing in and that kind and size are allowed.",
    132000: "The number of values differs from the template's. Sync the templates and fill in every placeholder.",
    132005: "The text is too long once the values are filled in. Shorten the values.",
    132008: "A value does not fit its place in the template. Check the values.",
    132012:
      "A value or the header has another form than the template was approved with. Sync the templates and check header and values.",
    132018: "The template's values are not allowed. Remove line breaks, tabs, runs of spaces and empty values.",
  }),
  // Concern the template.
  ...refused(
    "template",
    {
      132001:
        "The template does not exist in this language or is not approved. Sync the templates and choose an approved one.",
    },
    { caller: "template_not_found" },
  ),
  ...refused("template", {
    131058: "hello_world can be sent from Meta's test numbers alone. Send one of the account's own templates.",
    132007: "The template's content breaks a WhatsApp policy. Change it and have it approved again.",
    132013: "The template cannot be used as it is. Sync the templates, and compare it with WhatsApp Manager.",
    132015: "WhatsApp has paused the template for poor feedback. Wait until it is approved again, or use another one.",
    132068: "The flow of this template is blocked. Repair the flow, or use another template.",
    132069: "The flow of this template is limited to a few messages an hour. Wait, or use another template.",
    134102: "The template, or the account, is not available for marketing messages. Check both in Meta's dashboard.",
    2388019: "The account has as many templates as it may have. Delete some that are not used.",
    2388040: "A part of the template is longer than allowed. Shorten it.",
    2388047: "The template's header is not as WhatsApp wants it. Correct it.",
    2388072: "The template's body is not as WhatsApp wants it. Correct it.",
    2388073: "The template's footer is not as WhatsApp wants it. Correct it.",
    2388293: "The template has too many placeholders for so little text. Write more text around them.",
    2388299: "A placeholder stands at the start or end of the template. Put words around it.",
  }),
  ...refused("template", { 134100: "This is not a marketing template. Sync the templates." }, { isWrongPath: true }),
  ...refused(
    "template",
    { 132016: "WhatsApp has disabled the template for good. Make a new one." },
    {
      effect: "template_disabled",
    },
  ),
  ...refused(
    "template",
    { 134101: "WhatsApp is still preparing the template. It is ready in about ten minutes." },
    {
      mendsAfterMs: 10 * MINUTE_MS,
    },
  ),
  // Concern the sending number.
  ...refused(
    "number",
    {
      131037: "The number has no approved display name yet. Have the name approved in Meta's dashboard.",
      131045: "The number is not registered correctly. Register it again.",
      133010: "The number is not registered with the Cloud API. Register it.",
    },
    { effect: "number_unready" },
  ),
  ...refused(
    "number",
    { 2494100: "WhatsApp is working on this number. Sending resumes in a few minutes." },
    {
      mendsAfterMs: 5 * MINUTE_MS,
    },
  ),
  ...refused(
    "number",
    {
      33: "WhatsApp no longer knows the sending number. Check its phone number id, and whether the token may use it.",
      803: "WhatsApp does not know the sending number's id, or the token may not use it. Check both.",
      131006: "WhatsApp does not know the sending number's id. Check its phone number id and account id.",
    },
    { asked: "number" },
  ),
  ...refused(
    "number",
    {
      133005: "The two-step PIN of the number is wrong. Register it with the right PIN.",
      133008: "The PIN was wrong too many times. Wait as long as Meta's dashboard says.",
      133009: "PINs were tried too fast. Wait a few minutes.",
    },
    { asked: "pin" },
  ),
  ...refused(
    "number",
    {
      131055:
        "This number or this endpoint cannot send the message. Check whether the number is set up for calls by SIP.",
    },
    { isWrongPath: true, effect: "kind_refused" },
  ),
  ...refused("number", {
    133001: "The number's registration data could not be read. Register the number again.",
    133002: "The number's backup could not be read. Register the number without it.",
    133003: "The number's recovery token could not be read. Verify and register the number again.",
    136025: "The number could not be verified. Ask for a new code.",
    131048:
      "WhatsApp limits the number because people blocked or reported its messages. Stop for some hours and write to fewer people.",
    133000: "The number's last deregistration did not finish. Deregister it again, then register it.",
    133006: "The number must be verified again before it is registered. Ask for a new code.",
    133015: "The number was deleted a moment ago. Wait five minutes before registering it again.",
  }),
  ...refused(
    "number",
    {
      138000: "Calls are not switched on for this number. Switch them on in Meta's dashboard.",
      2593107: "The number's data was synchronized already. Connect the number again to repeat it.",
      2593108: "The time to synchronize the number's data is over. Connect the number again.",
    },
    { effect: "kind_refused" },
  ),
  // Concern the account.
  ...refused(
    "account",
    {
      104: "The request lacks a valid access token or its proof. Store a new token, and check the app's settings.",
      0: "WhatsApp could not tell who is calling: the access token is not valid. Store a new token.",
      102: "The session of the access token is over. Store a new token of a system user.",
      190: "The access token has expired or was revoked. Store a new token of a system user.",
      459: "The token's user must confirm something at Facebook first. Use the token of a system user.",
      463: "The access token has expired. Store a new token of a system user.",
      464: "The token's user is not confirmed. Use the token of a system user.",
      467: "The access token is no longer valid. Store a new token of a system user.",
    },
    { asked: "token" },
  ),
  ...refused(
    "account",
    {
      3: "The app or its token may not do this. Check the app's WhatsApp product and the token's permissions.",
      10: `The access token lacks a permission that sending needs. ${SYSTEM_USER_HINT}`,
      131005: `Access was denied. ${SYSTEM_USER_HINT}`,
    },
    { asked: "permission" },
  ),
  ...refused(
    "account",
    {
      131042:
        "The account's payment is not in order. Check payment method, credit, timezone and currency in Meta's dashboard.",
    },
    { effect: "payment_missing" },
  ),
  ...refused("account", {
    5: "The app accepts calls from certain addresses only. Add this server's address in the app's settings.",
    2200: "Meta could not verify the callback address. It must be reachable from the internet over https, with a certificate that browsers accept.",
    2635: "Meta no longer serves this version of its interface. Raise [whatsapp] api_version.",
    368: "WhatsApp has blocked the account for a while for breaking a policy. Read the notice in Meta's dashboard.",
    131031: "The WhatsApp account is locked or restricted. Read the notice in Meta's dashboard and appeal there.",
    133007: "WhatsApp has blocked the account. Read the notice in Meta's dashboard and appeal there.",
  }),
  ...refused(
    "account",
    {
      131044: "The account's payment for calls is not in order. Check the payment method in Meta's dashboard.",
      131063:
        "The account takes marketing through its endpoint for marketing only. Sync the number, which finds out whether the account is onboarded; else allow marketing on the Cloud API in Meta's dashboard.",
      131064:
        "The account has reached its messaging limit because templates were in the wrong category. Correct the categories and wait.",
      134011: "The terms for payments have not been accepted. Accept them in Meta's dashboard.",
    },
    { effect: "kind_refused" },
  ),
]);

function throttled(scope: "number" | "pair", descriptions: Readonly<Record<number, string>>): [number, ErrorMeaning][] {
  return refused(scope === "pair" ? "recipient" : "network", descriptions, { throttles: scope });
}

function refused(
  scope: FailureScope,
  descriptions: Readonly<Record<number, string>>,
  more: Partial<ErrorMeaning> = {},
): [number, ErrorMeaning][] {
  return Object.entries(descriptions).map(([code, description]) => [Number(code), { scope, description, ...more }]);
}
