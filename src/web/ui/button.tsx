/**
 * Buttons, and links that look like buttons. A page has one primary button. A destructive button is red and names what
 * it destroys.
 */
import { createLink } from "@tanstack/react-router";
import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";

export type Tone = "primary" | "plain" | "danger" | "quiet";

const TONES: Readonly<Record<Tone, string>> = {
  primary: "bg-accent text-on-accent border-transparent hover:opacity-90",
  plain: "bg-surface text-ink border-edge hover:bg-sunken",
  danger: "bg-red-tint text-red border-red hover:opacity-90",
  quiet: "bg-transparent text-ink border-transparent hover:bg-sunken",
};

export function buttonClass(tone: Tone, small = false): string {
  const size = small ? "min-h-8 px-3 max-mid:min-h-11" : "min-h-10 px-4 max-mid:min-h-11";
  return `inline-flex items-center justify-center gap-2 rounded-control border font-semibold text-body transition-colors duration-120 ${size} ${TONES[tone]} disabled:opacity-60 disabled:cursor-not-allowed no-underline`;
}

interface ButtonProps extends ComponentProps<"button"> {
  tone?: Tone;
  small?: boolean;
  /** An action is running; further presses do nothing. */
  busy?: boolean;
}

export function Button({ tone = "plain", small, busy = false, className = "", children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled === true || busy}
      aria-busy={busy || undefined}
      className={`${buttonClass(tone, small)} ${className}`}
    >
      {busy && <LoaderCircle aria-hidden size={16} className="turns late" />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ButtonProps {
  label: string;
  /** The key that does the same, for the tooltip. */
  keyName?: string;
  children: ReactNode;
}

/** A button that shows only an icon; `label` is its accessible name. */
export function IconButton({ label, keyName, children, className = "", ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-keyshortcuts={keyName}
      {...rest}
      aria-label={label}
      title={keyName === undefined ? label : `${label} (${keyName})`}
      className={`inline-flex size-9 max-mid:size-11 shrink-0 items-center justify-center rounded-control text-quiet hover:bg-sunken hover:text-ink ${className}`}
    >
      {children}
    </button>
  );
}

function ButtonAnchor({ tone = "plain", small, ...rest }: ComponentProps<"a"> & { tone?: Tone; small?: boolean }) {
  return <a {...rest} className={buttonClass(tone, small)} />;
}

/** A link that looks like a button, with the addresses of `app/routes.ts`. */
export const ButtonLink = createLink(ButtonAnchor);

/** Classes of a link in running text. */
export const textLink = "text-accent underline underline-offset-2 hover:no-underline";
