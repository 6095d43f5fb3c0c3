/**
 * Marks of quick-reply buttons: a person of the workspace says what pressing a button means. An opt-in button lifts an
 * opt-out like START; a title that only holds an opt-out word, such as "Non-stop deals", is marked as a way to stop or as
 * none. A title that is an opt-out word opts out whatever the mark.
 */
import { invalidRequest, notFound, quote } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { type ButtonMark, buttonMarkOf } from "../workspaces/button-marks.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { readCommand } from "../workspaces/read-command.ts";
import type { Workspace } from "../workspaces/table.ts";
import { setButtonMarks } from "../workspaces/update.ts";
import { findTemplate } from "./read.ts";
import { quickReplies } from "./way-out.ts";

const MARKS_MAX = 1_000;

/** `meaning`: null removes the mark. Throws `not_found` and `invalid_request`. */
export function markButton(
  tx: Tx,
  workspaceId: number,
  { template, language, title, meaning }: Omit<ButtonMark, "meaning"> & { meaning: ButtonMark["meaning"] | null },
): Workspace {
  const workspace = getWorkspace(tx, workspaceId);
  const found = findTemplate(tx, workspaceId, template, language);
  if (found === undefined) throw notFound("template");
  const titles = found.components.flatMap(quickReplies);
  if (!titles.includes(title)) {
    const known = titles.length === 0 ? "none" : titles.map(quote).join(", ");
    throw invalidRequest({ button: [`The template has no quick-reply button ${quote(title)}; it has ${known}.`] });
  }
  const command = readCommand(title, workspace);
  if (meaning !== null && meaning !== "opt_out" && (command === "stop" || command === "ambiguous")) {
    throw invalidRequest({ button: [`${quote(title)} is an opt-out word: pressing it opts out.`] });
  }
  const others = workspace.buttonMarks.filter((mark) => mark !== buttonMarkOf(workspace, template, language, title));
  if (others.length >= MARKS_MAX) throw invalidRequest({ button: [`There are ${MARKS_MAX} marks already.`] });
  return setButtonMarks(tx, workspaceId, [
    ...others,
    ...(meaning === null ? [] : [{ template, language, title, meaning }]),
  ]);
}
