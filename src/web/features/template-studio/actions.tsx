/** What a person does with a template that is there: correct it, copy it, write it in another language, delete it. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { useWorkspace } from "../../data/session.ts";
import { useChangeParameters } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/dialog.tsx";
import { Failed } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { Template } from "../templates/template-view.ts";
import { strings } from "./strings.ts";

const CORRECTABLE = ["APPROVED", "REJECTED", "PAUSED"];

type Start = "correction" | "copy" | "language";

export function TemplateActions({ template }: { template: Template }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const change = useChangeParameters("/w/$workspace/templates");
  const { press, isBusy, error } = usePress({ leaves: true });
  const begin = (as: Start) =>
    press(async (key) => {
      const input = { workspace: id, body: { from: { template: template.id, as } } };
      const draft = await request("POST /w/{workspace}/template-drafts", input, { key: `${key}-${as}` });
      await navigate({
        to: "/w/$workspace/templates/new",
        params: { workspace: String(id) },
        search: { draft: String(draft.id) },
      });
    });
  const isCorrectable = CORRECTABLE.includes(template.status);
  return (
    <div className="mb-6 flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        {isCorrectable && (
          <Button
            small
            tone={template.status === "REJECTED" ? "primary" : "plain"}
            busy={isBusy}
            onClick={() => void begin("correction")}
          >
            {strings.correct}
          </Button>
        )}
        <Button small busy={isBusy} onClick={() => void begin("copy")}>
          {strings.duplicate}
        </Button>
        <Button small busy={isBusy} onClick={() => void begin("language")}>
          {strings.addLanguage}
        </Button>
        {template.status !== "DISABLED" && (
          <ConfirmButton
            small
            tone="danger"
            title={strings.removeTitle(template.name, template.language)}
            action={strings.deleteAction}
            cancelLabel={strings.removeKeep}
            act={async (form) => {
              await request("DELETE /w/{workspace}/templates/{id}", { workspace: id, id: template.id }, { key: form });
              showToast(strings.removed);
              await change({ open: undefined });
              await client.invalidateQueries({ queryKey: ["templates", id] });
            }}
          >
            {strings.removeText}
          </ConfirmButton>
        )}
      </div>
      {error !== null && <Failed error={error} />}
    </div>
  );
}
