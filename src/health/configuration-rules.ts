/** Mistakes in the configuration that keep every request from the network, or will. */
import type { ConnectionInput, ConnectionRules } from "./connection-rule.ts";
import { endOfVersion } from "./graph-versions.ts";

const VERSION_AT_END = /\/v\d{1,3}\.\d{1,3}\/*$/;
const ENDS_SOON_MS = 90 * 24 * 60 * 60_000;
const VERSION_ENDED_CODE = "2635";

const CONFIGURATION = { level: "problem", check: "configuration", hits: "sending", isShared: true } as const;
const LATER_VERSION = 'set [whatsapp] api_version = "v25.0" or a later one, and restart the server';

export const configurationRules: ConnectionRules = {
  /** The path would name a version twice, and the network answers that there is nothing. */
  url_with_version: {
    ...CONFIGURATION,
    evaluate({ number: { id, apiUrl, provider }, settings: { graphUrl } }) {
      const address = apiUrl ?? graphUrl;
      if (provider !== "graph" || !VERSION_AT_END.test(address)) return null;
      const url = address.replace(VERSION_AT_END, "");
      const command = `waxwing number update ${id} --api-url ${url}`;
      return {
        says: `${apiUrl === null ? "[whatsapp] graph_url" : "The API address"} is ${address}, which already names a version; Waxwing adds the version itself, so every request goes to an address that does not exist.`,
        ...(apiUrl === null
          ? { next: `set [whatsapp] graph_url = "${url}", and restart the server` }
          : { next: command, command, isShared: false }),
      };
    },
  },
  graph_version_ended: {
    ...CONFIGURATION,
    evaluate(input) {
      const { number, facts, settings, now } = input;
      const isOver = versionEnd(input) <= now || facts.failure?.code === VERSION_ENDED_CODE;
      if (number.provider !== "graph" || !isOver) return null;
      return `Meta no longer serves ${settings.apiVersion} of its Graph API.`;
    },
    next: LATER_VERSION,
  },
};

export const versionRules: ConnectionRules = {
  graph_version_ends: {
    ...{ ...CONFIGURATION, level: "warning", hits: null },
    evaluate(input) {
      const endsAt = versionEnd(input);
      if (endsAt > input.now + ENDS_SOON_MS) return null;
      const day = new Date(endsAt).toISOString().slice(0, 10);
      return `Meta serves ${input.settings.apiVersion} of its Graph API until ${day}.`;
    },
    next: `read Meta's changelog, ${LATER_VERSION}`,
  },
};

/** Milliseconds; infinite: it has not been announced, or the provider has versions of its own. */
function versionEnd({ number, settings }: ConnectionInput): number {
  return (number.provider === "graph" ? endOfVersion(settings.apiVersion) : null) ?? Number.POSITIVE_INFINITY;
}
