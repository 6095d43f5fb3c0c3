/**
 * A page of Markdown in two forms: HTML for people, Markdown for programs. A block of the language `http` is a request,
 * which both show in five languages. Links between the repository's pages become links below /docs.
 */
import { PREFIX } from "../../answer.ts";
import { Html, html, markdown } from "./html.ts";
import { contentsOf, layout, type PageLink } from "./layout.ts";
import { groupSamples, SampleGroups } from "./sample-group.ts";
import { type SampleRequest, samplesOf } from "./samples.ts";

/** Stands for this server's own address until a page is served. */
export const PLACEHOLDER = "https://waxwing.example.com";

export interface Guide {
  /** Its address is `/docs/{name}`, and `/docs/{name}.md`. */
  name: string;
  source: string;
}

export function titleOf({ source }: Guide): string {
  return /^# (.+)$/m.exec(source)?.[1] ?? "";
}

/** The first sentence. */
export function summaryOf({ source }: Guide): string {
  const [, paragraph = ""] = /^# .+\n+([\s\S]+?)\n\n/.exec(source) ?? [];
  const sentence = paragraph.replaceAll("\n", " ").replace(/\[([^\]]+)\]\([^)]+\)/g, "$1");
  return /^.*?[.](?= |$)/.exec(sentence)?.[0] ?? sentence;
}

export function guidePage(guide: Guide, pages: readonly PageLink[], names: ReadonlySet<string>): string {
  const text = markdown(withLinks(withRequests(guide.source), names, ""));
  const body = linkedHeadings(groupSamples(text, new SampleGroups(), (grouped) => new Html(grouped)));
  const path = `/docs/${guide.name}`;
  const contents = contentsOf(body);
  const title = titleOf(guide);
  return layout({ title, path, markdownPath: `${path}.md`, pages, contents, body: html`<article>${body}</article>` });
}

export function guideMarkdown({ source }: Guide, names: ReadonlySet<string>): string {
  return withLinks(withRequests(source), names, ".md");
}

/** A heading is a link to itself, to copy. */
export function linkedHeadings({ text }: Html): Html {
  return new Html(text.replace(/<(h[2-4]) id="([^"]+)">(.*?)<\/\1>/g, '<$1 id="$2"><a href="#$2">$3</a></$1>'));
}

export function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** Replaces each request by its samples. */
function withRequests(source: string): string {
  return source.replace(/^```http\n([\s\S]*?)^```$/gm, (_, block: string) =>
    samplesOf(readRequest(block))
      .map(({ language, text }) => fenced(language, text))
      .join("\n\n"),
  );
}

/** `POST /api/v1/messages`, then headers, then an empty line and the body's JSON, or `file=@NAME` for a form with a file. */
function readRequest(block: string): SampleRequest {
  const [head = "", ...rest] = block.trimEnd().split("\n\n");
  const [first = "", ...lines] = head.split("\n");
  const [method = "", path = ""] = first.split(" ");
  if (!path.startsWith(PREFIX)) throw new Error(`a request of the API begins with ${PREFIX}: ${first}`);
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/, 2)));
  const body = rest.join("\n\n");
  const request = { method, url: PLACEHOLDER + path, headers };
  const [, upload] = /^file=@(\S+)$/.exec(body) ?? [];
  if (upload !== undefined) return { ...request, upload };
  return body === "" ? request : { ...request, body: JSON.parse(body) as unknown };
}

/** Links to pages and files that are not served here become plain text. */
function withLinks(source: string, names: ReadonlySet<string>, ending: string): string {
  return source.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, text: string, target: string) => {
    const [, own] = target.split(`${PLACEHOLDER}/docs/`);
    if (own !== undefined) return `[${text}](/docs/${own}${ending})`;
    if (/^(https?:|#|\/)/.test(target)) return link;
    const [, example] = /examples\/(?:testing|action)\/([\w.-]+)$/.exec(target) ?? [];
    if (example !== undefined) return `[${text}](/docs/testing/${example})`;
    const [, name = "", anchor = ""] = /([\w-]+)\.md(#[\w-]+)?$/.exec(target) ?? [];
    return names.has(name) ? `[${text}](/docs/${name}${ending}${anchor})` : text;
  });
}
