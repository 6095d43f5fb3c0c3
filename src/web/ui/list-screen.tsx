/** A list: loading, failed, empty, or its rows with the links to other pages. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ScreenWith } from "../app/routes.ts";
import type { Meta } from "../data/api.ts";
import { List, type ListProps, Pager } from "./list.tsx";
import { Loaded } from "./states.tsx";

interface ListScreenProps<Row> extends Omit<ListProps<Row>, "rows" | "isStale"> {
  /** Brings one page, or all rows where there are never many. */
  query: UseQueryResult<readonly Row[] | { data: readonly Row[]; meta: Meta }>;
  /** The screen whose address holds the page. Absent: the list has one page. */
  screen?: ScreenWith<"after">;
  newer?: string;
  older?: string;
  /** In place of the rows where there are none. */
  empty?: ReactNode;
  /** Between the filters and the rows. */
  above?: ReactNode;
}

export function ListScreen<Row>(props: ListScreenProps<Row>) {
  const { query, screen, newer = "Newer", older = "Older", empty, above, ...list } = props;
  return (
    <Loaded query={query}>
      {(answer) => {
        const rows = "meta" in answer ? answer.data : answer;
        return (
          <>
            {rows.length === 0 && empty}
            {rows.length > 0 && above}
            {rows.length > 0 && <List {...list} rows={rows} isStale={query.isPlaceholderData} />}
            {screen !== undefined && "meta" in answer && (
              <Pager screen={screen} meta={answer.meta} newer={newer} older={older} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}
