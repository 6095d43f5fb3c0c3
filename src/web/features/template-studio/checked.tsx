/**
 * What the rules say of a draft, at its fields. A field names its path; a sentence stands at the field of its path, or at the
 * nearest one around it. It is shown once the field was left, or the draft was to be sent: an empty form is not blamed.
 */
import { createContext, type ReactNode, use, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { checkTemplate } from "#src/domain/templates/rules/check.ts";
import { type Content, lasting } from "./content.ts";

export interface Sentence {
  path: string;
  message: string;
}

interface Checked {
  content: Content;
  change: (next: (current: Content) => Content) => void;
  /** The sentences at the field, joined; undefined while there is nothing to show. */
  errorAt: (path: string) => string | undefined;
  /** The field was left. */
  leave: (path: string) => void;
  /** A field is on the page; returns what takes it away. */
  place: (path: string) => () => void;
}

const Context = createContext<Checked | null>(null);

export function useChecked(): Checked {
  const checked = use(Context);
  if (checked === null) throw new Error("a field of the studio stands in the studio");
  return checked;
}

/** Makes the path a field, at which its sentences are shown. */
export function usePlace(path: string): { error: string | undefined; leave: () => void } {
  const { place, errorAt, leave } = useChecked();
  useLayoutEffect(() => place(path), [place, path]);
  return { error: errorAt(path), leave: () => leave(path) };
}

interface Props {
  content: Content;
  change: Checked["change"];
  /** What only the server knows: a name that is taken, a file that does not fit. */
  told: readonly Sentence[];
  /** The draft was to be sent. */
  isSent: boolean;
  children: (rest: readonly Sentence[]) => ReactNode;
}

/** `children` gets the sentences that belong to no field. */
export function CheckedFields({ content, change, told, isSent, children }: Props) {
  const places = useRef(new Map<string, number>());
  const [placed, setPlaced] = useState<ReadonlySet<string>>(new Set());
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const current = useRef(content);
  current.current = content;
  const place = useCallback((path: string) => {
    const count = (by: number) => {
      const now = (places.current.get(path) ?? 0) + by;
      if (now === 0) places.current.delete(path);
      else places.current.set(path, now);
      setPlaced(new Set(places.current.keys()));
    };
    count(1);
    return () => count(-1);
  }, []);
  const leave = useCallback((path: string) => {
    setLeft((known) => new Set([...known, lasting(current.current, path)]));
  }, []);
  const byPlace = useMemo(() => {
    const own = checkTemplate(content);
    const all = [...own, ...told.filter((one) => own.every(({ message }) => message !== one.message))];
    return Map.groupBy(all, ({ path }) => nearest(placed, path));
  }, [content, told, placed]);
  const checked = useMemo(
    (): Checked => ({
      ...{ content, change, leave, place },
      errorAt: (path) => {
        if (!isSent && !left.has(lasting(content, path))) return undefined;
        const messages = byPlace.get(path)?.map(({ message }) => message) ?? [];
        return messages.length === 0 ? undefined : [...new Set(messages)].join(" ");
      },
    }),
    [content, change, leave, place, isSent, left, byPlace],
  );
  return <Context value={checked}>{children(isSent ? (byPlace.get("") ?? []) : [])}</Context>;
}

/** The field of the path, or the nearest one around it; empty: there is none. */
function nearest(placed: ReadonlySet<string>, path: string): string {
  for (let around = path; around !== ""; around = around.split(".").slice(0, -1).join(".")) {
    if (placed.has(around)) return around;
  }
  return "";
}
