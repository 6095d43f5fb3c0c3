/** `waxwing callback …`: what the network sent and this server could not use. */
import {
  type ListedCallback,
  listCallbacks,
  listedStates,
  REPLAYED_MAX,
  replayCallback,
  replayCallbacks,
  showCallback,
} from "#src/domain/inbound/callback-list.ts";
import type { Command } from "./command.ts";
import { readCommand, writeCommand } from "./database-command.ts";
import { choice, number, optionalPositional, positional, text } from "./option.ts";
import { list, listed } from "./output.ts";
import { UsageError } from "./usage-error.ts";

const LISTED = 100;
const LISTED_MAX = 10_000;
const state = choice(listedStates, "Only those of this state");

export const commands: readonly Command[] = [
  readCommand(
    "callback list",
    {
      summary: "List callbacks that had no effect, newest first",
      details:
        "refused: not signed, or not with our secret; kept for a week, the first thousand of a day one by one.\nunreadable, unhandled: stored, but an item could not be read or used; kept until it was applied, except items\nabout numbers and accounts that are not on this server. quarantined: an item stopped the server three times and is\nnot tried again.",
    },
    { state, limit: number("N", `Maximum number of callbacks (default: ${LISTED})`) },
    ({ state: of = null, limit = LISTED }) =>
      (tx) => {
        const found = listCallbacks(tx, of, Math.min(limit, LISTED_MAX)).map(view);
        const columns = ({ id, at, state, number_id: number, reason }: ReturnType<typeof view>) => ({
          id,
          at,
          state,
          number,
          reason,
        });
        return listed(found, columns, "Every callback had its effect.");
      },
  ),
  readCommand(
    "callback show",
    "Show a callback that had no effect, with its body",
    { id: positional(text("ID", "The callback's id")) },
    (values) => (tx) => {
      const { body, ...found } = showCallback(tx, values.id);
      const shown = { ...view(found), body };
      const { id, at, state: word, reason } = shown;
      const lines = list({ id: String(id), at, state: word, reason });
      return { json: shown, text: body === null ? `${lines}\n\nIts body was not stored.` : `${lines}\n\n${body}` };
    },
  ),
  writeCommand(
    "callback replay",
    {
      summary: "Apply stored callbacks again",
      details: `One callback, or up to ${REPLAYED_MAX} of a state, oldest first. A running server applies them at once. What had its effect\nbefore is not done twice.`,
    },
    { id: optionalPositional(text("ID", "The callback's id")), state },
    ({ id, state: of }) => {
      if ((id === undefined) === (of === undefined)) throw new UsageError("name an ID or a --state");
      if (of === "refused") throw new UsageError("refused callbacks were not stored; the network repeats them");
      return (tx) => {
        if (id !== undefined) replayCallback(tx, id);
        const replayed = id === undefined ? replayCallbacks(tx, of ?? "unhandled") : 1;
        const text = `${replayed} ${replayed === 1 ? "callback is" : "callbacks are"} applied again.`;
        return { json: { replayed }, text };
      };
    },
  ),
];

function view({ id, at, state: word, reason, numberId }: ListedCallback) {
  return { id, at: new Date(at).toISOString(), state: word, reason, number_id: numberId };
}
