/** A value to copy: an id, a key, a command. It stays selectable where the browser does not allow copying. */
import { Check, Copy } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "./button.tsx";

function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    // `navigator.clipboard` is missing on plain HTTP except on localhost; the user can still select the text.
    await navigator.clipboard?.writeText(text);
    setIsCopied(navigator.clipboard !== undefined);
    timer.current = setTimeout(() => setIsCopied(false), 2_000);
  };
  return (
    <>
      <IconButton label={label} onClick={() => void copy().catch(() => undefined)}>
        {isCopied ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />}
      </IconButton>
      <span role="status" className="sr-only">
        {isCopied ? "Copied" : ""}
      </span>
    </>
  );
}

/** One monospaced line with a copy button. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1 rounded-control border border-line bg-sunken ps-3">
      <code className="min-w-0 flex-1 select-all py-2 wrap-anywhere font-mono">{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

interface CodeBlockProps {
  text: string;
  label: string;
  copyLabel?: string;
  /** A text for people: its long lines are broken. */
  isWrapped?: boolean;
}

/** Several lines. Scrolls sideways, also by keyboard. */
export function CodeBlock({ text, label, copyLabel, isWrapped = false }: CodeBlockProps) {
  return (
    <div className="flex items-start rounded-control border border-line bg-sunken">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <section aria-label={label} tabIndex={0} className="max-h-80 min-w-0 flex-1 overflow-auto p-3">
        <pre className={isWrapped ? "whitespace-pre-wrap wrap-anywhere font-sans" : "font-mono"}>{text}</pre>
      </section>
      {copyLabel !== undefined && (
        <span className="p-1">
          <CopyButton text={text} label={copyLabel} />
        </span>
      )}
    </div>
  );
}
