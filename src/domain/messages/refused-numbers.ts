/** Numbers of which the network refuses messages for the number or the account, as the latest messages show. */
import { codesThat } from "./error-codes.ts";
import type { ErrorMeaning } from "./error-table.ts";

/** How many of the latest messages and requests are looked at. */
const LOOKED_AT = 1_000;

const sqlList = (holds: (meaning: ErrorMeaning) => boolean): string =>
  codesThat(holds)
    .map((code) => `'${code}'`)
    .join(", ");
const PAYMENT = sqlList(({ effect }) => effect === "payment_missing");
const EVERYTHING = sqlList(
  ({ scope, effect, mendsAfterMs }) =>
    (scope === "number" || scope === "account") && effect === undefined && mendsAfterMs === undefined,
);

/** Because the account's payment is not in order: what is not billed may be accepted meanwhile. */
export const PAYMENT_REFUSALS_SQL = `SELECT number_id
  FROM (SELECT number_id, error_code FROM messages ORDER BY id DESC LIMIT ${LOOKED_AT})
  WHERE error_code IN (${PAYMENT})
  UNION
  SELECT m.number_id
  FROM (SELECT send_token, code FROM provider_requests ORDER BY id DESC LIMIT ${LOOKED_AT}) AS r
    JOIN messages m ON m.send_token = r.send_token
  WHERE r.code IN (${PAYMENT})`;

/** With the code: for another reason, and nothing was accepted since. */
export const REFUSED_NUMBERS_SQL = `SELECT number_id, error_code, max(id) AS last
  FROM (SELECT id, number_id, error_code,
      max(iif(status IN ('sent', 'delivered', 'read'), id, 0)) OVER (PARTITION BY number_id) AS accepted
    FROM (SELECT id, number_id, error_code, status FROM messages ORDER BY id DESC LIMIT ${LOOKED_AT}))
  WHERE error_code IN (${EVERYTHING}) AND id > accepted
  GROUP BY number_id`;
