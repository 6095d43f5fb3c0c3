/** What changed between two versions, read from the changelog that a release has: plain headings and lists of Markdown. */
import { compareVersions } from "./compare-versions.ts";

export interface VersionNotes {
  version: string;
  /** As the changelog writes it, such as `2026-11-28`; null: it gives none. */
  date: string | null;
  groups: { title: string | null; items: string[] }[];
}

/** Of a changelog that grew for years; the newest come first. */
const VERSIONS_MAX = 50;
const HEADING = /^## (\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.]{1,40})?)(?: [–-] (.{1,40}))?$/;

/** The sections of versions newer than `installed`, up to `released`, newest first. */
export function notesSince(changelog: string, installed: string, released: string): VersionNotes[] {
  const all: VersionNotes[] = [];
  for (const line of changelog.split("\n")) {
    const heading = HEADING.exec(line);
    if (heading !== null) all.push({ version: heading[1] ?? "", date: heading[2] ?? null, groups: [] });
    else if (line.startsWith("## ")) break;
    else addLine(all.at(-1), line);
  }
  return all
    .filter(({ version }) => compareVersions(version, installed) > 0 && compareVersions(version, released) <= 0)
    .slice(0, VERSIONS_MAX);
}

/** Text before the first version is about the changelog itself. */
function addLine(notes: VersionNotes | undefined, line: string): void {
  if (notes === undefined) return;
  const title = /^#{3,4} (.+)$/.exec(line)?.[1];
  if (title !== undefined) {
    // A heading of groups, which has no items of its own, gives way to the first of them.
    if (notes.groups.at(-1)?.items.length === 0) notes.groups.pop();
    notes.groups.push({ title, items: [] });
    return;
  }
  const text = line.trim();
  if (text === "") return;
  if (notes.groups.length === 0) notes.groups.push({ title: null, items: [] });
  const items = notes.groups.at(-1)?.items ?? [];
  const last = items.length - 1;
  if (line.startsWith("- ")) items.push(text.slice(2));
  else if (last >= 0) items[last] += ` ${text}`;
  else items.push(text);
}
