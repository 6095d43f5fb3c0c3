/** What is searched for in the inbox, as its address says it. */
import { useCallback } from "react";
import type { Parameters } from "../../app/routes.ts";
import type { Entry } from "../../data/api.ts";
import { useChangeParameters, useParameters } from "../../ui/address.tsx";

export const SCREEN = "/w/$workspace/inbox";

export type Hit = Entry<"GET /w/{workspace}/search">;

const FILTERS = ["from", "number", "tag", "kind", "since", "until", "file"] as const;

/** Without them, the inbox shows conversations. */
export const NO_SEARCH = {
  ...{ q: undefined, find: undefined, from: undefined, number: undefined, tag: undefined, kind: undefined },
  ...{ since: undefined, until: undefined, file: undefined },
} as const satisfies Parameters<typeof SCREEN>;

export function useInboxSearch() {
  const parameters = useParameters(SCREEN);
  const change = useChangeParameters(SCREEN);
  const filterCount = FILTERS.filter((name) => parameters[name] !== undefined).length;
  const close = useCallback(() => void change(NO_SEARCH), [change]);
  const open = useCallback(() => void change({ find: "on" }), [change]);
  const asks = parameters.q !== undefined || filterCount > 0;
  return { filterCount, asks, isOpen: asks || parameters.find !== undefined, open, close };
}

/** For `/`, and for the way back from the results. */
export function focusSearch(): boolean {
  const field = document.querySelector<HTMLElement>("input[type=search]");
  if (field?.checkVisibility() !== true) return false;
  field.focus();
  return true;
}
