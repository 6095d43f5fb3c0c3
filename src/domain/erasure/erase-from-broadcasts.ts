/** What broadcasts keep of a person beside the rows of their recipients. */
import { updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { getBroadcast } from "../broadcasts/read.ts";
import { broadcasts } from "../broadcasts/table.ts";
import type { BroadcastValue, BroadcastVariables } from "../broadcasts/values.ts";
import { getCounters } from "../messages/adjust-counters.ts";
import { mapValues } from "../messages/given-values.ts";
import { ERASED } from "../messages/message.ts";
import { broadcastCounters } from "../messages/table.ts";

/**
 * The network's words about a refusal may name the person by one of `names`. The values of a broadcast to one person
 * alone are that person's; those of any other are the workspace's.
 */
export function eraseFromBroadcast(tx: Tx, id: number, names: readonly string[]): void {
  const isNamed = (text: string | null | undefined): boolean => names.some((name) => text?.includes(name) === true);
  const { refusalMessage, reportedRefusal, refusals } = getCounters(tx, id);
  const inCounters = {
    ...(isNamed(refusalMessage) ? { refusalMessage: ERASED } : {}),
    ...(reportedRefusal !== null && isNamed(reportedRefusal.message)
      ? { reportedRefusal: { ...reportedRefusal, message: ERASED } }
      : {}),
    ...(refusals?.some(({ failure }) => isNamed(failure.message)) === true
      ? {
          refusals: refusals.map(({ failure, count }) => ({
            failure: isNamed(failure.message) ? { ...failure, message: ERASED } : failure,
            count,
          })),
        }
      : {}),
  };
  if (Object.keys(inCounters).length > 0) updateRows(tx, broadcastCounters, { broadcastId: id }, inCounters);
  const { statusReason, groupId, requested, variables } = getBroadcast(tx, id);
  const inBroadcast = {
    ...(isNamed(statusReason) ? { statusReason: ERASED } : {}),
    ...(groupId === null && requested === 1
      ? { variables: withoutTexts(variables), mediaFilename: null, parts: null }
      : {}),
  };
  if (Object.keys(inBroadcast).length > 0) updateRows(tx, broadcasts, { id }, inBroadcast);
}

/** As many values as before. */
function withoutTexts(variables: BroadcastVariables): BroadcastVariables {
  const empty = (value: BroadcastValue): BroadcastValue => {
    if ("text" in value) return { text: ERASED };
    return { ...value, fallback: value.fallback === null ? null : ERASED };
  };
  return { isList: variables.isList, ...mapValues(variables, empty) };
}
