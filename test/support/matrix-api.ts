/** A request of every endpoint of the API. `test/api/matrix.test.ts` fails for an endpoint that has none. */
import type { Asked } from "./matrix-console.ts";
import type { Objects } from "./matrix-objects.ts";

type ApiRecipe = (side: Objects) => Asked | Promise<Asked>;

/** A request of every endpoint that succeeds with the workspace's own key. */
export const apiRecipes: Readonly<Record<string, ApiRecipe>> = {
  "GET /me": () => ({}),
  "POST /messages": (side) => ({ body: side.sending() }),
  "GET /messages": () => ({}),
  "GET /messages/{id}": ({ message }) => ({ id: message }),
  "POST /broadcasts": (side) => ({ body: side.broadcasting() }),
  "GET /broadcasts": () => ({}),
  "POST /broadcasts/preview": (side) => ({ body: side.broadcasting() }),
  "GET /broadcasts/{id}": ({ sentBroadcast }) => ({ id: sentBroadcast }),
  "GET /broadcasts/{id}/recipients": ({ sentBroadcast }) => ({ id: sentBroadcast }),
  "POST /broadcasts/{id}/cancel": async (side) => ({ id: await side.scheduledBroadcast() }),
  "GET /contacts": () => ({}),
  "PUT /contacts": ({ phone }) => ({ body: { contacts: [{ phone, name: "Asha" }] } }),
  "GET /contacts/{phone}": ({ phone }) => ({ id: phone }),
  "PUT /contacts/{phone}": ({ phone }) => ({ id: phone, body: { name: "Asha" } }),
  "GET /contacts/{phone}/conversation": ({ phone }) => ({ id: phone }),
  "POST /contacts/{phone}/opt-out": (side) => ({ id: side.freePhone() }),
  "GET /opt-outs": () => ({}),
  "GET /templates": () => ({}),
  "GET /groups": () => ({}),
  "GET /events": () => ({}),
  "GET /usage": () => ({}),
  "GET /media/{id}": ({ medium }) => ({ id: medium }),
};
