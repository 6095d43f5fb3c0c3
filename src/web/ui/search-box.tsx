/** A search field whose text is in the address (`?q=`), updated shortly after the last key. */
import { Search as SearchIcon } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { ScreenWith } from "../app/routes.ts";
import { useChangeParameters, useParameters } from "./address.tsx";
import { inputClass } from "./field.tsx";

interface SearchBoxProps {
  screen: ScreenWith<"q">;
  label: string;
  /** What is searched has no capitals. */
  isLowerCase?: boolean;
  /** It has just been opened to type in. */
  hasFocus?: boolean;
}

export function SearchBox({ screen, label, isLowerCase = false, hasFocus = false }: SearchBoxProps) {
  const field = useRef<HTMLInputElement>(null);
  const { q } = useParameters(screen);
  const change = useChangeParameters(screen);
  const [text, setText] = useState(q ?? "");
  const asked = useRef(q);
  useEffect(() => {
    // What this field asked for may reach the address after further keys.
    if (q !== asked.current) setText(q ?? "");
    asked.current = q;
  }, [q]);
  useEffect(() => {
    const query = isLowerCase ? text.trim().toLowerCase() : text.trim();
    if (query === (q ?? "")) return;
    const timer = setTimeout(() => {
      asked.current = query || undefined;
      void change({ q: asked.current, after: undefined, open: undefined }, { replace: q !== undefined });
    }, 300);
    return () => clearTimeout(timer);
  }, [text, q, isLowerCase, change]);
  useEffect(() => {
    if (hasFocus) field.current?.focus();
  }, [hasFocus]);
  return (
    <label className="relative mb-4 w-full mid:w-80">
      <span className="sr-only">{label}</span>
      <SearchIcon aria-hidden size={16} className="absolute start-3 top-1/2 -translate-y-1/2 text-quiet" />
      <input
        ref={field}
        type="search"
        className={`${inputClass} ps-9! mid:min-h-8 mid:py-1`}
        placeholder={label}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </label>
  );
}
