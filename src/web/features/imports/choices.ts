/**
 * What the user decides about a file. Each choice is stored on the server at once, so that it survives a reload and the
 * page shows how the server now reads the file.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import type { ImportDetail } from "./import-view.ts";

export type Choices = ImportDetail["choices"];

export interface ChoicesOf {
  /** The job with what the user chose, whether or not the server has stored it. */
  shown: ImportDetail;
  choices: Choices;
  save: (changes: Partial<Choices>) => Promise<void>;
  /** The choices once the server has stored them. */
  stored: () => Promise<Choices>;
  /** Why the last choice was refused; the previous one still holds. */
  error: unknown;
}

export function useChoices(job: ImportDetail): ChoicesOf {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [waiting, setWaiting] = useState(0);
  const [error, setError] = useState<unknown>(null);
  // Two quick choices are stored one after the other, and the second contains the first.
  const latest = useRef(job.choices);
  const last = useRef(Promise.resolve());
  if (waiting === 0) latest.current = job.choices;
  const key = ["import", id, String(job.id)];
  const store = async (): Promise<void> => {
    try {
      const body = latest.current;
      const path = { workspace: id, id: job.id, body };
      const data = await request("PUT /w/{workspace}/imports/{id}/choices", path);
      // What the user chose meanwhile is on its way, and shows already.
      if (latest.current === body) client.setQueryData(key, data);
      setError(null);
    } catch (reason) {
      setError(reason);
      await client.invalidateQueries({ queryKey: key });
    }
    setWaiting((count) => count - 1);
  };
  const save = (changes: Partial<Choices>): Promise<void> => {
    latest.current = { ...latest.current, ...changes };
    client.setQueryData<ImportDetail>(key, (shown) => shown && { ...shown, ...asChosen(shown, latest.current) });
    setWaiting((count) => count + 1);
    last.current = last.current.then(store);
    return last.current;
  };
  const stored = async (): Promise<Choices> => {
    await last.current;
    return latest.current;
  };
  // A read of the job that began before a choice was stored would show the previous one.
  const shown = waiting === 0 ? job : { ...job, ...asChosen(job, latest.current) };
  return { shown, choices: shown.choices, save, stored, error };
}

/** The page answers a press at once; how the server reads the file follows. */
function asChosen({ columns }: ImportDetail, choices: Choices): Pick<ImportDetail, "choices" | "columns"> {
  const { map } = choices;
  return { choices, columns: columns.map((one, at) => ({ ...one, target: map[`#${at + 1}`] ?? one.target })) };
}
