/** Every migration in order, embedded as text. A release only ever adds to this list. */
import initial from "../../migrations/0001_initial.sql" with { type: "text" };

export interface Migration {
  /** The file's number; the database remembers the last one in `user_version`. */
  version: number;
  name: string;
  sql: string;
}

export const migrations: readonly Migration[] = [{ version: 1, name: "initial", sql: initial }];
