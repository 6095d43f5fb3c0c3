/** Saved views of the list: the choice of one, what is gone of it, and the dialog that saves, changes or deletes one. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import type { Parameters } from "../../app/routes.ts";
import { type Entry, reading, request } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { useChangeParameters, useParameters } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { inputClass, SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { FIRST_COLUMN, USUAL_COLUMNS } from "./columns.tsx";
import { readFilter } from "./list-filter.ts";
import { SCREEN } from "./screen.ts";
import { strings } from "./view-strings.ts";

type View = Entry<"GET /w/{workspace}/contact-views">;
type Shown = Parameters<typeof SCREEN>;

/** What a view keeps of the address. */
const KEPT = ["q", "consent", "group", "filter", "sort", "columns"] as const;

const NOTHING: Shown = {
  ...{ q: undefined, consent: undefined, group: undefined, filter: undefined, sort: undefined },
  ...{ columns: undefined, view: undefined, after: undefined, open: undefined },
};

function useViews() {
  const { id } = useWorkspace();
  return useQuery(reading("GET /w/{workspace}/contact-views", { workspace: id }, ["contact-views", id]));
}

/** What a view sets in the address. */
function parametersOf({ id, search, columns }: View): Shown {
  const { q, consent, group, filter, sort } = search;
  const isUsual = columns.length === USUAL_COLUMNS.length && USUAL_COLUMNS.every((name) => columns.includes(name));
  return {
    ...NOTHING,
    ...{ q, consent: consent as Shown["consent"], group, sort, view: String(id) },
    filter: filter === undefined ? undefined : JSON.stringify(filter),
    columns: isUsual ? undefined : columns.join(","),
  };
}

/** What the address sets, for the server. */
function viewContentOf({ q, consent, group, filter, sort, columns }: Shown) {
  const search = { q, consent, group, sort, filter: filter === undefined ? undefined : readFilter(filter) };
  return {
    search: Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as View["search"],
    columns: columns === undefined ? [...USUAL_COLUMNS] : [...new Set([FIRST_COLUMN, ...columns.split(",")])],
  };
}

function isAsSaved(view: View, shown: Shown): boolean {
  const saved = parametersOf(view);
  return KEPT.every((name) => saved[name] === shown[name]);
}

export function Views() {
  const shown = useParameters(SCREEN);
  const change = useChangeParameters(SCREEN);
  const views = useViews();
  const [isSaving, setIsSaving] = useState(false);
  const all = views.data ?? [];
  const chosen = all.find(({ id }) => String(id) === shown.view);
  const isBare = KEPT.every((name) => shown[name] === undefined);
  // An address that names the view alone, as one passes it on.
  useEffect(() => {
    if (chosen !== undefined && isBare && !isAsSaved(chosen, shown))
      void change(parametersOf(chosen), { replace: true });
  }, [chosen, isBare, shown, change]);
  const isChanged = chosen === undefined ? !isBare : !isAsSaved(chosen, shown);
  return (
    <>
      <label className="flex items-center gap-2 max-mid:w-full">
        <span className="shrink-0 whitespace-nowrap text-quiet">{strings.view}</span>
        <select
          className={`${inputClass} mid:min-h-8 mid:w-64 mid:py-1`}
          value={chosen === undefined ? "" : String(chosen.id)}
          onChange={({ target }) => {
            const next = all.find(({ id }) => String(id) === target.value);
            void change(next === undefined ? NOTHING : parametersOf(next));
          }}
        >
          <option value="">{strings.everybody}</option>
          <ViewOptions label={strings.own} views={all.filter(({ is_own: isOwn }) => isOwn)} />
          <ViewOptions label={strings.shared} views={all.filter(({ is_own: isOwn }) => !isOwn)} />
        </select>
      </label>
      {(isChanged || chosen !== undefined) && (
        <Button small tone="quiet" onClick={() => setIsSaving(true)}>
          {chosen !== undefined && !isChanged ? strings.edit : strings.save}
        </Button>
      )}
      {chosen !== undefined && isChanged && (
        <Button small tone="quiet" onClick={() => void change(parametersOf(chosen))}>
          {strings.undo}
        </Button>
      )}
      {chosen !== undefined && chosen.gone.length > 0 && (
        <div className="w-full">
          <Notice>
            {strings.gone} {chosen.gone.join(" ")} {strings.goneRest}
          </Notice>
        </div>
      )}
      {isSaving && <SaveView chosen={chosen} onClose={() => setIsSaving(false)} />}
    </>
  );
}

