/** A page: title, one action, content. The tab shows the title, and the title gets the focus after navigation. */
import { type ReactNode, useEffect, useRef } from "react";
import { setPageTitle } from "../data/title.ts";

interface PageProps {
  title: string;
  /** Total shown beside the title. */
  total?: string | undefined;
  /** Added to the tab's title, for example a name. */
  about?: string;
  /** One sentence about the page's purpose. */
  lead?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
  /** For text and forms: limits the line length. Not for tables. */
  isNarrow?: boolean;
  /** Only for screen readers and the tab: the content says what it is. */
  isTitleHidden?: boolean;
}

/** On the first page of a visit, the focus stays where the browser put it. */
let isFirstPage = true;

export function Page({
  title,
  total,
  about,
  lead,
  action,
  children,
  isNarrow = false,
  isTitleHidden = false,
}: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    setPageTitle(about === undefined ? title : `${about} · ${title}`);
  }, [title, about]);
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
  return (
    <div
      className={`mx-auto w-full px-4 py-6 mid:px-6 wide:px-8 ${isNarrow ? "max-w-3xl" : "max-w-7xl"} ${action === undefined ? "" : "max-mid:pb-24"}`}
    >
      <div
        className={
          isTitleHidden && action === undefined ? "" : "mb-6 flex flex-wrap items-start justify-between gap-x-4 gap-y-3"
        }
      >
        <div className="min-w-0">
          <h1 ref={heading} tabIndex={-1} className={isTitleHidden ? "sr-only" : "text-title font-semibold"}>
            {title}
            {total !== undefined && <span className="ms-3 font-normal text-quiet figures">{total}</span>}
          </h1>
          {lead !== undefined && <p className="mt-1 max-w-[72ch] text-quiet">{lead}</p>}
        </div>
        {action !== undefined && (
          <div className="flex flex-wrap gap-3 max-mid:fixed max-mid:end-4 max-mid:bottom-[calc(4.5rem+env(safe-area-inset-bottom))] max-mid:z-20 max-mid:rounded-control max-mid:shadow-float">
            {action}
          </div>
        )}
      </div>
      {children}
    </div>
  );
}

/** A part of a page, with its own heading. */
export function Section({
  title,
  lead,
  action,
  children,
}: {
  title: string;
  lead?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} className="mb-8">
      <div className="mb-3 flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 className="text-section font-semibold">{title}</h2>
          {lead !== undefined && <p className="max-w-[72ch] text-quiet">{lead}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}

/** A bordered surface. */
export function Card({ children }: { children: ReactNode }) {
  return <div className="rounded-panel border border-line bg-surface p-4 mid:p-6">{children}</div>;
}

/** Names and values, one pair per row. */
export function DescriptionList({ items }: { items: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_minmax(5.5rem,1fr)] gap-x-4 gap-y-2">
      {items.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-quiet">{name}</dt>
          <dd className="min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
