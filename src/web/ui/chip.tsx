/** A state, shown by shape, word and colour, each sufficient alone. Violet means that the outcome is unknown. */
import { Check, CheckCheck, Circle, CircleHelp, type LucideIcon, TriangleAlert, X } from "lucide-react";
import type { ReactNode } from "react";

export type ChipTone = "green" | "blue" | "grey" | "amber" | "red" | "violet";

const STYLES: Readonly<Record<ChipTone, { className: string; icon: LucideIcon }>> = {
  green: { className: "bg-green-tint text-green", icon: Check },
  blue: { className: "bg-blue-tint text-blue", icon: CheckCheck },
  grey: { className: "bg-grey-tint text-grey", icon: Circle },
  amber: { className: "bg-amber-tint text-amber", icon: TriangleAlert },
  red: { className: "bg-red-tint text-red", icon: X },
  violet: { className: "bg-violet-tint text-violet", icon: CircleHelp },
};

export function Chip({ tone, children, title }: { tone: ChipTone; children: ReactNode; title?: string }) {
  const { className, icon: Icon } = STYLES[tone];
  return (
    <span
      title={title}
      className={`inline-flex items-center gap-1 whitespace-nowrap rounded-control px-2 py-0.5 text-label font-semibold forced-colors:border ${className}`}
    >
      <Icon aria-hidden size={12} strokeWidth={3} />
      {children}
    </span>
  );
}
