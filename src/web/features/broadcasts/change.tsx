/** Changes a broadcast before its first message, or makes a new draft like it. Both open the wizard. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Output, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { ConfirmButton, Dialog } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/states.tsx";
import type { BroadcastDetail } from "./broadcast-view.ts";
import { strings } from "./strings.ts";

const WIZARD = "/w/$workspace/broadcasts/new";

type Duplicate = Output<"POST /w/{workspace}/broadcasts/{id}/duplicate">;

export function ChangeButton({ broadcast }: { broadcast: BroadcastDetail }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const params = { workspace: String(id) };
  if (broadcast.change_refusal !== null) return null;
  if (broadcast.change_draft !== null) {
    return (
      <ButtonLink
        tone="primary"
        to={WIZARD}
        params={params}
        search={{ draft: String(broadcast.change_draft), step: "check" }}
      >
        {strings.goOnChanging}
      </ButtonLink>
    );
  }
  return (
    <ConfirmButton
      small
      title={strings.changeTitle(broadcast.name)}
      action={strings.change}
      cancelLabel={strings.changeCancel}
      act={async (key) => {
        const path = { workspace: id, id: broadcast.id };
        const { draft } = await request("POST /w/{workspace}/broadcasts/{id}/change", path, { key });
        void client.invalidateQueries({ queryKey: ["broadcast", id, String(broadcast.id)] });
        void client.invalidateQueries({ queryKey: ["drafts", id] });
        await navigate({ to: WIZARD, params, search: { draft: String(draft), step: "check" } });
      }}
    >
      {strings.changeText}
    </ConfirmButton>
  );
}

export function DuplicateButton({ broadcast }: { broadcast: BroadcastDetail }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [made, setMade] = useState<Duplicate | null>(null);
  const params = { workspace: String(id) };
  const searchFor = ({ draft, gone }: Duplicate) => ({
    draft: String(draft),
    step: gone.includes("recipients") || gone.includes("group") ? ("people" as const) : ("check" as const),
  });
  return (
    <>
      <ConfirmButton
        small
        title={strings.duplicateTitle(broadcast.name)}
        action={strings.duplicate}
        cancelLabel={strings.duplicateCancel}
        act={async (key) => {
          const path = { workspace: id, id: broadcast.id };
          const copy = await request("POST /w/{workspace}/broadcasts/{id}/duplicate", path, { key });
          void client.invalidateQueries({ queryKey: ["drafts", id] });
          if (copy.gone.length > 0) setMade(copy);
          else await navigate({ to: WIZARD, params, search: searchFor(copy) });
        }}
      >
        {strings.duplicateText}
      </ConfirmButton>
      {made !== null && (
        <Dialog title={strings.duplicateGone} isOpen onClose={() => setMade(null)}>
          <ul className="flex flex-col gap-2">
            {made.gone.map((one) => (
              <li key={one}>
                <Notice>{strings.gone[one]}</Notice>
              </li>
            ))}
          </ul>
          <p className="mt-4">
            <ButtonLink tone="primary" to={WIZARD} params={params} search={searchFor(made)}>
              {strings.openDraft}
            </ButtonLink>
          </p>
        </Dialog>
      )}
    </>
  );
}
