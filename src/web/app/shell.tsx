/**
 * The shell around every screen: the navigation (at the left; at the bottom on phones), the banner, and the dialog to
 * sign in again.
 */
import { Link, Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { CircleUser, Ellipsis, ServerCog } from "lucide-react";
import { useCallback, useState } from "react";
import { lastWorkspace, rememberWorkspace } from "../data/last-workspace.ts";
import { useOutbox } from "../data/outbox.ts";
import { may, useMe, type WorkspaceEntry } from "../data/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { isPrefixed, notePrefix, useKeys } from "../ui/keys.ts";
import { Banner } from "./banner.tsx";
import { ConfirmAgain } from "./confirm-again.tsx";
import { type NavigationItem, navigationItems } from "./navigation.ts";
import { rightOf } from "./screen-rights.ts";
import { SignInAgain } from "./sign-in-again.tsx";
import { strings } from "./strings.ts";
import { Unread } from "./unread.tsx";
import { UnreadSound } from "./unread-sound.tsx";
import { WorkspaceSwitch } from "./workspace-switch.tsx";

export function Shell() {
  const { user, workspaces, version } = useMe();
  const { workspace: routeWorkspace } = useParams({ strict: false });
  const workspace = workspaces.find(({ id }) => String(id) === (routeWorkspace ?? lastWorkspace())) ?? workspaces[0];
  if (workspace !== undefined) rememberWorkspace(workspace.id);
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  useOutbox(user.id);
  useNavigationKeys(workspace, () => setIsHelpOpen(true));
  const items = navigationFor(workspace);
  return (
    <div className="mid:grid mid:min-h-dvh mid:grid-cols-[6.75rem_minmax(0,1fr)] wide:grid-cols-[14.5rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="fixed start-2 top-2 z-50 -translate-y-20 rounded-control bg-accent px-4 py-2 text-on-accent focus:translate-y-0"
      >
        {strings.skip}
      </a>
      <div className="sticky top-0 flex h-dvh flex-col gap-1 overflow-y-auto border-e border-line bg-surface p-2 max-mid:hidden wide:p-3">
        <WorkspaceSwitch current={workspace} all={workspaces} isOperator={user.is_operator} />
        {workspace !== undefined && (
          <nav aria-label={strings.navigation} className="mt-3 flex flex-col gap-0.5">
            {items.map((item, index) => (
              <div key={item.to} className="contents">
                {item.group !== items[index - 1]?.group && (
                  <p className={`${index > 0 ? "mt-3" : ""} px-3 text-label text-quiet max-wide:sr-only`}>
                    {strings.groups[item.group]}
                  </p>
                )}
                <SideLink item={item} workspace={workspace} />
              </div>
            ))}
          </nav>
        )}
        <nav aria-label={strings.more} className="mt-auto flex flex-col gap-1 pt-4">
          {user.is_operator && (
            <Link to="/system" className={sideLinkClass} activeProps={{ className: sideLinkActiveClass }}>
              <ServerCog aria-hidden size={18} className="shrink-0" />
              {strings.system}
            </Link>
          )}
          <Link to="/account" className={sideLinkClass} activeProps={{ className: sideLinkActiveClass }}>
            <CircleUser aria-hidden size={18} className="shrink-0" />
            {strings.account}
          </Link>
          <p className="px-3 text-label text-quiet max-wide:text-center">
            <a href="/docs" className="text-quiet underline underline-offset-2">
              {strings.documentation}
            </a>{" "}
            ·{" "}
            <button type="button" className="underline underline-offset-2" onClick={() => setIsHelpOpen(true)}>
              {strings.keys}
            </button>{" "}
            · {version}
          </p>
        </nav>
      </div>
      <div className="flex min-h-dvh min-w-0 flex-col pb-[calc(4rem+env(safe-area-inset-bottom))] mid:pb-0">
        <Banner workspaceId={routeWorkspace === undefined ? undefined : workspace?.id} />
        <main id="main" tabIndex={-1} className="min-w-0 flex-1">
          <Outlet />
        </main>
      </div>
      <PhoneBar workspace={workspace} items={items} />
      {workspace !== undefined && items.some(({ hasUnread }) => hasUnread) && (
        <UnreadSound workspaceId={workspace.id} />
      )}
      <Dialog title={strings.keys} isOpen={isHelpOpen} onClose={() => setIsHelpOpen(false)}>
        <KeyHelp items={items} />
      </Dialog>
      <SignInAgain email={user.email} />
      <ConfirmAgain hasSecondFactor={user.second_factor} />
    </div>
  );
}

const sideLinkClass =
  "flex min-h-10 items-center gap-3 rounded-control px-3 py-2 text-ink wide:pointer-fine:min-h-8 wide:pointer-fine:py-1 no-underline hover:bg-sunken wide:whitespace-nowrap max-wide:flex-col max-wide:gap-1 max-wide:px-1 max-wide:text-center max-wide:text-label";
const sideLinkActiveClass = "bg-sunken font-semibold";

function SideLink({ item, workspace }: { item: NavigationItem; workspace: WorkspaceEntry }) {
  const { to, label, icon: Icon } = item;
  return (
    <Link
      to={to}
      params={{ workspace: String(workspace.id) }}
      className={sideLinkClass}
      activeProps={{ className: sideLinkActiveClass }}
      activeOptions={{ exact: to === "/w/$workspace", includeSearch: false }}
    >
      <Icon aria-hidden size={18} className="shrink-0" />
      {label}
      {item.hasUnread === true && <Unread workspaceId={workspace.id} />}
    </Link>
  );
}

function PhoneBar({ workspace, items }: { workspace: WorkspaceEntry | undefined; items: readonly NavigationItem[] }) {
  const className =
    "flex min-h-14 flex-1 flex-col items-center justify-center gap-1 px-1 text-label text-quiet no-underline";
  const active = { className: "font-semibold text-ink" };
  return (
    <nav
      aria-label={strings.navigation}
      className="fixed inset-x-0 bottom-0 z-20 flex border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] mid:hidden"
    >
      {workspace !== undefined &&
        items
          .filter(({ isInPhoneBar }) => isInPhoneBar)
          .map(({ to, label, icon: Icon, hasUnread }) => (
            <Link
              key={to}
              to={to}
              params={{ workspace: String(workspace.id) }}
              className={className}
              activeProps={active}
              activeOptions={{ exact: to === "/w/$workspace", includeSearch: false }}
            >
              <Icon aria-hidden size={20} />
              <span className="flex items-center gap-1">
                {label}
                {hasUnread === true && <Unread workspaceId={workspace.id} />}
              </span>
            </Link>
          ))}
      <Link to="/more" className={className} activeProps={active}>
        <Ellipsis aria-hidden size={20} />
        {strings.more}
      </Link>
    </nav>
  );
}

/** `g` and a letter, within 1.5 seconds. */
function useNavigationKeys(workspace: WorkspaceEntry | undefined, showHelp: () => void): void {
  const navigate = useNavigate();
  useKeys(
    useCallback(
      (key) => {
        if (key === "?") {
          showHelp();
          return true;
        }
        if (key === "/") {
          const search = document.querySelector<HTMLElement>("input[type=search]");
          search?.focus();
          return search !== null;
        }
        if (key === "g") {
          notePrefix(true);
          return true;
        }
        if (!isPrefixed() || workspace === undefined) return false;
        notePrefix(false);
        const item = navigationFor(workspace).find(({ shortcut }) => shortcut === key);
        if (item !== undefined) void navigate({ to: item.to, params: { workspace: String(workspace.id) } });
        return item !== undefined;
      },
      [navigate, workspace, showHelp],
    ),
    true,
  );
}

function KeyHelp({ items }: { items: readonly NavigationItem[] }) {
  const rows: (readonly [string, string])[] = [
    ["/", strings.keySearch],
    ["j  k", strings.keyRows],
    ["Enter", strings.keyFirst],
    ["r", strings.keyReply],
    ["e", strings.keyDone],
    ["s", strings.keySnooze],
    ["a", strings.keyAssign],
    ["n", strings.keyNote],
    ["f", strings.keyFile],
    ["m", strings.keyTemplate],
    ["q", strings.keyQuickReply],
    ["t", strings.keyTag],
    [".", strings.keyActions],
    ["Esc", strings.keyClose],
    ["Ctrl Enter", strings.keySend],
    ["Ctrl S", strings.keySend],
    ...items.flatMap(({ shortcut, label }) => (shortcut === null ? [] : [[`g ${shortcut}`, label] as const])),
    ["?", strings.keys],
  ];
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        {rows.map(([key, description]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-control border border-line bg-sunken px-2 py-0.5 font-mono">{key}</kbd>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <p className="text-quiet">{strings.keysOff}</p>
    </>
  );
}

export function navigationFor(workspace: WorkspaceEntry | undefined): readonly NavigationItem[] {
  if (workspace === undefined) return [];
  return navigationItems.filter(({ to }) => {
    const right = rightOf(to);
    return right !== undefined && may(workspace, right);
  });
}
