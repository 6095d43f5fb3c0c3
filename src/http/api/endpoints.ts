/** Every endpoint of the API, in the order of the reference. */
import { Problem } from "#src/core/problem.ts";
import { type Endpoint, PREFIX } from "../endpoint.ts";
import {
  cancelBroadcastEndpoint,
  createBroadcastEndpoint,
  getBroadcastEndpoint,
  listBroadcastsEndpoint,
  listRecipientsEndpoint,
  previewBroadcastEndpoint,
} from "./routes/broadcasts.ts";
import { getContactEndpoint, listContactsEndpoint, optOutEndpoint, putContactEndpoint } from "./routes/contacts.ts";
import { putContactsEndpoint } from "./routes/contacts-put-many.ts";
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
  putContactsEndpoint,
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

/** For a method and a path that no endpoint has. A path that another method has names the methods. */
export function noSuchEndpoint(method: string, pathname: string): Problem {
  const path = pathname.slice(PREFIX.length);
  const methods = endpoints.filter((endpoint) => matches(endpoint.path, path)).map((endpoint) => endpoint.method);
  if (methods.length === 0) return new Problem("not_found", "There is nothing at this address.");
  const listed = methods.join(" and ");
  return new Problem("not_found", `There is nothing at this address for ${method}. It answers to ${listed}.`, {
    methods,
  });
}

function matches(template: string, path: string): boolean {
  const [names, parts] = [template.split("/"), path.split("/")];
  return names.length === parts.length && names.every((name, index) => isPart(name, parts[index] ?? ""));
}

function isPart(name: string, part: string): boolean {
  return name.startsWith("{") ? part !== "" : name === part;
}
