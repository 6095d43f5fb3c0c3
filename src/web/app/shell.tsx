/** What stands around every screen: the bar at the left (below on phones), the banner, and signing in again over it all. */
import { Link, Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { CircleUser, Ellipsis, ServerCog } from "lucide-react";
import { useCallback, useRef, useState } from "react";
import { mayOwn, useMe, type WorkspaceEntry } from "../data/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useKeys } from "../ui/keys.ts";
import { Banner } from "./banner.tsx";
import { type Place, places } from "./navigation.ts";
import { SignInAgain } from "./sign-in-again.tsx";
import { words } from "./strings.ts";
import { Unread } from "./unread.tsx";
import { WorkspaceSwitch } from "./workspace-switch.tsx";

export function Shell() {
  const { user, workspaces, version } = useMe();
  const { workspace: given } = useParams({ strict: false }) as { workspace?: string };
  const workspace = workspaces.find(({ id }) => String(id) === (given ?? lastWorkspace())) ?? workspaces[0];
  if (workspace !== undefined) rememberWorkspace(workspace.id);
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  useGoKeys(workspace, () => setIsHelpOpen(true));
  const here = placesFor(workspace);
  return (
    <div className="mid:grid mid:min-h-dvh mid:grid-cols-[6.75rem_minmax(0,1fr)] wide:grid-cols-[14.5rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="fixed start-2 top-2 z-50 -translate-y-20 rounded-control bg-accent px-4 py-2 text-on-accent focus:translate-y-0"
      >
        {words.skip}
      </a>
      <div className="sticky top-0 flex h-dvh flex-col gap-1 overflow-y-auto border-e border-line bg-surface p-2 max-mid:hidden wide:p-3">
        <WorkspaceSwitch current={workspace} all={workspaces} isOperator={user.is_operator} />
        {workspace !== undefined && (
          <nav aria-label={words.navigation} className="mt-3 flex flex-col gap-1">
            {here.map((place, index) => (
              <div key={place.to} className="contents">
                {place.group === "developer" && here[index - 1]?.group !== "developer" && (
                  <p className="mt-4 mb-1 px-3 text-label text-quiet max-wide:sr-only">{words.developer}</p>
                )}
                <SideLink place={place} workspace={workspace} />
              </div>
            ))}
          </nav>
        )}
        <nav aria-label={words.more} className="mt-auto flex flex-col gap-1 pt-4">
          {user.is_operator && (
            <Link to={"/system" as never} className={sideLook} activeProps={{ className: sideHere }}>
              <ServerCog aria-hidden size={18} className="shrink-0" />
              {words.system}
            </Link>
          )}
          <Link to="/account" className={sideLook} activeProps={{ className: sideHere }}>
            <CircleUser aria-hidden size={18} className="shrink-0" />
            {words.account}
          </Link>
          <p className="px-3 text-label text-quiet max-wide:text-center">
            <button type="button" className="underline underline-offset-2" onClick={() => setIsHelpOpen(true)}>
              {words.keys}
            </button>{" "}
            · {version}
          </p>
        </nav>
      </div>
      <div className="flex min-h-dvh min-w-0 flex-col pb-[calc(4rem+env(safe-area-inset-bottom))] mid:pb-0">
        <Banner workspaceId={given === undefined ? undefined : workspace?.id} />
        <main id="main" tabIndex={-1} className="min-w-0 flex-1">
          <Outlet />
        </main>
      </div>
      <PhoneBar workspace={workspace} here={here} />
      <Dialog title={words.keys} isOpen={isHelpOpen} onClose={() => setIsHelpOpen(false)}>
        <KeyHelp here={here} />
      </Dialog>
      <SignInAgain email={user.email} />
    </div>
  );
}

const sideLook =
  "flex min-h-10 items-center gap-3 rounded-control px-3 py-2 text-ink no-underline hover:bg-sunken wide:whitespace-nowrap max-wide:flex-col max-wide:gap-1 max-wide:px-1 max-wide:text-center max-wide:text-label";
const sideHere = "bg-sunken font-semibold";

function SideLink({ place, workspace }: { place: Place; workspace: WorkspaceEntry }) {
  const { to, label, icon: Icon } = place;
  return (
    <Link
      to={to}
      params={{ workspace: String(workspace.id) } as never}
      className={sideLook}
      activeProps={{ className: sideHere }}
      activeOptions={{ exact: to === "/w/$workspace", includeSearch: false }}
    >
      <Icon aria-hidden size={18} className="shrink-0" />
      {label}
      {place.hasUnread === true && <Unread workspaceId={workspace.id} />}
    </Link>
  );
}

function PhoneBar({ workspace, here }: { workspace: WorkspaceEntry | undefined; here: readonly Place[] }) {
  const look =
    "flex min-h-14 flex-1 flex-col items-center justify-center gap-1 px-1 text-label text-quiet no-underline";
  const active = { className: "font-semibold text-ink" };
  return (
    <nav
      aria-label={words.navigation}
      className="fixed inset-x-0 bottom-0 z-20 flex border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] mid:hidden"
    >
      {workspace !== undefined &&
        here
          .filter(({ isOnPhones }) => isOnPhones)
          .map(({ to, label, icon: Icon, hasUnread }) => (
            <Link
              key={to}
              to={to}
              params={{ workspace: String(workspace.id) } as never}
              className={look}
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
      <Link to="/more" className={look} activeProps={active}>
        <Ellipsis aria-hidden size={20} />
        {words.more}
      </Link>
    </nav>
  );
}

/** `g` and a letter, within a second and a half. */
function useGoKeys(workspace: WorkspaceEntry | undefined, showHelp: () => void): void {
  const navigate = useNavigate();
  const pressedAt = useRef(0);
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
          pressedAt.current = performance.now();
          return true;
        }
        if (performance.now() - pressedAt.current > 1_500 || workspace === undefined) return false;
        pressedAt.current = 0;
        const place = placesFor(workspace).find(({ letter }) => letter === key);
        if (place !== undefined) void navigate({ to: place.to, params: { workspace: String(workspace.id) } } as never);
        return place !== undefined;
      },
      [navigate, workspace, showHelp],
    ),
  );
}

function KeyHelp({ here }: { here: readonly Place[] }) {
  const rows: (readonly [string, string])[] = [
    ["/", words.keySearch],
    ["j  k", words.keyRows],
    ["Esc", words.keyClose],
    ["Ctrl Enter", words.keySend],
    ["Ctrl S", words.keySend],
    ...here.flatMap(({ letter, label }) => (letter === null ? [] : [[`g ${letter}`, label] as const])),
    ["?", words.keys],
  ];
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        {rows.map(([key, does]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-control border border-line bg-sunken px-2 py-0.5 font-mono">{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="text-quiet">{words.keysOff}</p>
    </>
  );
}

export function placesFor(workspace: WorkspaceEntry | undefined): readonly Place[] {
  if (workspace === undefined) return [];
  return places.filter(({ needs }) => needs === "member" || mayOwn(workspace));
}

const LAST = "waxwing-workspace";

/** Where Account and More belong to: the workspace that was open last in this browser. */
export function lastWorkspace(): string | null {
  return localStorage.getItem(LAST);
}

function rememberWorkspace(id: number): void {
  if (lastWorkspace() !== String(id)) localStorage.setItem(LAST, String(id));
}
