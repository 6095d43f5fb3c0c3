/**
 * Renders the OpenAPI document as one page of plain HTML. The page runs no script: it opens at once, can be searched
 * and printed, works on a phone, and cannot leak a key.
 */
import type { OpenApiDocument } from "../openapi/document.ts";
import { type Html, html, markdown } from "./html.ts";
import { endpointSection, eventSection } from "./operation.ts";
import { schemaSection } from "./schema.ts";

export function referencePage(document: OpenApiDocument): string {
  const { info } = document;
  const groups = groupsOf(document);
  const introduction = markdown(info.description);
  const { schemas } = document.components;
  const navigation = html`<ul class="contents-list">
<li><a href="#top">Introduction</a><ul>${headingsOf(introduction).map(({ id, title }) => link(id, title))}</ul></li>
${groups.map(({ name, entries }) => html`<li><a href="#${anchor(name)}">${name}</a><ul>${entries.map(({ id, title }) => link(id, title))}</ul></li>`)}
<li><a href="#schemas">Schemas</a></li>
</ul>`;
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} ${info.version}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body id="top">
<nav class="side" aria-label="Contents">${navigation}</nav>
<main>
<header>
<h1>${info.title} <small>${info.version}</small></h1>
<p><a href="/docs/openapi.json">OpenAPI document</a> for code generators and API clients</p>
<details class="contents"><summary>Contents</summary>${navigation}</details>
</header>
<div class="introduction">${introduction}</div>
${groups.map(({ name, description, entries }) => {
  return html`<h2 id="${anchor(name)}">${name}</h2><p>${description}</p>${entries.map(({ section }) => section)}`;
})}
<h2 id="schemas">Schemas</h2>
<p>All fields are present unless marked optional.</p>
${Object.entries(schemas).map(([name, schema]) => schemaSection(name, schema, schemas))}
</main>
</body>
</html>`.text
  }\n`;
}

interface Group {
  name: string;
  description: string;
  entries: { id: string; title: string; section: Html }[];
}

function groupsOf(document: OpenApiDocument): Group[] {
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      id: operation.operationId,
      title: operation.summary,
      section: endpointSection(document, path, method, operation),
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

function headingsOf({ text }: Html): { id: string; title: string }[] {
  return [...text.matchAll(/<h2 id="([^"]+)">([^<]+)<\/h2>/g)].map(([, id = "", title = ""]) => ({ id, title }));
}

function link(id: string, title: string): Html {
  return html`<li><a href="#${id}">${title}</a></li>`;
}

/** The prefix avoids collisions with the introduction's headings. */
function anchor(tag: string): string {
  return `tag-${tag.toLowerCase()}`;
}
