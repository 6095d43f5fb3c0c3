/** What an API key may do. A key without scopes may do everything, also what later versions add. Pure. */

/** In the order in which they are shown. The names are part of the interface and permanent. */
export const scopes = ["read", "send", "broadcast", "contacts", "templates"] as const;
export type Scope = (typeof scopes)[number];

/** What each scope allows: a sentence that follows its name. */
export const scopeDescriptions: Readonly<Record<Scope, string>> = {
  read: "Read everything that the workspace has, and change nothing.",
  send: "Send messages to one person each.",
  broadcast: "Preview, create and cancel broadcasts.",
  contacts: "Read, create and change contacts, record opt-outs, and list groups.",
  templates: "List templates.",
};

/** Whether a key with these scopes may do what any of `accepted` allows. `accepted` null: every key may. */
export function isAllowed(held: readonly Scope[] | null, accepted: readonly Scope[] | null): boolean {
  return held === null || accepted === null || accepted.some((scope) => held.includes(scope));
}
