/** Mistakes in the configuration that keep every request from the network, or will. */
import { endOfVersion } from "./graph-versions.ts";
import type { Issue, IssueInput } from "./issue.ts";

const VERSION_AT_END = /\/v\d{1,3}\.\d{1,3}\/*$/;
const ENDS_SOON_MS = 90 * 24 * 60 * 60_000;
const VERSION_ENDED_CODE = "2635";

export function configurationIssue({ number, facts, settings, now }: IssueInput): Issue | null {
  if (number.provider !== "graph") return null;
  if (VERSION_AT_END.test(number.apiUrl ?? settings.graphUrl)) return doubledVersion(number, settings.graphUrl);
  const endsAt = endOfVersion(settings.apiVersion);
  const isOver = endsAt !== null && endsAt <= now;
  if (!isOver && facts.failure?.code !== VERSION_ENDED_CODE) return null;
  return {
    id: "graph_version_ended",
    level: "problem",
    check: "configuration",
    says: `Meta no longer serves ${settings.apiVersion} of its Graph API.`,
    next: `set [whatsapp] api_version = "v25.0" or a later one, and restart the server`,
    command: null,
    hits: "sending",
    isShared: true,
  };
}

/** The path would name a version twice, and the network answers that there is nothing. */
function doubledVersion({ id, apiUrl }: IssueInput["number"], graphUrl: string): Issue {
  const says = (what: string, url: string): string =>
    `${what} is ${url}, which already names a version; Waxwing adds the version itself, so every request goes to an address that does not exist.`;
  if (apiUrl !== null) {
    const url = apiUrl.replace(VERSION_AT_END, "");
    const command = `waxwing number update ${id} --api-url ${url}`;
    const about = { level: "problem", check: "configuration", hits: "sending" } as const;
    return { ...about, id: "url_with_version", says: says("The API address", apiUrl), next: command, command };
  }
  return {
    id: "url_with_version",
    level: "problem",
    check: "configuration",
    says: says("[whatsapp] graph_url", graphUrl),
    next: `set [whatsapp] graph_url = "${graphUrl.replace(VERSION_AT_END, "")}", and restart the server`,
    command: null,
    hits: "sending",
    isShared: true,
  };
}

export function versionWarning({ number, settings, now }: IssueInput): Issue[] {
  const endsAt = number.provider === "graph" ? endOfVersion(settings.apiVersion) : null;
  if (endsAt === null || endsAt > now + ENDS_SOON_MS) return [];
  return [
    {
      id: "graph_version_ends",
      level: "warning",
      check: "configuration",
      says: `Meta serves ${settings.apiVersion} of its Graph API until ${new Date(endsAt).toISOString().slice(0, 10)}.`,
      next: `read Meta's changelog, set [whatsapp] api_version = "v25.0" or a later one, and restart the server`,
      command: null,
      hits: null,
      isShared: true,
    },
  ];
}
