/** What the list of contacts shows: the dialog of its filter, and that of its columns and order. */
import { useState } from "react";
import { may, useWorkspace } from "../../data/session.ts";
import { useChangeParameters, useParameters } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { inputClass, Tick } from "../../ui/field.tsx";
import { Loading, Notice } from "../../ui/states.tsx";
import { type FilterConditions, type FilterField, fromFilter, newCondition, toFilter } from "../groups/filter.ts";
import { FilterBuilder, LiveCount, useFilterFields } from "../groups/filter-builder.tsx";
import { type ContactColumn, FIRST_COLUMN, USUAL_COLUMNS, USUAL_SORT } from "./columns.tsx";
import { readFilter } from "./list-filter.ts";
import { SCREEN } from "./screen.ts";
import { strings } from "./strings.ts";

export function FilterDialog({ onClose }: { onClose: () => void }) {
  const fields = useFilterFields();
  return (
    <Dialog title={strings.filterTitle} isOpen onClose={onClose}>
      {fields === undefined ? <Loading /> : <FilterForm fields={fields} onClose={onClose} />}
    </Dialog>
  );
}

function FilterForm({ fields, onClose }: { fields: readonly FilterField[]; onClose: () => void }) {
  const workspace = useWorkspace();
  const change = useChangeParameters(SCREEN);
  const { filter: text } = useParameters(SCREEN);
  const [first] = fields;
  const known = text === undefined ? null : fromFilter(readFilter(text), fields);
  const [value, setValue] = useState<FilterConditions>(
    known ?? { match: "all", conditions: first === undefined ? [] : [newCondition(first)] },
  );
  const [isMissing, setIsMissing] = useState(false);
  const filter = toFilter(value, fields);
  const apply = async () => {
    if (filter === null) {
      setIsMissing(true);
      return;
    }
    onClose();
    await change({ filter: JSON.stringify(filter), after: undefined, open: undefined });
  };
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void apply();
      }}
    >
      {text !== undefined && known === null && <Notice>{strings.filterDeep}</Notice>}
      <FilterBuilder
        fields={fields}
        value={value}
        onChange={(changed) => {
          setValue(changed);
          setIsMissing(false);
        }}
      />
      {isMissing && (
        <p role="alert" className="text-red">
          {strings.filterUnfinished}
        </p>
      )}
      {may(workspace, "broadcasts") && <LiveCount filter={filter} />}
      <div className="flex flex-wrap gap-3">
        <Button type="submit" tone="primary">
          {strings.filterApply}
        </Button>
        {text !== undefined && (
          <Button
            onClick={() => {
              onClose();
              void change({ filter: undefined, after: undefined, open: undefined });
            }}
          >
            {strings.filterRemove}
          </Button>
        )}
      </div>
    </form>
  );
}

interface ColumnsDialogProps {
  all: readonly ContactColumn[];
  chosen: readonly ContactColumn[];
  onClose: () => void;
}

/** Acts at once: the list behind the dialog shows each choice. */
export function ColumnsDialog({ all, chosen, onClose }: ColumnsDialogProps) {
  const change = useChangeParameters(SCREEN);
  const { sort: sortThere = USUAL_SORT } = useParameters(SCREEN);
  // What the user chose. The address follows a moment later, and by then the user may have chosen again.
  const [own, setOwn] = useState<readonly string[] | null>(null);
  const [sort, setSort] = useState(sortThere);
  const names = own ?? chosen.map(({ id }) => id);
  const choose = (ids: readonly string[]) => {
    const isUsual = ids.length === USUAL_COLUMNS.length && USUAL_COLUMNS.every((id) => ids.includes(id));
    setOwn(ids);
    void change({ columns: isUsual ? undefined : ids.join(",") }, { replace: true, resetScroll: false });
  };
  const sortBy = (text: string) => {
    setSort(text);
    void change({ sort: text === USUAL_SORT ? undefined : text, after: undefined, open: undefined }, { replace: true });
  };
  const reset = () => {
    setOwn(USUAL_COLUMNS);
    setSort(USUAL_SORT);
    void change({ columns: undefined, sort: undefined, after: undefined }, { replace: true });
  };
  const isDown = sort.startsWith("-");
  const by = isDown ? sort.slice(1) : sort;
  return (
    <Dialog title={strings.columnsTitle} isOpen onClose={onClose}>
      <div className="flex flex-wrap gap-3">
        <label className="flex min-w-40 flex-1 flex-col gap-1 font-semibold">
          {strings.sortBy}
          <select
            className={`${inputClass} font-normal`}
            value={by}
            onChange={({ target }) => {
              const column = all.find(({ sort: known }) => known?.name === target.value);
              sortBy(column?.sort?.isLatestFirst === true ? `-${target.value}` : target.value);
            }}
          >
            {all.map(
              ({ head, sort: known }) =>
                known !== undefined && (
                  <option key={known.name} value={known.name}>
                    {head}
                  </option>
                ),
            )}
          </select>
        </label>
        <label className="flex min-w-40 flex-1 flex-col gap-1 font-semibold">
          {strings.direction}
          <select
            className={`${inputClass} font-normal`}
            value={isDown ? "down" : "up"}
            onChange={({ target }) => sortBy(target.value === "down" ? `-${by}` : by)}
          >
            <option value="up">{strings.up}</option>
            <option value="down">{strings.down}</option>
          </select>
        </label>
      </div>
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 font-semibold">{strings.columns}</legend>
        <div className="grid gap-x-6 mid:grid-cols-2">
          {all.map(({ id, head }) => (
            <Tick
              key={id}
              className="min-w-0 break-words"
              checked={names.includes(id)}
              disabled={id === FIRST_COLUMN}
              onChange={({ target }) => choose(target.checked ? [...names, id] : names.filter((one) => one !== id))}
            >
              {head}
            </Tick>
          ))}
        </div>
      </fieldset>
      <p className="text-label text-quiet mid:hidden">{strings.columnsOnPhone}</p>
      <div className="flex flex-wrap gap-3">
        <Button tone="primary" onClick={onClose}>
          {strings.done}
        </Button>
        <Button onClick={reset}>{strings.columnsReset}</Button>
      </div>
    </Dialog>
  );
}
