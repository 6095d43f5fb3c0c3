/** On phones: all screens that do not fit into the bottom bar, and the switch to another workspace. */
import { Link } from "@tanstack/react-router";
import { CircleUser, ServerCog } from "lucide-react";
import { lastWorkspace } from "../data/last-workspace.ts";
import { useMe } from "../data/session.ts";
import { DocsLink } from "../ui/docs-link.tsx";
import { Page } from "../ui/page.tsx";
import { navigationFor } from "./shell.tsx";
import { strings as frame } from "./strings.ts";
import { WorkspaceSwitch } from "./workspace-switch.tsx";

export function More() {
  const { user, workspaces, version } = useMe();
  const current = workspaces.find(({ id }) => String(id) === lastWorkspace()) ?? workspaces[0];
  const className = "flex min-h-12 items-center gap-3 border-b border-line px-4 text-ink no-underline last:border-b-0";
  return (
    <Page title={frame.more} isNarrow>
      <div className="mb-4">
        <WorkspaceSwitch current={current} all={workspaces} isOperator={user.is_operator} />
      </div>
      <nav aria-label={frame.furtherScreens} className="rounded-panel border border-line bg-surface">
        {navigationFor(current)
          .filter(({ isInPhoneBar }) => !isInPhoneBar)
          .map(({ to, label, icon: Icon }) => (
            <Link key={to} to={to} params={{ workspace: String(current?.id) }} className={className}>
              <Icon aria-hidden size={20} />
              {label}
            </Link>
          ))}
        {user.is_operator && (
          <Link to="/system" className={className}>
            <ServerCog aria-hidden size={20} />
            {frame.system}
          </Link>
        )}
        <Link to="/account" className={className}>
          <CircleUser aria-hidden size={20} />
          {frame.account}
        </Link>
      </nav>
      <p className="mt-4 text-label text-quiet">
        <DocsLink>{frame.documentation}</DocsLink> · Waxwing {version}
      </p>
    </Page>
  );
}
