/** The readable page of a person's data: what a browser shows without a server, in light and dark. */
import type { Entry, PersonFile, Profile } from "./collect.ts";

const text = (value: unknown): string => Bun.escapeHTML(String(value));

const STYLE = `
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.5rem}
table{border-collapse:collapse;width:100%}
th{font-weight:500;text-align:start;width:12rem;opacity:.75}
th,td{padding:.3rem .6rem .3rem 0;vertical-align:top;border-bottom:1px solid #8884;overflow-wrap:anywhere}
.entry{border-inline-start:3px solid #888;padding:.2rem .8rem;margin:1rem 0}
.out{border-color:#0a7f6f}
.entry p{margin:.2rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
small{opacity:.75}`;

export function pageStart(workspace: string, madeAt: string, person: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Data about ${text(person)}</title><style>${STYLE}</style></head><body>
<h1>Data about ${text(person)}</h1>
<p>${text(workspace)} keeps this about you, as of ${text(madeAt)}. The file <a href="data.json">data.json</a> has all of it for programs.</p>
`;
}

export function profileSection({ profile, consent_log: changes }: Profile): string {
  const { consent, threads: _, people, fields, ...members } = profile;
  const rows = Object.entries({ ...members, ...fields }).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  const others = people.map(({ name, birthday }) => ["person", [name, birthday].filter(Boolean).join(", ")] as const);
  return `<h2>Profile</h2>${table([...rows, ...others])}
<h2>Consent: ${text(consent.status.replace("_", " "))}</h2>${table(
    changes.map(({ at, became, source, evidence }) => [at, `${became} (${source}) ${JSON.stringify(evidence)}`]),
  )}`;
}

function table(rows: readonly (readonly [string, unknown])[]): string {
  const cells = rows.map(([name, value]) => {
    const shown = Array.isArray(value) ? value.join(", ") : value;
    return `<tr><th scope="row">${text(name.replaceAll("_", " "))}</th><td dir="auto">${text(shown)}</td></tr>`;
  });
  return `<table>${cells.join("")}</table>\n`;
}

export const conversationStart = "<h2>Conversation, newest first</h2>\n";

export function entrySection(entry: Entry, files: readonly PersonFile[]): string {
  const isOut = entry.direction === "out";
  const links = files.map(({ name }) => `<p><a href="files/${encodeURIComponent(name)}">${text(name)}</a></p>`);
  const status = entry.status === null ? "" : `, ${entry.status}`;
  return `<div class="entry${isOut ? " out" : ""}"><small>${text(`${entry.at}: ${isOut ? "to you" : "from you"}, ${entry.type}${status}`)}</small><p dir="auto">${text(entry.text)}</p>${links.join("")}</div>\n`;
}

export function notesSection(notes: readonly { text: string; author: string; at: string }[], isFirst: boolean): string {
  const heading = isFirst ? "<h2>Notes of the staff</h2>" : "";
  return heading + table(notes.map((note) => [`${note.at}, ${note.author}`, note.text]));
}

export function filesSection(files: readonly PersonFile[]): string {
  if (files.length === 0) return "";
  const items = files.map(
    ({ name, bytes, direction }) =>
      `<li><a href="files/${encodeURIComponent(name)}">${text(name)}</a> <small>${bytes} bytes, ${direction === "in" ? "from you" : "to you"}</small></li>`,
  );
  return `<h2>Files</h2><ul>${items.join("\n")}</ul>\n`;
}

export const pageEnd = "</body></html>\n";
