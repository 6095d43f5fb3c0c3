/**
 * What the search of /docs looks through: every section of every page, with its address and its words, and every row of a
 * table that has an address of its own, such as an error code.
 */

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
  const sections = parts.flatMap((part) => {
    const [, heading] = /<h[1-3][^>]*>([\s\S]*?)<\/h[1-3]>/.exec(part) ?? [];
    if (heading === undefined) return [];
    const id = / id="([^"]+)"/.exec(part.slice(0, part.indexOf("</h")))?.[1];
    const hash = /<a href="(#[^"]+)"/.exec(heading)?.[1] ?? (id === undefined ? "" : `#${id}`);
    const text = textOf(part).toLowerCase().slice(0, TEXT_MAX);
    return [{ title: textOf(heading), page: title, url: path + hash, text }];
  });
  const rows = [...main.matchAll(/<tr>(?:(?!<\/tr>)[\s\S])*?<span id="([^"]+)">([\s\S]*?)<\/span>[\s\S]*?<\/tr>/g)];
  return [
    ...sections,
    ...rows.map(([row, id = "", name = ""]) => {
      const codes = textOf(name);
      const text = `${textOf(row)} ${numbersOf(codes)}`.toLowerCase().slice(0, TEXT_MAX);
      return { title: codes, page: title, url: `${path}#${id}`, text };
    }),
  ];
}

/** Every number of a range such as `200–299`: readers search for theirs. */
function numbersOf(codes: string): string {
  const [, first, last] = /^(\d+)–(\d+)$/.exec(codes) ?? [];
  if (first === undefined || last === undefined) return "";
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index).join(" ");
}

function textOf(part: string): string {
  const plain = part
    .replace(/<pre[\s\S]*?<\/pre>/g, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return unescaped(plain);
}
