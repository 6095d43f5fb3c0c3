/** Step 1: the template. Templates that cannot be sent are listed too, disabled, with the reason. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { inputClass } from "../../ui/field.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { PhonePreview } from "../templates/phone-preview.tsx";
import { strings as templateStrings } from "../templates/strings.ts";
import { findBlocker, type Template, templateChip } from "../templates/template-view.ts";
import type { DraftContent } from "./draft.ts";
import { strings } from "./strings.ts";

interface Props {
  content: DraftContent;
  onChoose: (template: Template) => void;
  isBusy?: boolean;
}

export function TemplateStep({ content, onChoose, isBusy = false }: Props) {
  const { id } = useWorkspace();
  const [q, setQ] = useState("");
  const list = useQuery({
    ...reading("GET /w/{workspace}/templates", { workspace: id, query: { q: q.trim().toLowerCase() } }, [
      "templates",
      id,
      "wizard",
      q,
    ]),
    placeholderData: keepPreviousData,
  });
  const canSend = (template: Template): number => Number(findBlocker(template) === null);
  const rows = [...(list.data?.data ?? [])].sort((a, b) => canSend(b) - canSend(a));
  const isNone = list.data !== undefined && rows.length === 0;
  return (
    <>
      <label className="mb-4 block w-full mid:w-96">
        <span className="sr-only">{strings.templateSearch}</span>
        <input
          type="search"
          className={inputClass}
          placeholder={strings.templateSearch}
          value={q}
          onChange={({ target }) => setQ(target.value)}
        />
      </label>
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {isNone && (
        <Empty
          title={q === "" ? templateStrings.empty : templateStrings.notFound}
          action={
            <ButtonLink to="/w/$workspace/templates" params={{ workspace: String(id) }}>
              {strings.templatesLink}
            </ButtonLink>
          }
        />
      )}
      <ul className="grid gap-4 mid:grid-cols-2 wide:grid-cols-3">
        {rows.map((template) => {
          const blocker = findBlocker(template);
          const isChosen = template.name === content.template && template.language === content.language;
          const { label, tone } = templateChip(template.status);
          return (
            <li
              key={template.id}
              className={`flex flex-col gap-3 rounded-panel border bg-surface p-4 ${isChosen ? "border-accent" : "border-line"}`}
            >
              <div className="flex flex-wrap items-center gap-2">
                <h2 className="me-auto min-w-0 font-semibold">{template.name}</h2>
                <span className="text-label text-quiet">{template.language}</span>
                <Chip tone={tone}>{label}</Chip>
              </div>
              <PhonePreview template={template} />
              {blocker === null ? (
                <Button
                  className="mt-auto self-start"
                  tone={isChosen ? "primary" : "plain"}
                  aria-label={`${isChosen ? strings.chosen : strings.choose}: ${template.name} ${template.language}`}
                  disabled={isBusy}
                  onClick={() => onChoose(template)}
                >
                  {isChosen ? strings.chosen : strings.choose}
                </Button>
              ) : (
                <p className="mt-auto text-quiet">{blocker}</p>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
