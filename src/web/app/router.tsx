/**
 * Every address of the console with its search parameters. The shell, sign-in and Home are in the first bundle; every
 * other screen is loaded when it is opened.
 */
import { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { ApiError } from "../data/api.ts";
import { meQuery, workspaceQuery } from "../data/session.ts";
import { Home } from "../features/home/home.tsx";
import { LinkPage } from "../features/sign-in/link-page.tsx";
import { SignIn } from "../features/sign-in/sign-in.tsx";
import { NewWorkspace } from "../features/workspaces/new-workspace.tsx";
import { Loading } from "../ui/states.tsx";
import { Toasts } from "../ui/toast.tsx";
import { More } from "./more.tsx";
import { ErrorPage, NotFound } from "./not-found.tsx";
import { lastWorkspace, Shell } from "./shell.tsx";

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Retry only after a lost connection, 502 or 503; the server would refuse again in all other cases.
      retry: (count, error) => count < 2 && error instanceof ApiError && [0, 502, 503].includes(error.status),
      refetchOnWindowFocus: true,
    },
  },
});

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: () => (
    <>
      <Outlet />
      <Toasts />
    </>
  ),
  notFoundComponent: NotFound,
});

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
const pickTexts =
  (...names: readonly string[]) =>
  (search: Record<string, unknown>): Record<string, string> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = text(typeof search[name] === "number" ? String(search[name]) : search[name]);
        return value === undefined ? [] : [[name, value]];
      }),
    );

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: SignIn,
  validateSearch: pickTexts("to"),
});
const links = (["setup", "join", "reset"] as const).map((kind) =>
  createRoute({ getParentRoute: () => root, path: `/${kind}`, component: () => <LinkPage kind={kind} /> }),
);

/** Its child routes require a signed-in user. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.client.ensureQueryData(meQuery);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      const to = location.pathname === "/" ? undefined : location.href;
      throw redirect({ to: "/sign-in", search: { to } as never });
    }
  },
});

const start = createRoute({
  getParentRoute: () => shell,
  path: "/",
  component: NewWorkspace,
  beforeLoad: async ({ context }) => {
    const { workspaces } = await context.client.ensureQueryData(meQuery);
    const workspace = workspaces.find(({ id }) => String(id) === lastWorkspace()) ?? workspaces[0];
    if (workspace !== undefined) {
      throw redirect({ to: "/w/$workspace", params: { workspace: String(workspace.id) }, replace: true } as never);
    }
  },
});
const newWorkspace = createRoute({ getParentRoute: () => shell, path: "/new-workspace", component: NewWorkspace });
const more = createRoute({ getParentRoute: () => shell, path: "/more", component: More });
const account = createRoute({
  getParentRoute: () => shell,
  path: "/account",
  component: lazyRouteComponent(() => import("../features/account/account.tsx"), "Screen"),
});

/** Operators only; anyone else gets "not found". */
const system = createRoute({
  getParentRoute: () => shell,
  path: "/system",
  component: Outlet,
  notFoundComponent: NotFound,
  beforeLoad: async ({ context }) => {
    const { user } = await context.client.ensureQueryData(meQuery);
    if (!user.is_operator) throw notFound();
  },
});
const systemScreen = (path: string, load: () => Promise<{ Screen: () => unknown }>, ...search: string[]) =>
  createRoute({
    getParentRoute: () => system,
    path,
    component: lazyRouteComponent(load as never, "Screen" as never),
    validateSearch: pickTexts(...search),
  });
const systemScreens = [
  systemScreen("/", () => import("../features/system/health.tsx")),
  systemScreen("/workspaces", () => import("../features/workspaces/system-workspaces.tsx"), "open"),
  systemScreen("/users", () => import("../features/users/system-users.tsx"), "open"),
  systemScreen("/backups", () => import("../features/system/backups.tsx"), "open"),
  systemScreen("/metrics", () => import("../features/system/metrics.tsx"), "hours"),
  systemScreen("/audit", () => import("../features/audit/system-audit.tsx"), "after", "open"),
];

const workspace = createRoute({
  getParentRoute: () => shell,
  path: "/w/$workspace",
  component: Outlet,
  notFoundComponent: NotFound,
  beforeLoad: async ({ context, params }) => {
    try {
      await context.client.ensureQueryData(workspaceQuery(Number((params as { workspace: string }).workspace)));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) throw notFound();
      throw error;
    }
  },
});
const home = createRoute({ getParentRoute: () => workspace, path: "/", component: Home });
const screen = (path: string, load: () => Promise<{ Screen: () => unknown }>, ...search: string[]) =>
  createRoute({
    getParentRoute: () => workspace,
    path,
    component: lazyRouteComponent(load as never, "Screen" as never),
    validateSearch: pickTexts(...search),
  });

const screens = [
  screen("/api", () => import("../features/developer/api-settings.tsx")),
  screen("/deliveries", () => import("../features/deliveries/deliveries.tsx"), "status", "type", "after", "open"),
  screen("/contacts", () => import("../features/contacts/contacts.tsx"), "q", "consent", "group", "after", "open"),
  screen("/broadcasts", () => import("../features/broadcasts/broadcasts.tsx"), "after"),
  screen("/numbers", () => import("../features/numbers/numbers.tsx"), "open"),
  screen("/billing", () => import("../features/billing/billing.tsx"), "after"),
  screen("/inbox", () => import("../features/inbox/inbox.tsx"), "show", "person", "after", "open"),
  screen(
    "/messages",
    () => import("../features/messages/messages.tsx"),
    "q",
    "status",
    "origin",
    "day",
    "after",
    "open",
  ),
  screen("/simulator", () => import("../features/simulator/simulator.tsx"), "phone", "open"),
  screen(
    "/broadcasts/new",
    () => import("../features/broadcast-wizard/wizard.tsx"),
    "draft",
    "step",
    "group",
    "template",
    "language",
  ),
  screen("/contacts/import", () => import("../features/imports/contact-import.tsx"), "file"),
  screen("/templates", () => import("../features/templates/templates.tsx"), "q", "status", "after", "open"),
  screen("/groups", () => import("../features/groups/groups.tsx"), "after", "open"),
  screen("/members", () => import("../features/users/members.tsx"), "open"),
  screen("/audit", () => import("../features/audit/audit.tsx"), "after", "open"),
  screen("/broadcasts/$broadcast", () => import("../features/broadcasts/broadcast.tsx"), "status", "after"),
];

const tree = root.addChildren([
  signIn,
  ...links,
  shell.addChildren([
    start,
    newWorkspace,
    more,
    account,
    system.addChildren(systemScreens),
    workspace.addChildren([home, ...screens]),
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: "/console",
  context: { client },
  defaultPreload: "intent",
  defaultPendingComponent: () => <Loading />,
  defaultPendingMs: 300,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
});
