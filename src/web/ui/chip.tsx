/** A state: shape, word and colour together, so that none of them is needed to read it. Violet is "we do not know". */
import { Check, CheckCheck, Circle, CircleHelp, type LucideIcon, TriangleAlert, X } from "lucide-react";
import type { ReactNode } from "react";

export type ChipTone = "green" | "blue" | "grey" | "amber" | "red" | "violet";

const LOOKS: Readonly<Record<ChipTone, { look: string; icon: LucideIcon }>> = {
  green: { look: "bg-green-tint text-green", icon: Check },
  blue: { look: "bg-blue-tint text-blue", icon: CheckCheck },
  grey: { look: "bg-grey-tint text-grey", icon: Circle },
  amber: { look: "bg-amber-tint text-amber", icon: TriangleAlert },
  red: { look: "bg-red-tint text-red", icon: X },
  violet: { look: "bg-violet-tint text-violet", icon: CircleHelp },
};

export function Chip({ tone, children, title }: { tone: ChipTone; children: ReactNode; title?: string }) {
  const { look, icon: Icon } = LOOKS[tone];
  return (
    <span
      title={title}
      className={`inline-flex items-center gap-1 whitespace-nowrap rounded-control px-2 py-0.5 text-label font-semibold forced-colors:border ${look}`}
    >
      <Icon aria-hidden size={12} strokeWidth={3} />
      {children}
    </span>
  );
}
