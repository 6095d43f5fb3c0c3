/**
 * A list: a table on wide screens, two-line cards on phones (who and state, then what and time), with the same markup.
 * Rows are links. Pages go by cursor; the cursors of previous pages are kept in the browser's history, so Back, reload
 * and "Newer" work.
 */
import { useLocation, useSearch } from "@tanstack/react-router";
import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight } from "lucide-react";
import { type ReactElement, type ReactNode, useRef } from "react";
import type { Parameters, Screen, ScreenWith } from "../app/routes.ts";
import type { Meta } from "../data/api.ts";
import { ParameterLink, useChangeParameters, useParameters } from "./address.tsx";
import { Button } from "./button.tsx";
import { useRowKeys } from "./keys.ts";

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ReactNode;
  /** The column's place in a phone's card. */
  phone: "who" | "state" | "what" | "time" | "hidden";
  isNumeric?: boolean;
  /** Its name in the parameter `sort`, where the list can be sorted by it. `isLatestFirst`: a first press sorts downwards. */
  sort?: { name: string; isLatestFirst?: boolean };
}

export interface ListProps<Row> {
  /** Accessible name of the list. */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string | number;
  /** Rows open in the panel of this screen: a row's link sets `?open=` to its key. */
  panelOf?: ScreenWith<"open">;
  /** For rows that open elsewhere: the link, to which the list adds these properties. */
  rowLink?: (row: Row, props: RowLinkProps) => ReactElement;
  /** The rows are outdated and newer ones are being fetched. */
  isStale?: boolean;
  /** Buttons at the end of a row. */
  actions?: (row: Row) => ReactNode;
  /** Adds a checkbox before each row. */
  selection?: ListSelection<Row>;
  /** The heads of columns sort the list. `usual`: its order without the parameter. */
  sorting?: { screen: ScreenWith<"sort">; usual: string };
}

interface RowLinkProps {
  "data-row": string | number;
  className: string;
  children: ReactNode;
}

interface ListSelection<Row> {
  /** Label of a row's checkbox: "Select Asha". */
  label: (row: Row) => string;
  isSelected: (row: Row) => boolean;
  toggle: (row: Row) => void;
  /** All matches are selected, so single rows cannot be toggled. */
  isLocked?: boolean;
}

const PHONE: Readonly<Record<Column<unknown>["phone"], string>> = {
  who: "max-mid:col-start-1 max-mid:row-start-1 max-mid:font-semibold",
  state: "max-mid:col-start-2 max-mid:row-start-1 max-mid:text-end",
  what: "max-mid:col-start-1 max-mid:row-start-2 max-mid:text-quiet",
  time: "whitespace-nowrap max-mid:col-start-2 max-mid:row-start-2 max-mid:text-end max-mid:text-quiet",
  hidden: "max-mid:hidden",
};

