/**
 * Stands between drizzle and the driver and remembers when the storage failed inside a group. SQLite ends the whole
 * transaction then, and an operation that caught the error and went on writing would commit row by row, without a
 * transaction and without anybody being told. So after a failure no statement of the group runs any more.
 */
import type BetterSqlite3 from "better-sqlite3";
import type { Client } from "./driver.ts";
import { isStorageFailure, StorageUnavailable } from "./failure.ts";

export class Guard {
  readonly #client: Client;
  #isInGroup = false;
  #isLost = false;
  #reason: unknown;

  constructor(client: Client) {
    this.#client = client;
  }

  beginGroup(): void {
    this.#isInGroup = true;
    this.#isLost = false;
    this.#reason = undefined;
  }

  endGroup(): void {
    this.#isInGroup = false;
    this.#isLost = false;
  }

  /** True once nothing of this group can be committed any more. */
  get isLost(): boolean {
    return this.#isLost || !this.#client.inTransaction;
  }

  lose(reason: unknown): void {
    if (!this.#isLost) this.#reason = reason;
    this.#isLost = true;
  }

  /** The first failure as what the group's promises reject with; whatever an operation made of it comes second. */
  failure(error?: unknown): StorageUnavailable {
    return new StorageUnavailable("the storage has failed and ended the transaction", { cause: this.#reason ?? error });
  }

  /** Throws `StorageUnavailable` when the group is lost. Only looks at what failed: it is asked before every statement. */
  requireGroup(): void {
    if (this.#isLost) throw this.failure();
  }

  /** What drizzle calls on its client. */
  prepare(sql: string): BetterSqlite3.Statement {
    const statement = this.#client.prepare(withStablePlan(sql));
    statement.run = this.#watched(statement, statement.run);
    statement.get = this.#watched(statement, statement.get);
    statement.all = this.#watched(statement, statement.all);
    return statement;
  }

  #watched<Run extends (...parameters: unknown[]) => unknown>(statement: BetterSqlite3.Statement, run: Run): Run {
    const watched = (...parameters: unknown[]): unknown => {
      this.requireGroup();
      try {
        return run.apply(statement, parameters);
      } catch (error) {
        if (this.#isInGroup && (isStorageFailure(error) || !this.#client.inTransaction)) this.lose(error);
        throw error;
      }
    };
    return watched as Run;
  }
}

/**
 * The driver clears the bindings after every call, and SQLite (built with STAT4, as the driver's is) then throws the
 * plan away if it thinks that a bound value could make a better one: so it does for many a `column = ?` and for every
 * `LIMIT ?`, and each call pays for parser and planner, 10 µs and more. A unary plus hides the parameter from the
 * planner and changes nothing else: the comparison still has the column's affinity, and an index is still used.
 */
function withStablePlan(text: string): string {
  return text.replace(/(=|\blimit|\boffset) \?/gi, "$1 +?");
}
