/** Placeholders of a list or page without content: loading, empty, or failed. */
import type { UseQueryResult } from "@tanstack/react-query";
import { LoaderCircle, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "../data/api.ts";
import { Button, ButtonLink } from "./button.tsx";

/** Appears only after 300 ms, so that fast answers do not flicker. */
export function Loading({ label = "Loading" }: { label?: string }) {
  return (
    <div role="status" className="late flex min-h-40 items-center justify-center gap-2 text-quiet">
      <LoaderCircle aria-hidden size={18} className="turns" />
      {label}…
    </div>
  );
}

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  label?: string;
  children: (data: Data) => ReactNode;
}

/** What a query brought. Data that is there stays below the error of a later attempt. */
export function Loaded<Data>({ query, label, children }: LoadedProps<Data>) {
  return (
    <>
      {query.isPending && <Loading {...(label === undefined ? {} : { label })} />}
      {query.isError && <Failed error={query.error} retry={() => void query.refetch()} />}
      {query.data !== undefined && children(query.data)}
    </>
  );
}

interface EmptyProps {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** It is all that the page has: its title is the page's heading. */
  isPage?: boolean;
}

/** Says what would be here, why it is empty, and what to do. */
export function Empty({ title, children, action, isPage = false }: EmptyProps) {
  const Title = isPage ? "h1" : "p";
  return (
    <div className="mx-auto flex max-w-[60ch] flex-col items-center gap-3 px-4 py-12 text-center">
      <Title className="text-form font-semibold">{title}</Title>
      {children !== undefined && <div className="text-quiet">{children}</div>}
      {action}
    </div>
  );
}

/** Instead of a list in which a search finds nothing; `clear` shows all of it. */
export function NothingFound({ title, clear, children }: { title: string; clear: string; children?: ReactNode }) {
  const showAll = (
    <ButtonLink to="." search={{}}>
      {clear}
    </ButtonLink>
  );
  return (
    <Empty title={title} action={showAll}>
      {children}
    </Empty>
  );
}

/** An error in the place of its content; the rest of the page keeps working. */
export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 rounded-panel bg-red-tint p-4 text-red">
      <TriangleAlert aria-hidden size={18} className="shrink-0" />
      <p className="min-w-40 flex-1">{sentenceOf(error)}</p>
      {retry !== undefined && (
        <Button small onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** What a request failed with, in a line; null: nothing failed. */
export function ErrorLine({ error, className = "" }: { error: unknown; className?: string }) {
  if (error === null) return null;
  return (
    <p role="alert" className={`${className} text-red`}>
      {sentenceOf(error)}
    </p>
  );
}

export function Notice({
  tone = "amber",
  children,
}: {
  tone?: "amber" | "grey" | "green" | "violet";
  children: ReactNode;
}) {
  const className = {
    amber: "bg-amber-tint text-amber",
    grey: "bg-grey-tint text-grey",
    green: "bg-green-tint text-green",
    violet: "bg-violet-tint text-violet",
  }[tone];
  return (
    <div role="status" className={`rounded-control p-3 ${className}`}>
      {children}
    </div>
  );
}

export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return "Something went wrong on this page. Reload it. If the error persists, contact your operator.";
}
