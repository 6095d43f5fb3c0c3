/** The hot statements of every request of the console: see `db/hot-statement.ts`. */
import { hotFind } from "#src/db/hot-table.ts";
import { memberships, sessions, users } from "./table.ts";

export const userById = hotFind(users, ["id"]);
export const membershipIn = hotFind(memberships, ["userId", "workspaceId"]);
export const sessionByHash = hotFind(sessions, ["hash"]);
