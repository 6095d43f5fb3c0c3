/**
 * What an API key may do, one row for each scope. Endpoints name the scopes that open them. The console's bundle contains
 * this file, so it imports nothing.
 */

interface ScopeRow {
  label: string;
  /** What the scope allows: a sentence that follows its name. */
  description: string;
  /** Keys get the scope only where it is named. */
  isNamedOnly?: true;
}

/** In the order in which they are shown. The names are part of the interface and permanent. */
const table = {
  read: {
    label: "Read",
    description: "Read messages, broadcasts, contacts, events and billing; no conversation, note, search or webhook.",
  },
  send: { label: "Send messages", description: "Send messages to one person each, and read nothing." },
  broadcast: { label: "Broadcasts", description: "Preview, create and cancel broadcasts, and read nothing." },
  contacts: { label: "Contacts", description: "Read, create and change contacts, record opt-outs, and list groups." },
  templates: { label: "Templates", description: "List, submit, correct and delete templates." },
  inbox: {
    label: "Inbox",
    description: "Read the conversations with people, take them over, change their state, and write notes.",
    isNamedOnly: true,
  },
  draft: { label: "Drafts", description: "Prepare what a person then sends, and send nothing." },
  webhooks: { label: "Webhooks", description: "Manage the addresses that receive events.", isNamedOnly: true },
} as const satisfies Record<string, ScopeRow>;

export type Scope = keyof typeof table;

export const scopeRows: Readonly<Record<Scope, ScopeRow>> = table;
export const scopes = Object.keys(table) as Scope[];

/** What a key gets that is made without a list. The key stores it, so a scope of a later version is not added to it. */
export const defaultScopes: readonly Scope[] = scopes.filter((scope) => scopeRows[scope].isNamedOnly !== true);

/** Whether a key with these scopes may do what any of `accepted` allows. `accepted` null: every key may. */
export function isAllowed(held: readonly Scope[], accepted: readonly Scope[] | null): boolean {
  return accepted === null || accepted.some((scope) => held.includes(scope));
}
