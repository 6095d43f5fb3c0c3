/** The beginning of a draft: what the message is for. */
import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useId, useState } from "react";
import { type Body, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, textLink } from "../../ui/button.tsx";
import { FieldFrame, inputClass } from "../../ui/field.tsx";
import { Page } from "../../ui/page.tsx";
import { Failed } from "../../ui/states.tsx";
import { firstContent } from "./content.ts";
import { useApproved } from "./hints.tsx";
import { LibraryStart } from "./library.tsx";
import { strings } from "./strings.ts";

export type Category = keyof typeof strings.categories;
export const CATEGORIES = Object.keys(strings.categories) as Category[];

/** Nothing is stored before a category is chosen. */
export function NewDraft() {
  const { id } = useWorkspace();
  const navigate = useNavigate();
  const { press, isBusy, error } = usePress({ leaves: true });
  const begin = (body: Body<"POST /w/{workspace}/template-drafts">, of: string) =>
    press(async (key) => {
      const input = { workspace: id, body };
      const draft = await request("POST /w/{workspace}/template-drafts", input, { key: `${key}-${of}` });
      const search = { draft: String(draft.id) };
      await navigate({ from: "/w/$workspace/templates/new", to: ".", search, replace: true });
    });
  return (
    <Page title={strings.title} lead={strings.lead} isNarrow>
      <BackLink />
      {error !== null && <Failed error={error} />}
      <h2 className="mb-3 text-section font-semibold">{strings.start}</h2>
      <div className="flex flex-col gap-3">
        {CATEGORIES.map((category) => (
          <button
            key={category}
            type="button"
            disabled={isBusy}
            onClick={() => void begin({ content: { ...firstContent(category) } }, category)}
            className="rounded-panel border border-edge bg-surface p-4 text-start hover:bg-sunken"
          >
            <strong className="block font-semibold">{strings.categories[category].label}</strong>
            <span className="text-quiet">{strings.categories[category].means}</span>
          </button>
        ))}
      </div>
      <LibraryStart isBusy={isBusy} onChoose={(content, of) => void begin({ content }, `library-${of}`)} />
      <StartFrom isBusy={isBusy} onChoose={(id) => void begin({ from: { template: id, as: "copy" } }, String(id))} />
    </Page>
  );
}

/** The words of an approved template are known to pass: a copy of one is a good beginning. */
function StartFrom({ isBusy, onChoose }: { isBusy: boolean; onChoose: (template: number) => void }) {
  const id = useId();
  const [chosen, setChosen] = useState("");
  const approved = useApproved();
  const known = approved.data?.data ?? [];
  if (known.length === 0) return null;
  return (
    <div className="mt-8 flex flex-wrap items-end gap-3">
      <div className="min-w-60 flex-1">
        <FieldFrame id={id} label={strings.startFrom} error={undefined}>
          <select id={id} className={inputClass} value={chosen} onChange={({ target }) => setChosen(target.value)}>
            <option value="">{strings.startFromNone}</option>
            {known.map((template) => (
              <option key={template.id} value={template.id}>
                {template.name} · {template.language}
              </option>
            ))}
          </select>
        </FieldFrame>
      </div>
      <Button busy={isBusy} disabled={chosen === ""} onClick={() => onChoose(Number(chosen))}>
        {strings.startFromAction}
      </Button>
    </div>
  );
}

export function BackLink() {
  const { id } = useWorkspace();
  return (
    <Link
      to="/w/$workspace/templates"
      params={{ workspace: String(id) }}
      className={`${textLink} mb-4 inline-flex items-center gap-1`}
    >
      <ArrowLeft aria-hidden size={16} />
      {strings.back}
    </Link>
  );
}
