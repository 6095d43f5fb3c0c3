/** Above the wizard: which broadcast the draft changes. */
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, textLink } from "../../ui/button.tsx";
import { Failed, Notice } from "../../ui/states.tsx";
import type { Draft } from "./draft.ts";
import { strings } from "./strings.ts";

/** Which broadcast the draft changes, and, once it has started, that it no longer can. */
export function Changing({ draft, changes }: { draft: Draft; changes: NonNullable<Draft["changes"]> }) {
  const { id, timezone } = useWorkspace();
  const client = useQueryClient();
  const { press, error } = usePress();
  const { refusal, send_at: at, name } = changes;
  const detach = async (key: string) => {
    await request("POST /w/{workspace}/drafts/{id}/detach", { workspace: id, id: draft.id }, { key });
    await client.invalidateQueries({ queryKey: ["draft", id, String(draft.id)] });
  };
  return (
    <div className="mb-6">
      <Notice tone={refusal === null ? "grey" : "amber"}>
        <span>{refusal === null ? strings.changing(name) : strings.notChangeable(refusal)}</span>
        {refusal === null && at !== null && (
          <span className="ms-1">
            {strings.changingTime(new Date(at).toLocaleString("en-GB", { timeZone: timezone }))}
          </span>
        )}
        <span className="mt-2 flex flex-wrap items-center gap-4">
          <Link
            to="/w/$workspace/broadcasts/$broadcast"
            params={{ workspace: String(id), broadcast: String(changes.id) }}
            className={textLink}
          >
            {strings.openBroadcast}
          </Link>
          {refusal !== null && (
            <Button small onClick={() => void press(detach)}>
              {strings.detach}
            </Button>
          )}
        </span>
      </Notice>
      {error !== null && <Failed error={error} />}
    </div>
  );
}
