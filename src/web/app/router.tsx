/**
 * The router of the console: the addresses of `routes.ts` with the component of each. The shell is in the
 * first bundle; every screen is loaded when it is opened.
 */
import { QueryClient } from "@tanstack/react-query";
import { createRouter, lazyRouteComponent, Outlet, type RouteComponent } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../data/api.ts";
import { Loading } from "../ui/states.tsx";
import { Toasts } from "../ui/toast.tsx";
import { More } from "./more.tsx";
import { ErrorPage, NotFound } from "./not-found.tsx";
import { type ConsoleRouter, layouts, screens, tree } from "./routes.ts";
import { Shell } from "./shell.tsx";

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

/** A screen that is loaded when it is first opened, or when its link is about to be used. */
function lazy(load: () => Promise<{ Screen: () => ReactNode }>): RouteComponent {
  return lazyRouteComponent(load, "Screen");
}

function linkPage(name: "SetUp" | "Join" | "Reset"): RouteComponent {
  return lazyRouteComponent(() => import("../features/sign-in/link-page.tsx"), name);
}

function mailedLink(name: "NewPassword" | "VerifyAddress"): RouteComponent {
  return lazyRouteComponent(() => import("../features/sign-in/mailed-link.tsx"), name);
}

const newWorkspace = lazy(() => import("../features/workspaces/new-workspace.tsx"));

type ScreenName = keyof typeof screens;

const components: Readonly<Record<ScreenName, RouteComponent>> = {
  signIn: lazy(() => import("../features/sign-in/sign-in.tsx")),
  setup: linkPage("SetUp"),
  join: linkPage("Join"),
  reset: linkPage("Reset"),
  forgot: mailedLink("NewPassword"),
  verify: mailedLink("VerifyAddress"),
  signUpReturn: lazy(() => import("../features/numbers/sign-up-return.tsx")),
  // Shown to users without a workspace.
  start: newWorkspace,
  newWorkspace,
  more: More,
  account: lazy(() => import("../features/account/account.tsx")),
  systemHealth: lazy(() => import("../features/system/health.tsx")),
  systemWorkspaces: lazy(() => import("../features/workspaces/system-workspaces.tsx")),
  systemUsers: lazy(() => import("../features/users/system-users.tsx")),
  systemBackups: lazy(() => import("../features/system/backups.tsx")),
  systemMetrics: lazy(() => import("../features/system/metrics.tsx")),
  systemLog: lazy(() => import("../features/system/log.tsx")),
  systemConfiguration: lazy(() => import("../features/system/configuration.tsx")),
  systemUpgrade: lazy(() => import("../features/system/upgrade.tsx")),
  systemAudit: lazy(() => import("../features/audit/system-audit.tsx")),
  home: lazy(() => import("../features/home/home.tsx")),
  inbox: lazy(() => import("../features/inbox/inbox.tsx")),
  broadcasts: lazy(() => import("../features/broadcasts/broadcasts.tsx")),
  broadcast: lazy(() => import("../features/broadcasts/broadcast.tsx")),
  newBroadcast: lazy(() => import("../features/broadcast-wizard/wizard.tsx")),
  contacts: lazy(() => import("../features/contacts/contacts.tsx")),
  contactImport: lazy(() => import("../features/imports/contact-import.tsx")),
  duplicates: lazy(() => import("../features/contacts/duplicates.tsx")),
  groups: lazy(() => import("../features/groups/groups.tsx")),
  messages: lazy(() => import("../features/messages/messages.tsx")),
  numbers: lazy(() => import("../features/numbers/numbers.tsx")),
  numberProfile: lazy(() => import("../features/numbers/profile.tsx")),
  connectNumber: lazy(() => import("../features/numbers/connect.tsx")),
  templates: lazy(() => import("../features/templates/templates.tsx")),
  newTemplate: lazy(() => import("../features/template-studio/studio.tsx")),
  simulator: lazy(() => import("../features/simulator/simulator.tsx")),
  billing: lazy(() => import("../features/billing/billing.tsx")),
  members: lazy(() => import("../features/users/members.tsx")),
  quickReplies: lazy(() => import("../features/settings/quick-replies.tsx")),
  settings: lazy(() => import("../features/settings/settings.tsx")),
  audit: lazy(() => import("../features/audit/audit.tsx")),
  apiSettings: lazy(() => import("../features/developer/api-settings.tsx")),
  requests: lazy(() => import("../features/requests/requests.tsx")),
  deliveries: lazy(() => import("../features/deliveries/deliveries.tsx")),
};
for (const [name, route] of Object.entries(screens)) route.update({ component: components[name as ScreenName] });

layouts.root.update({
  component: () => (
    <>
      <Outlet />
      <Toasts />
    </>
  ),
  notFoundComponent: NotFound,
});
layouts.shell.update({ component: Shell });
layouts.system.update({ component: Outlet, notFoundComponent: NotFound });
layouts.workspace.update({ component: Outlet, notFoundComponent: NotFound });

export const router: ConsoleRouter = createRouter({
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
