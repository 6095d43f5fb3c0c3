/** Issues of the server as a whole: the address that Meta calls, and callbacks that this version could not use. */
import { quoted } from "#src/core/foreign-text.ts";
import type { KeptCallbacks } from "#src/domain/inbound/callback-list.ts";
import type { Issue } from "./issue.ts";

/**
 * The address as configured. `isVerified`: the network verifies it with a verify token before it uses it.
 * `wasVerified`: it did so, with the token of a workspace.
 */
export function addressIssues(settings: {
  publicUrl: string | null;
  verifyToken: string | null;
  isVerified: boolean;
  wasVerified: boolean;
}): Issue[] {
  const about = { level: "problem", check: "callback", command: null, hits: "receiving", isShared: true } as const;
  const { publicUrl, verifyToken, isVerified, wasVerified } = settings;
  if (publicUrl === null) {
    return [
      {
        ...{ ...about, id: "no_public_url" },
        says: "The server has no public address, so WhatsApp cannot deliver statuses or received messages.",
        next: "set [server] public_url to the public https address of this server, and restart it",
      },
    ];
  }
  if (!publicUrl.startsWith("https://")) {
    return [
      {
        ...{ ...about, id: "public_url_without_https" },
        says: `WhatsApp calls https addresses only, and public_url is ${publicUrl}.`,
        next: "put TLS in front, or set [server] tls_cert and tls_key; then write public_url with https",
      },
    ];
  }
  if (!isVerified || verifyToken !== null || wasVerified) return [];
  return [
    {
      ...{ ...about, id: "no_verify_token" },
      says: "There is no verify token, so Meta cannot verify the callback address.",
      next: "set [whatsapp] verify_token to a word of your choice, restart the server, and enter the same word in Meta's form",
    },
  ];
}

const KEPT = {
  quarantined: {
    says: (count: number) =>
      `${callbacks(count)} stopped the server three times and ${count === 1 ? "was" : "were"} put aside`,
    next: "read each for a STOP, and report it",
  },
  unreadable: {
    says: (count: number) => `${callbacks(count)} could not be read`,
    next: "upgrade Waxwing, or report it; then waxwing callback replay --state unreadable",
  },
  unhandled: {
    says: (count: number) =>
      `${callbacks(count)} ${count === 1 ? "has" : "have"} items that this version does not handle`,
    next: "after an upgrade, waxwing callback replay --state unhandled; a field that you do not need can be unsubscribed in Meta's dashboard",
  },
} as const;

/** Callbacks whose bodies are kept until they can be applied. */
export function keptIssues(kept: readonly KeptCallbacks[]): Issue[] {
  return kept.map(({ state, count, reason }) => {
    const command = `waxwing callback list --state ${state}`;
    return {
      id: `callbacks_${state}`,
      level: "warning",
      check: `${state} callbacks`,
      says: `${KEPT[state].says(count)}. The newest: ${quoted(reason)}.`,
      next: `${command}; ${KEPT[state].next}`,
      command,
      hits: null,
      isShared: true,
    };
  });
}

function callbacks(count: number): string {
  return count === 1 ? "1 callback" : `${count} callbacks`;
}
