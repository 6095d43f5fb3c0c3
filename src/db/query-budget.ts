/**
 * Interrupts long queries. The driver cannot stop a statement from outside, and ending its thread does not end the
 * statement, so a query that may scan many rows calls `within_budget()` now and then. The function throws when the
 * query has had its time.
 */
/** A query took longer than its reader allows. */
export class QueryOverBudget extends Error {
  override readonly name = "QueryOverBudget";
  readonly budgetMs: number;

  constructor(budgetMs: number) {
    super(`the query took longer than ${budgetMs} ms`);
    this.budgetMs = budgetMs;
  }
}

/** One row in this many asks for the time. A power of two. */
const ROWS_PER_QUESTION = 64;

/**
 * A condition that is true for every row, for the WHERE of a scan. `id`: a column of integers that differ from row to
 * row. Cheap: most rows only test the integer.
 */
export function withinBudget(id: string): string {
  return `((${id} & ${ROWS_PER_QUESTION - 1}) <> 0 OR within_budget())`;
}