function ViewOptions({ label, views }: { label: string; views: readonly View[] }) {
  if (views.length === 0) return null;
  return (
    <optgroup label={label}>
      {views.map(({ id, name, is_shared: isShared, is_own: isOwn }) => (
        <option key={id} value={String(id)}>
          {isShared && isOwn ? `${name} (${strings.isShared})` : name}
        </option>
      ))}
    </optgroup>
  );
}

function SaveView({ chosen, onClose }: { chosen: View | undefined; onClose: () => void }) {
  const workspace = useWorkspace();
  const { id } = workspace;
  const client = useQueryClient();
  const shown = useParameters(SCREEN);
  const change = useChangeParameters(SCREEN);
  const [isRemoving, setIsRemoving] = useState(false);
  const mayShare = may(workspace, "broadcasts");
  const changeable = chosen !== undefined && (chosen.is_own || mayShare) ? chosen : undefined;
  const form = useForm({
    defaultValues: {
      as: changeable === undefined ? "new" : "same",
      name: changeable?.name ?? "",
      is_shared: changeable?.is_shared === true ? "shared" : "own",
    },
  });
  const refresh = () => client.invalidateQueries({ queryKey: ["contact-views", id] });
  return (
    <Dialog title={changeable === undefined ? strings.saveTitle : strings.editTitle} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={strings.saveAction}
        onSend={async ({ as, name, is_shared: sharing }, key) => {
          const body = { name, is_shared: mayShare && sharing === "shared", ...viewContentOf(shown) };
          const view =
            as === "same" && changeable !== undefined
              ? await request(
                  "PUT /w/{workspace}/contact-views/{id}",
                  { workspace: id, id: changeable.id, body },
                  { key },
                )
              : await request("POST /w/{workspace}/contact-views", { workspace: id, body }, { key });
          await refresh();
          showToast(strings.saved);
          onClose();
          await change(parametersOf(view), { replace: true });
        }}
        beside={
          changeable !== undefined && (
            <Button tone="danger" onClick={() => setIsRemoving(true)}>
              {strings.remove}
            </Button>
          )
        }
      >
        <p className="text-quiet">{strings.saveText}</p>
        {changeable !== undefined && (
          <SelectField
            form={form}
            name="as"
            label={strings.saveAs}
            choices={[
              { value: "same", label: strings.saveSame(changeable.name) },
              { value: "new", label: strings.saveNew },
            ]}
          />
        )}
        <TextField form={form} name="name" label={strings.name} autoComplete="off" />
        {mayShare && (
          <SelectField
            form={form}
            name="is_shared"
            label={strings.who}
            choices={[
              { value: "own", label: strings.whoOwn },
              { value: "shared", label: strings.whoShared },
            ]}
          />
        )}
      </Form>
      {changeable !== undefined && (
        <Confirm
          isOpen={isRemoving}
          title={strings.removeTitle(changeable.name)}
          action={strings.removeAction}
          cancelLabel={strings.removeCancel}
          onClose={() => setIsRemoving(false)}
          act={async (key) => {
            await request("DELETE /w/{workspace}/contact-views/{id}", { workspace: id, id: changeable.id }, { key });
            await refresh();
            showToast(strings.removed);
            onClose();
            await change({ view: undefined }, { replace: true });
          }}
        >
          {changeable.is_shared ? strings.removeShared : strings.removeOwn}
        </Confirm>
      )}
    </Dialog>
  );
}
