/** Every migration in order, embedded as text. A release only ever adds to this list. */
import foundation from "../../migrations/0001_foundation.sql" with { type: "text" };
import people from "../../migrations/0002_people.sql" with { type: "text" };
import broadcasts from "../../migrations/0003_broadcasts.sql" with { type: "text" };
import trust from "../../migrations/0004_trust.sql" with { type: "text" };
import network from "../../migrations/0005_network.sql" with { type: "text" };
import console from "../../migrations/0006_console.sql" with { type: "text" };
import inbox from "../../migrations/0007_inbox.sql" with { type: "text" };
import invitations from "../../migrations/0008_invitations.sql" with { type: "text" };
import refusedCallbacks from "../../migrations/0009_refused_callbacks.sql" with { type: "text" };

export interface Migration {
  /** The file's number; the database remembers the last one in `user_version`. */
  version: number;
  name: string;
  sql: string;
}

export const migrations: readonly Migration[] = [
  { version: 1, name: "foundation", sql: foundation },
  { version: 2, name: "people", sql: people },
  { version: 3, name: "broadcasts", sql: broadcasts },
  { version: 4, name: "trust", sql: trust },
  { version: 5, name: "network", sql: network },
  { version: 6, name: "console", sql: console },
  { version: 7, name: "inbox", sql: inbox },
  { version: 8, name: "invitations", sql: invitations },
  { version: 9, name: "refused_callbacks", sql: refusedCallbacks },
];
