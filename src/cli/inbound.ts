/** `waxwing inbound show ID`: a message that a person sent. */
import { notFound } from "#src/core/problem.ts";
import { workspaceOfInbound } from "#src/domain/inbound/read.ts";
import { showInbound } from "#src/domain/inbound/view.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Command } from "./command.ts";
import { readCommand } from "./database-command.ts";
import { number, positional } from "./option.ts";
import { list } from "./output.ts";

export const commands: readonly Command[] = [
  readCommand(
    "inbound show",
    "Show a received message, as its event did, with its file",
    { id: positional(number("ID", "The received message's id, as in message.received")) },
    ({ id }) =>
      (tx) => {
        const workspaceId = workspaceOfInbound(tx, id);
        if (workspaceId === undefined) throw notFound("received message");
        const { details, ...shown } = showInbound(tx, getWorkspace(tx, workspaceId), id);
        const rows = {
          id,
          workspace: workspaceId,
          from: shown.from ?? undefined,
          to: shown.to,
          type: shown.type,
          text: shown.text ?? undefined,
          received: shown.received_at,
          ...(Object.keys(details).length === 0 ? {} : { details: JSON.stringify(details) }),
        };
        return { json: { workspace_id: workspaceId, ...shown, details }, text: list(rows) };
      },
  ),
];