export function List<Row>(props: ListProps<Row>) {
  const { label, rows, columns, rowKey, panelOf, isStale = false, actions, selection, sorting } = props;
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const isOpen = (key: string | number): boolean => panelOf !== undefined && String(key) === String(search.open);
  const rowLink = props.rowLink ?? (panelOf === undefined ? undefined : panelLink(panelOf, rowKey));
  const body = useRef<HTMLTableSectionElement>(null);
  useRowKeys(body);
  return (
    <div
      className={`overflow-x-auto rounded-panel border border-line bg-surface transition-opacity ${isStale ? "opacity-60" : ""}`}
      aria-busy={isStale}
    >
      {/* Explicit roles: some browsers drop a table's role when it is displayed as a grid. */}
      <table role="table" aria-label={label} className="w-full border-collapse max-mid:block">
        <thead className="max-mid:sr-only">
          <tr>
            {selection !== undefined && (
              <th scope="col" className="border-b border-line py-2 ps-4">
                <span className="sr-only">Selected</span>
              </th>
            )}
            {columns.map((column) => (
              <ColumnHead key={column.head} column={column} sorting={sorting} />
            ))}
            {actions !== undefined && (
              <th scope="col" className="border-b border-line px-4 py-2">
                <span className="sr-only">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody ref={body} className="max-mid:block">
          {rows.map((row) => {
            const key = rowKey(row);
            return (
              <tr
                key={key}
                role="row"
                aria-current={isOpen(key) ? "true" : undefined}
                className={`relative border-b border-line last:border-b-0 max-mid:grid max-mid:grid-cols-[minmax(0,1fr)_auto] max-mid:gap-x-3 max-mid:gap-y-1 max-mid:px-4 max-mid:py-3 ${selection === undefined ? "" : "max-mid:ps-14!"} ${rowLink === undefined ? "" : "hover:bg-sunken"} ${isOpen(key) ? "bg-sunken" : ""}`}
              >
                {selection !== undefined && (
                  <td
                    role="cell"
                    className="w-11 ps-1 max-mid:absolute max-mid:inset-y-0 max-mid:start-1 max-mid:z-1 max-mid:p-0"
                  >
                    {/* Lies above the row's link and is large enough to tap. */}
                    <label className="relative z-1 flex size-11 items-center justify-center max-mid:h-full max-mid:w-12">
                      <input
                        type="checkbox"
                        aria-label={selection.label(row)}
                        className="size-4 accent-accent max-mid:size-5"
                        checked={selection.isSelected(row)}
                        disabled={selection.isLocked === true}
                        onChange={() => selection.toggle(row)}
                      />
                    </label>
                  </td>
                )}
                {columns.map(({ head, cell, phone, isNumeric }, index) => (
                  <td
                    key={head}
                    role="cell"
                    className={`h-11 min-w-0 px-4 py-2 max-mid:block max-mid:h-auto max-mid:p-0 ${isNumeric ? "figures mid:text-end" : ""} ${PHONE[phone]}`}
                  >
                    {index === 0 && rowLink !== undefined
                      ? rowLink(row, { "data-row": key, className: ROW_LINK, children: cell(row) })
                      : cell(row)}
                  </td>
                ))}
                {actions !== undefined && (
                  <td role="cell" className="relative px-4 py-1 text-end max-mid:col-span-2 max-mid:p-0">
                    {actions(row)}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface ColumnHeadProps {
  column: Pick<Column<never>, "head" | "isNumeric" | "sort">;
  sorting: ListProps<never>["sorting"];
}

function ColumnHead({ column: { head, isNumeric, sort }, sorting }: ColumnHeadProps) {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const align = isNumeric ? "text-end" : "";
  const className = `whitespace-nowrap border-b border-line px-4 py-2 text-label text-quiet ${align}`;
  if (sorting === undefined || sort === undefined) {
    return (
      <th scope="col" className={className}>
        {head}
      </th>
    );
  }
  const current = typeof search.sort === "string" ? search.sort : sorting.usual;
  const isUp = current === sort.name;
  const isDown = current === `-${sort.name}`;
  const isDownNext = isUp || (!isDown && sort.isLatestFirst === true);
  const next = isDownNext ? `-${sort.name}` : sort.name;
  const Arrow = isDown ? ArrowDown : ArrowUp;
  return (
    <th scope="col" className={className} aria-sort={isUp ? "ascending" : isDown ? "descending" : "none"}>
      <ParameterLink
        screen={sorting.screen}
        change={{ sort: next === sorting.usual ? undefined : next, after: undefined, open: undefined }}
        resetScroll={false}
        className="inline-flex min-h-8 items-center gap-1 text-quiet no-underline hover:text-ink"
      >
        {head}
        <Arrow aria-hidden size={14} className={isUp || isDown ? "" : "invisible"} />
      </ParameterLink>
    </th>
  );
}

/** Covers the whole row. */
const ROW_LINK = "font-semibold text-ink no-underline after:absolute after:inset-0";

function panelLink<Row>(screen: ScreenWith<"open">, rowKey: (row: Row) => string | number) {
  return (row: Row, props: RowLinkProps) => (
    <ParameterLink {...props} screen={screen} change={{ open: String(rowKey(row)) }} resetScroll={false} />
  );
}

interface Trail {
  trail?: string[];
}

interface PagerProps {
  screen: ScreenWith<"after">;
  meta: Meta;
  newer?: string;
  older?: string;
}

/** "Newer" and "Older" below a list that has more than one page. */
export function Pager({ screen, meta, newer = "Newer", older = "Older" }: PagerProps) {
  const change = useChangeParameters(screen);
  const { after } = useParameters(screen);
  const { trail = [] } = useLocation().state as Trail;
  if (after === undefined && !meta.has_more) return null;
  const go = (to: string | undefined, state: Trail) => {
    void change({ after: to, open: undefined }, { state });
    window.scrollTo({ top: 0 });
  };
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-between gap-3">
      <Button
        small
        disabled={after === undefined}
        onClick={() => go(trail.at(-1) || undefined, { trail: trail.slice(0, -1) })}
      >
        <ChevronLeft aria-hidden size={16} />
        {newer}
      </Button>
      <Button
        small
        disabled={meta.next === null}
        onClick={() => go(meta.next ?? undefined, { trail: [...trail, after ?? ""] })}
      >
        {older}
        <ChevronRight aria-hidden size={16} />
      </Button>
    </nav>
  );
}

interface FilterBarProps<At, Name, Value> {
  screen: At;
  label: string;
  /** The search parameter. */
  name: Name;
  choices: readonly { value: Value; label: string }[];
  /** On a phone it is moved sideways instead of taking several lines. */
  isOneLine?: boolean;
}

/** A row of choices: a filter stored in the address. */
export function FilterBar<At extends Screen, Name extends string & keyof Parameters<At>>(
  props: FilterBarProps<At, Name, Parameters<At>[Name]>,
): ReactNode;
export function FilterBar(props: FilterBarProps<Screen, string, string | undefined>) {
  const { screen, label, name, choices, isOneLine = false } = props;
  const search: Readonly<Record<string, unknown>> = useParameters(screen);
  return (
    <nav
      aria-label={label}
      className={`flex gap-2 ${isOneLine ? "mb-4 mid:flex-wrap max-mid:-mx-4 max-mid:mb-1 max-mid:w-[calc(100%+2rem)] max-mid:overflow-x-auto max-mid:px-4 max-mid:py-1 [&>a]:shrink-0" : "mb-4 flex-wrap"}`}
    >
      {choices.map(({ value, label: text }) => (
        <ParameterLink
          key={text}
          screen={screen}
          change={{ [name]: value, after: undefined, open: undefined }}
          aria-current={search[name] === value ? "true" : undefined}
          className={`inline-flex min-h-8 items-center rounded-control border px-3 font-semibold no-underline max-mid:min-h-11 ${search[name] === value ? "border-accent bg-green-tint text-green" : "border-line bg-surface text-ink hover:bg-sunken"}`}
        >
          {text}
        </ParameterLink>
      ))}
    </nav>
  );
}
