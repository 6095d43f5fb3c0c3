/** A search field whose text is in the address (`?q=`), updated shortly after the last key. */
import { useNavigate } from "@tanstack/react-router";
import { Search as SearchIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { inputClass } from "./field.tsx";

export function SearchBox({ q, label }: { q: string | undefined; label: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState(q ?? "");
  useEffect(() => setText(q ?? ""), [q]);
  useEffect(() => {
    if (text.trim() === (q ?? "")) return;
    const timer = setTimeout(() => {
      const search = (known: Record<string, unknown>) => ({
        ...known,
        q: text.trim() || undefined,
        after: undefined,
        open: undefined,
      });
      void navigate({ to: ".", search, replace: q !== undefined } as never);
    }, 300);
    return () => clearTimeout(timer);
  }, [text, q, navigate]);
  return (
    <label className="relative mb-4 w-full mid:w-80">
      <span className="sr-only">{label}</span>
      <SearchIcon aria-hidden size={16} className="absolute start-3 top-1/2 -translate-y-1/2 text-quiet" />
      <input
        type="search"
        className={`${inputClass} ps-9! mid:min-h-8 mid:py-1`}
        placeholder={label}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </label>
  );
}
