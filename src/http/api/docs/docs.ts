/**
 * Serves the documentation from the executable: the reference, the guides, the same pages as Markdown, and the OpenAPI
 * document. Nothing is loaded from other hosts, and the pages read without JavaScript; the content security policy
 * enforces the first. Samples show this server's own address.
 */
import { Elysia } from "elysia";
import { openApiDocument, openApiText } from "../openapi/openapi.ts";
import { type Asset, AssetStore } from "./asset-store.ts";
import script from "./browser.js" with { type: "text" };
import { examples } from "./examples.ts";
import { explorerRoutes } from "./explorer.ts";
import { type Guide, guideMarkdown, guidePage, titleOf } from "./guide.ts";
import type { PageLink } from "./layout.ts";
import style from "./page.css" with { type: "text" };
import { referencePage } from "./page.ts";
import { guides } from "./pages.ts";
import { searchEntries } from "./search-index.ts";
import { llmsText, referenceMarkdown } from "./twin.ts";

export interface DocsOptions {
  /** Where the server is reached; null: wherever the request came. */
  publicUrl: string | null;
  /** Whether requests may be tried on a page: only with a simulated network. */
  hasExplorer: boolean;
  /** The key that this page is authorised with; null: the reader enters one. */
  explorerKey: string | null;
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // The empty icon keeps browsers from requesting one.
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";
const PLAIN = "text/plain; charset=utf-8";

export function docsRoutes(options: DocsOptions) {
  const routes = new Elysia({ normalize: false });
  const redirect = (from: string, location: string) =>
    routes.get(from, () => new Response(null, { status: 302, headers: { location } }));
  redirect("/", "/console");
  redirect("/docs/", "/docs");
  redirect("/docs/reference", "/docs");
  const store = new AssetStore(options.publicUrl, POLICY);
  for (const asset of assetsOf(options)) routes.get(asset.path, ({ request }) => store.answer(request, asset));
  if (options.hasExplorer) routes.use(explorerRoutes(options.publicUrl, options.explorerKey));
  return routes;
}

function assetsOf({ hasExplorer }: DocsOptions): Asset[] {
  const names = new Set(guides.map(({ name }) => name));
  const links: PageLink[] = [
    { path: "/docs", title: "API reference" },
    ...guides.map((guide) => ({ path: `/docs/${guide.name}`, title: titleOf(guide) })),
    ...(hasExplorer ? [{ path: "/docs/try", title: "Try requests" }] : []),
  ];
  const reference = () => referencePage(openApiDocument(), links);
  const page = (guide: Guide) => () => guidePage(guide, links, names);
  const search = () =>
    JSON.stringify([
      ...guides.flatMap((guide) => searchEntries(`/docs/${guide.name}`, page(guide)())),
      ...searchEntries("/docs", reference()),
    ]);
  return [
    { path: "/docs", contentType: HTML, make: reference },
    { path: "/docs/reference.md", contentType: MARKDOWN, make: () => referenceMarkdown(openApiDocument()) },
    ...guides.flatMap((guide): Asset[] => [
      { path: `/docs/${guide.name}`, contentType: HTML, make: page(guide) },
      { path: `/docs/${guide.name}.md`, contentType: MARKDOWN, make: () => guideMarkdown(guide, names) },
    ]),
    { path: "/llms.txt", contentType: PLAIN, make: () => llmsText(guides, openApiDocument()) },
    { path: "/docs/page.css", contentType: "text/css; charset=utf-8", make: () => style },
    { path: "/docs/page.js", contentType: "text/javascript; charset=utf-8", make: () => script },
    { path: "/docs/search.json", contentType: "application/json", make: search },
    // The same text everywhere, as `waxwing openapi` prints it.
    { path: "/docs/openapi.json", contentType: "application/json", make: openApiText, isVerbatim: true },
    ...Object.entries(examples).map(
      ([name, text]): Asset => ({
        path: `/docs/testing/${name}`,
        contentType: PLAIN,
        make: () => text,
        isVerbatim: true,
      }),
    ),
  ];
}
