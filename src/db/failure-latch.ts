/**
 * Stands between drizzle and the driver and remembers when the storage failed inside a group. SQLite ends the whole
 * transaction then, and an operation that caught the error and went on writing would commit row by row, without a
 * transaction and without anybody being told. So after a failure no statement of the group runs any more.
 */
import type BetterSqlite3 from "better-sqlite3";
import type { Client } from "./driver.ts";
import { isStorageFailure, StorageUnavailable } from "./failure.ts";

export class FailureLatch {
  readonly #client: Client;
  #isInGroup = false;
  #isTripped = false;
  #reason: unknown;

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

  /** True once nothing of this group can be committed any more. */
  get hasFailed(): boolean {
    return this.#isTripped || !this.#client.inTransaction;
  }

  trip(reason: unknown): void {
    if (!this.#isTripped) this.#reason = reason;
    this.#isTripped = true;
  }

  /** The first failure as what the group's promises reject with; whatever an operation made of it comes second. */
  toError(error?: unknown): StorageUnavailable {
    return new StorageUnavailable("the storage has failed and ended the transaction", { cause: this.#reason ?? error });
  }

  /** Throws `StorageUnavailable` when the group is lost. Only looks at what failed: it is asked before every statement. */
  requireIntact(): void {
    if (this.#isTripped) throw this.toError();
  }

  /** What drizzle calls on its client. */
  prepare(sql: string): BetterSqlite3.Statement {
    const statement = this.#client.prepare(withStablePlan(sql));
    statement.run = this.#guarded(statement, statement.run);
    statement.get = this.#guarded(statement, statement.get);
    statement.all = this.#guarded(statement, statement.all);
    return statement;
  }

  #guarded<Run extends (...parameters: unknown[]) => unknown>(statement: BetterSqlite3.Statement, run: Run): Run {
    const guarded = (...parameters: unknown[]): unknown => {
      this.requireIntact();
      try {
        return run.apply(statement, parameters);
      } catch (error) {
        if (this.#isInGroup && (isStorageFailure(error) || !this.#client.inTransaction)) this.trip(error);
        throw error;
      }
    };
    return guarded as Run;
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
