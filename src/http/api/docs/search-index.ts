/** What the search of /docs looks through: every section of every page, with its address and its words. */

import { unescaped } from "./html.ts";

interface SearchEntry {
  /** The heading. */
  title: string;
  /** The page's title. */
  page: string;
  url: string;
  text: string;
}

/** Longer texts are cut: the words that matter stand at the beginning of a section. */
const TEXT_MAX = 700;

export function searchEntries(path: string, page: string): SearchEntry[] {
  const title = /<title>(.*?) – Waxwing<\/title>/.exec(page)?.[1] ?? "";
  const main = page.slice(page.indexOf("<main"), page.indexOf("<footer>"));
  const parts = main.split(/(?=<(?:h[1-3]|section)[ >])/);
  return parts.flatMap((part) => {
    const [, heading] = /<h[1-3][^>]*>([\s\S]*?)<\/h[1-3]>/.exec(part) ?? [];
    if (heading === undefined) return [];
    const id = / id="([^"]+)"/.exec(part.slice(0, part.indexOf("</h")))?.[1];
    const hash = /<a href="(#[^"]+)"/.exec(heading)?.[1] ?? (id === undefined ? "" : `#${id}`);
    const text = textOf(part).toLowerCase().slice(0, TEXT_MAX);
    return [{ title: textOf(heading), page: title, url: path + hash, text }];
  });
}

function textOf(part: string): string {
  const plain = part
    .replace(/<pre[\s\S]*?<\/pre>/g, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return unescaped(plain);
}
