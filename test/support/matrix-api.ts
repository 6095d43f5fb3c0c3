/**
 * A request of every endpoint of the API that succeeds with the workspace's own key. Of an endpoint that the console
 * has too, it is the console's. `test/api/matrix.test.ts` fails for an endpoint that has none.
 */
import { apiEndpoints, consoleEndpoints } from "#src/http/endpoints/endpoints.ts";
import { type Asked, recipes } from "./matrix-console.ts";
import type { Objects } from "./matrix-objects.ts";

type ApiRecipe = (side: Objects) => Asked | Promise<Asked>;

const ofKeysAlone: Readonly<Record<string, ApiRecipe>> = {
  "POST /broadcasts/preview": (side) => ({ body: side.broadcasting() }),
  "PUT /contacts": ({ phone }) => ({ body: { contacts: [{ phone, name: "Asha" }] } }),
  "GET /contacts/{phone}/conversation": ({ phone }) => ({ id: phone }),
  "GET /conversations": () => ({}),
  "GET /conversations/{conversation}": ({ conversation }) => ({ id: conversation }),
  "POST /templates": (side) => ({ body: parcel(side.name("written")) }),
  "POST /templates/check": (side) => ({ body: parcel(side.name("checked")) }),
  "PUT /templates/{name}/{language}": async (side) => {
    const { name, language, ...content } = parcel(await added(side));
    return { id: [name, language], body: content };
  },
  "DELETE /templates/{name}/{language}": async (side) => ({ id: [await added(side), "en_US"] }),
  "DELETE /templates/{name}": async (side) => ({ id: await added(side) }),
  "GET /inbounds/{id}": ({ inbound }) => ({ id: inbound }),
  "GET /opt-outs": () => ({}),
  "GET /events": () => ({}),
};

/** A template of its own words: WhatsApp takes the same ones once. */
function parcel(name: string) {
  const components = [{ type: "BODY", text: `Your parcel ${name} is at the door.` }];
  return { name, language: "en_US", category: "UTILITY", components };
}

async function added(side: Objects): Promise<string> {
  const name = side.name("added");
  await side.app.template(side.workspace, { ...parcel(name), components: [{ type: "BODY", text: "Before." }] });
  return name;
}

function ofBoth({ method, path }: (typeof apiEndpoints)[number]): [string, ApiRecipe][] {
  const name = `${method} /w/{workspace}${path}`;
  const recipe = recipes[name];
  const isOfConsole = consoleEndpoints.some((one) => `${one.method} ${one.path}` === name);
  if (recipe === undefined || !isOfConsole) return [];
  if (path === "/search") return [["GET /search", () => ({ query: "q=hello" })]];
  if (path === "/network-changes") {
    return [[`GET ${path}`, ({ workspace }) => ({ query: `number=${encodeURIComponent(workspace.number ?? "")}` })]];
  }
  // What only the console's query has is not asked for.
  return [
    [
      `${method} ${path}`,
      async (side) => {
        const { query: _, ...asked } = await recipe(side, side.operator);
        return asked;
      },
    ],
  ];
}

export const apiRecipes: Readonly<Record<string, ApiRecipe>> = {
  ...ofKeysAlone,
  ...Object.fromEntries(apiEndpoints.flatMap(ofBoth)),
};

/** The body of a request: a form or a file where one is asked for, else JSON. */
export function bodyOf(method: string, asked: Asked): { body?: unknown; headers?: Record<string, string> } {
  if (method === "GET") return {};
  if (asked.isFile === true) return { body: asked.body, headers: { "content-type": "application/octet-stream" } };
  if (asked.formFile === undefined) return { body: asked.body ?? {} };
  const part = 'content-disposition: form-data; name="file"; filename="a.txt"';
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  return { body: `--b\r\n${part}\r\n\r\n${asked.formFile}\r\n--b--\r\n`, headers };
}
