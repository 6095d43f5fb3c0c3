/** Every endpoint of the API, in the order of the reference. */
import type { Endpoint } from "../endpoint.ts";
import {
  cancelBroadcastEndpoint,
  createBroadcastEndpoint,
  getBroadcastEndpoint,
  listBroadcastsEndpoint,
  listRecipientsEndpoint,
  previewBroadcastEndpoint,
} from "./routes/broadcasts.ts";
import { getContactEndpoint, listContactsEndpoint, optOutEndpoint, putContactEndpoint } from "./routes/contacts.ts";
import { getConversationEndpoint } from "./routes/conversation.ts";
import { listEventsEndpoint } from "./routes/events.ts";
import { listGroupsEndpoint } from "./routes/groups.ts";
import { listMessagesEndpoint } from "./routes/list-messages.ts";
import { getMeEndpoint } from "./routes/me.ts";
import { getMediaEndpoint } from "./routes/media.ts";
import { getMessageEndpoint, sendMessageEndpoint } from "./routes/messages.ts";
import { listOptOutsEndpoint } from "./routes/opt-outs.ts";
import { listTemplatesEndpoint } from "./routes/templates.ts";
import { getUsageEndpoint } from "./routes/usage.ts";

export const endpoints: readonly Endpoint[] = [
  getMeEndpoint,
  getUsageEndpoint,
  sendMessageEndpoint,
  listMessagesEndpoint,
  getMessageEndpoint,
  createBroadcastEndpoint,
  listBroadcastsEndpoint,
  previewBroadcastEndpoint,
  getBroadcastEndpoint,
  listRecipientsEndpoint,
  cancelBroadcastEndpoint,
  listContactsEndpoint,
  getContactEndpoint,
  putContactEndpoint,
  getConversationEndpoint,
  optOutEndpoint,
  listOptOutsEndpoint,
  listTemplatesEndpoint,
  listGroupsEndpoint,
  listEventsEndpoint,
  getMediaEndpoint,
];
