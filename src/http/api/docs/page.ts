/**
 * Renders the OpenAPI document as one page of plain HTML. It opens at once, can be searched and printed, works on a phone
 * and without JavaScript, and never sees a key.
 */
import type { OpenApiDocument } from "../openapi/document.ts";
import { linkedHeadings } from "./guide.ts";
import { type Html, html, markdown } from "./html.ts";
import { contentsLink, headingsOf, layout, type PageLink } from "./layout.ts";
import { endpointSection, eventSection } from "./operation.ts";
import { SampleGroups } from "./sample-group.ts";
import { schemaSection } from "./schema.ts";

export function referencePage(document: OpenApiDocument, pages: readonly PageLink[]): string {
  const { info } = document;
  const groups = groupsOf(document);
  const introduction = linkedHeadings(markdown(info.description));
  const { schemas } = document.components;
  const contents = html`<ul class="contents-list">
<li><a href="#top">Introduction</a><ul>${headingsOf(introduction).map(({ id, title }) => contentsLink(id, title))}</ul></li>
${groups.map(({ name, entries }) => html`<li><a href="#${anchor(name)}">${name}</a><ul>${entries.map(({ id, title }) => contentsLink(id, title))}</ul></li>`)}
<li><a href="#schemas">Schemas</a></li>
</ul>`;
  const body = html`<div class="reference"><header>
<h1>${info.title} <small>${info.version}</small></h1>
<p><a href="/docs/openapi.json">OpenAPI document</a> for code generators and API clients</p>
</header>
<div class="introduction">${introduction}</div>
${groups.map(({ name, description, entries }) => {
  return html`<h2 id="${anchor(name)}"><a href="#${anchor(name)}">${name}</a></h2><p>${description}</p>${entries.map(({ section }) => section)}`;
})}
<h2 id="schemas"><a href="#schemas">Schemas</a></h2>
<p>All fields are present unless marked optional.</p>
${Object.entries(schemas).map(([name, schema]) => schemaSection(name, schema, schemas))}</div>`;
  return layout({ title: info.title, path: "/docs", markdownPath: "/docs/reference.md", pages, contents, body });
}

interface Group {
  name: string;
  description: string;
  entries: { id: string; title: string; section: Html }[];
}

function groupsOf(document: OpenApiDocument): Group[] {
  const samples = new SampleGroups();
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      id: operation.operationId,
      title: operation.summary,
      section: endpointSection(document, { path, method, operation }, samples),
    })),
  );
  const events = Object.entries(document.webhooks).map(([type, { post }]) => ({
    tag: post.tags[0],
    id: post.operationId,
    title: type,
    section: eventSection(type, post, document.components.schemas),
  }));
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    entries: [...endpoints, ...events].filter(({ tag }) => tag === name),
  }));
}

/** The prefix avoids collisions with the introduction's headings. */
function anchor(tag: string): string {
  return `tag-${tag.toLowerCase()}`;
}
