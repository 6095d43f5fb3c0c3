/** The tabs at the top of every system screen. */
import { Link } from "@tanstack/react-router";
import { strings } from "./strings.ts";

const TABS = [
  { to: "/system", label: strings.health },
  { to: "/system/workspaces", label: strings.workspaces },
  { to: "/system/users", label: strings.users },
  { to: "/system/backups", label: strings.backups },
  { to: "/system/metrics", label: strings.metrics },
  { to: "/system/log", label: strings.log },
  { to: "/system/configuration", label: strings.configuration },
  { to: "/system/upgrade", label: strings.upgrade },
  { to: "/system/audit", label: strings.audit },
] as const;

export function SystemTabs() {
  return (
    <nav
      aria-label={strings.system}
      className="mb-6 flex flex-wrap gap-x-1 gap-y-2 mid:border-b mid:border-line max-mid:gap-x-2"
    >
      {TABS.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === "/system", includeSearch: false }}
          className="inline-flex min-h-10 items-center px-3 text-quiet no-underline hover:text-ink mid:-mb-px mid:border-b-2 mid:border-transparent max-mid:min-h-11 max-mid:rounded-control max-mid:border max-mid:border-line max-mid:bg-surface max-mid:text-ink"
          activeProps={{
            className: "border-accent! text-ink! font-semibold max-mid:bg-green-tint! max-mid:text-green!",
          }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
