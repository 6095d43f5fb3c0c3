/** `waxwing callback …`: what the network sent and this server could not use. */
import {
  type ListedCallback,
  type ListedState,
  listCallbacks,
  listedStates,
  REPLAYED_MAX,
  replayCallback,
  replayCallbacks,
  showCallback,
} from "#src/domain/inbound/callback-list.ts";
import { type Command, command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { UsageError } from "./failure.ts";
import { choice, number, optionalPositional, positional, text } from "./option.ts";
import { list, table } from "./output.ts";

const LISTED = 100;
const LISTED_MAX = 10_000;
const state = choice(listedStates, "Only those of this state");

export const commands: readonly Command[] = [
  command(
    "callback list",
    {
      summary: "List callbacks that had no effect, newest first",
      details:
        "refused: not signed, or not with our secret; kept for a week, the first thousand of a day one by one.\nunreadable, unhandled: stored, but an item could not be read or used; kept until it was applied, except items\nabout numbers and accounts that are not on this server. quarantined: an item stopped the server three times and is\nnot tried again.",
    },
    {
      state,
      limit: number("N", `Maximum number of callbacks (default: ${LISTED})`),
    },
    (context, values) =>
      withDatabase(context, "read", ({ store }) => {
        const limit = Math.min(values.limit ?? LISTED, LISTED_MAX);
        const found = store.read((tx) => listCallbacks(tx, (values.state as ListedState | undefined) ?? null, limit));
        const shown = found.map(view);
        const rows = shown.map(({ id, at, state: word, number_id, reason }) => [id, at, word, number_id ?? "", reason]);
        return {
          json: shown,
          text: table(["id", "at", "state", "number", "reason"], rows, "Every callback had its effect."),
        };
      }),
  ),
  command(
    "callback show",
    "Show a callback that had no effect, with its body",
    {
      id: positional(text("ID", "The callback's id")),
    },
    (context, values) =>
      withDatabase(context, "read", ({ store }) => {
        const { body, ...found } = store.read((tx) => showCallback(tx, values.id));
        const shown = { ...view(found), body };
        const { id, at, state: word, reason } = shown;
        const lines = list({ id: String(id), at, state: word, reason });
        return { json: shown, text: body === null ? `${lines}\n\nIts body was not stored.` : `${lines}\n\n${body}` };
      }),
  ),
  command(
    "callback replay",
    {
      summary: "Apply stored callbacks again",
      details: `One callback, or up to ${REPLAYED_MAX} of a state, oldest first. A running server applies them at once. What had its effect\nbefore is not done twice.`,
    },
    {
      id: optionalPositional(text("ID", "The callback's id")),
      state,
    },
    (context, { id, state: of }) => {
      if ((id === undefined) === (of === undefined)) throw new UsageError("name an ID or a --state", "callback replay");
      if (of === "refused")
        throw new UsageError("refused callbacks were not stored; the network repeats them", "callback replay");
      return withDatabase(context, "write", async ({ store }) => {
        const replayed = await store.write((tx) => {
          if (id !== undefined) replayCallback(tx, id);
          return id === undefined ? replayCallbacks(tx, (of ?? "unhandled") as Exclude<ListedState, "refused">) : 1;
        });
        return {
          json: { replayed },
          text: `${replayed} ${replayed === 1 ? "callback is" : "callbacks are"} applied again.`,
        };
      });
    },
  ),
];

function view({ id, at, state: word, reason, numberId }: ListedCallback) {
  return { id, at: new Date(at).toISOString(), state: word, reason, number_id: numberId };
}
