/**
 * Sits between the statements of operations and the driver, and remembers that the storage failed inside a group.
 * SQLite then ends the whole transaction. An operation that caught the error and kept writing would commit row by row,
 * outside any transaction and unnoticed. After a failure, therefore, the latch runs no further statement of the group.
 */
import type BetterSqlite3 from "better-sqlite3";
import type { Client } from "./driver.ts";
import { isStorageFailure, StorageUnavailable } from "./failure.ts";

export class FailureLatch {
  readonly #client: Client;
  #isInGroup = false;
  #isTripped = false;
  #reason: unknown;
  /** How many statements that can write were run; tells whether an operation has written anything. */
  writeCount = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  beginGroup(): void {
    this.#isInGroup = true;
    this.#isTripped = false;
    this.#reason = undefined;
  }

  endGroup(): void {
    this.#isInGroup = false;
    this.#isTripped = false;
  }

  /** True once the group can no longer be committed. */
  get hasFailed(): boolean {
    return this.#isTripped || !this.#client.inTransaction;
  }

  trip(reason: unknown): void {
    if (!this.#isTripped) this.#reason = reason;
    this.#isTripped = true;
  }

  /**
   * The error with which the group's promises reject. Its cause is the first storage failure, or `error` if none was
   * recorded.
   */
  toError(error?: unknown): StorageUnavailable {
    return new StorageUnavailable("the storage failed, and SQLite ended the transaction", {
      cause: this.#reason ?? error,
    });
  }

  /** Throws `StorageUnavailable` if the group is lost. Runs before every statement, so it only checks a flag. */
  requireIntact(): void {
    if (this.#isTripped) throw this.toError();
  }

  /** The same connection; each statement prepared on it runs through this latch. */
  guardedClient(): Client {
    const prepare = (sql: string): BetterSqlite3.Statement => this.#prepare(sql);
    return new Proxy(this.#client, {
      get: (client, name) => (name === "prepare" ? prepare : Reflect.get(client, name, client)),
    });
  }

  #prepare(sql: string): BetterSqlite3.Statement {
    const statement = this.#client.prepare(sql);
    statement.run = this.#guarded(statement, statement.run);
    statement.get = this.#guarded(statement, statement.get);
    statement.all = this.#guarded(statement, statement.all);
    return statement;
  }

  #guarded<Run extends (...parameters: unknown[]) => unknown>(statement: BetterSqlite3.Statement, run: Run): Run {
    const { readonly: isReading } = statement;
    const guarded = (...parameters: unknown[]): unknown => {
      this.requireIntact();
      if (!isReading) this.writeCount += 1;
      try {
        // Hot statements pass all their values in one array.
        return parameters.length === 1 ? run.call(statement, parameters[0]) : run.apply(statement, parameters);
      } catch (error) {
        if (this.#isInGroup && (isStorageFailure(error) || !this.#client.inTransaction)) this.trip(error);
        throw error;
      }
    };
    return guarded as Run;
  }
}
