/** What is wrong with the server as a whole: the address that Meta calls, and callbacks that this version could not use. */
import { quoted } from "#src/core/foreign-text.ts";
import type { KeptCallbacks } from "#src/domain/inbound/callback-list.ts";
import type { ConnectionRules, Finding } from "./connection-rule.ts";

interface Address {
  publicUrl: string | null;
  verifyToken: string | null;
  /** The network verifies the address with a verify token before it uses it. */
  isVerified: boolean;
  /** It did so, with the token of a workspace. */
  wasVerified: boolean;
}

const ADDRESS = { level: "problem", check: "callback", hits: "receiving", isShared: true } as const;

/** Of the address as configured: the first one is the cause. */
export const addressRules: ConnectionRules<Address> = {
  no_public_url: {
    ...ADDRESS,
    evaluate: ({ publicUrl }) =>
      publicUrl === null &&
      "The server has no public address, so WhatsApp cannot deliver statuses or received messages.",
    next: "set [server] public_url to the public https address of this server, and restart it",
  },
  public_url_without_https: {
    ...ADDRESS,
    evaluate: ({ publicUrl }) =>
      publicUrl?.startsWith("https://") === false &&
      `WhatsApp calls https addresses only, and public_url is ${publicUrl}.`,
    next: "put TLS in front, or set [server] tls_cert and tls_key; then write public_url with https",
  },
  no_verify_token: {
    ...ADDRESS,
    evaluate: ({ verifyToken, isVerified, wasVerified }) =>
      isVerified &&
      verifyToken === null &&
      !wasVerified &&
      "There is no verify token, so Meta cannot verify the callback address.",
    next: "set [whatsapp] verify_token to a word of your choice, restart the server, and enter the same word in Meta's form",
  },
};

const KEPT = {
  quarantined: {
    says: (count: number) => `stopped the server three times and ${count === 1 ? "was" : "were"} put aside`,
    next: "read each for a STOP, and report it",
  },
  unreadable: {
    says: () => "could not be read",
    next: "upgrade Waxwing, or report it; then waxwing callback replay --state unreadable",
  },
  unhandled: {
    says: (count: number) => `${count === 1 ? "has" : "have"} items that this version does not handle`,
    next: "after an upgrade, waxwing callback replay --state unhandled; a field that you do not need can be unsubscribed in Meta's dashboard",
  },
} as const;

/** Callbacks whose bodies are kept until they can be applied. */
export function findKept(kept: readonly KeptCallbacks[]): Finding[] {
  return kept.map(({ state, count, reason }) => {
    const command = `waxwing callback list --state ${state}`;
    const callbacks = count === 1 ? "1 callback" : `${count} callbacks`;
    return {
      kind: `callbacks_${state}`,
      level: "warning",
      check: `${state} callbacks`,
      says: `${callbacks} ${KEPT[state].says(count)}. The newest: ${quoted(reason)}.`,
      next: `${command}; ${KEPT[state].next}`,
      ...{ command, isShared: true },
    };
  });
}
