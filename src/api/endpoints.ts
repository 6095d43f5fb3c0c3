/** Every endpoint of the API, in the order in which the reference shows them. */
import type { HandOverOptions } from "#src/workers/hand-over.ts";
import type { Endpoint } from "./endpoint.ts";
import { getMe } from "./routes/me.ts";
import { messageEndpoints } from "./routes/messages.ts";
import { listTemplatesEndpoint } from "./routes/templates.ts";

export function endpoints(handOver: HandOverOptions): Endpoint[] {
  return [getMe, ...messageEndpoints(handOver), listTemplatesEndpoint];
}
