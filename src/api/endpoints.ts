/** Every endpoint of the API, in the order in which the reference shows them. */
import type { Endpoint } from "./endpoint.ts";
import { getMeEndpoint } from "./routes/me.ts";
import { getMessageEndpoint, sendMessageEndpoint } from "./routes/messages.ts";
import { listTemplatesEndpoint } from "./routes/templates.ts";

export const endpoints: readonly Endpoint[] = [
  getMeEndpoint,
  sendMessageEndpoint,
  getMessageEndpoint,
  listTemplatesEndpoint,
];
