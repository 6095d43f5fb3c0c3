/** What every screen of the system begins with: the way to the others. */
import { Link } from "@tanstack/react-router";
import { words } from "./system-words.ts";

const TABS = [
  { to: "/system", label: words.health },
  { to: "/system/workspaces", label: words.workspaces },
  { to: "/system/users", label: words.users },
  { to: "/system/backups", label: words.backups },
  { to: "/system/metrics", label: words.metrics },
  { to: "/system/audit", label: words.audit },
] as const;

export function SystemTabs() {
  return (
    <nav aria-label={words.system} className="mb-6 flex flex-wrap gap-x-1 gap-y-1 border-b border-line">
      {TABS.map(({ to, label }) => (
        <Link
          key={to}
          to={to as never}
          activeOptions={{ exact: to === "/system", includeSearch: false }}
          className="-mb-px inline-flex min-h-10 items-center border-b-2 border-transparent px-3 text-quiet no-underline hover:text-ink max-mid:min-h-11"
          activeProps={{ className: "border-accent! text-ink! font-semibold" }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
