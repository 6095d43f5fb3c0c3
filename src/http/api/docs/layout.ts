/** What every page of /docs has in common: the head, the list of pages, and the way to the same page as Markdown. */
import { type Html, type HtmlValue, html } from "./html.ts";

export interface PageLink {
  /** The address below the server's origin. */
  path: string;
  title: string;
}

interface Layout {
  title: string;
  /** The page's own address, and that of its Markdown. */
  path: string;
  markdownPath: string;
  /** Every page of /docs, in reading order. */
  pages: readonly PageLink[];
  /** Links within the page. */
  contents: Html;
  body: HtmlValue;
}

export function layout({ title, path, markdownPath, pages, contents, body }: Layout): string {
  const links = pages.map((page) => {
    const current = page.path === path ? html` aria-current="page"` : null;
    return html`<li><a href="${page.path}"${current}>${page.title}</a></li>`;
  });
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Waxwing</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/page.css">
<link rel="alternate" type="text/markdown" href="${markdownPath}">
<script src="/docs/page.js" defer></script>
</head>
<body id="top">
<a class="skip" href="#content">Skip to the text</a>
<nav class="side" aria-label="Documentation">
<div class="search"></div>
<ul class="pages">${links}</ul>
${contents}
</nav>
<main id="content" tabindex="-1">
<details class="contents"><summary>Contents</summary><ul class="pages">${links}</ul>${contents}</details>
${body}
<footer><p><a href="${markdownPath}">This page as Markdown</a> · <a href="/llms.txt">All pages for programs</a></p></footer>
</main>
</body>
</html>`.text
  }\n`;
}

/** The headings of a rendered text as a list of links to them. */
export function contentsOf(rendered: Html): Html {
  return html`<ul class="contents-list">${headingsOf(rendered).map(({ id, title }) => contentsLink(id, title))}</ul>`;
}

export function contentsLink(id: string, title: string): Html {
  return html`<li><a href="#${id}">${title}</a></li>`;
}

export function headingsOf({ text }: Html): { id: string; title: string }[] {
  return [...text.matchAll(/<h2 id="([^"]+)">(?:<a [^>]*>)?([^<]+)/g)].map(([, id = "", title = ""]) => ({
    id,
    title,
  }));
}
