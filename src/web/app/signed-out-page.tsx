/** The layout of pages that are shown before sign-in. */
import { type ReactNode, useEffect } from "react";
import { setPageTitle } from "../data/title.ts";

export function SignedOutPage({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    setPageTitle(title);
  }, [title]);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center p-4">
      <div className="w-full max-w-md">
        <p className="mb-6 flex items-center gap-2 text-section font-semibold">
          <svg aria-hidden="true" viewBox="0 0 32 32" className="size-8">
            <rect width="32" height="32" rx="7" className="fill-accent" />
            <path
              d="M7 11l4.5 11L16 12l4.5 10L25 11"
              fill="none"
              className="stroke-on-accent"
              strokeWidth="3"
              strokeLinecap="round"
              strokeLinejoin="round"
            />
          </svg>
          Waxwing
        </p>
        <div className="flex flex-col gap-4 rounded-panel border border-line bg-surface p-6">
          <h1 className="text-section font-semibold">{title}</h1>
          {lead !== undefined && <p className="text-quiet">{lead}</p>}
          {children}
        </div>
      </div>
    </main>
  );
}
