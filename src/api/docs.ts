/** The reference of the API, served from the executable itself: the document and a page that shows it. */
import { Elysia } from "elysia";
import { openApiText } from "./openapi.ts";

export function docsRoutes() {
  return new Elysia({ normalize: false })
    .get("/", () => new Response(null, { status: 302, headers: { location: "/docs" } }))
    .get("/docs/openapi.json", () => new Response(openApiText(), { headers: { "content-type": "application/json" } }));
}
