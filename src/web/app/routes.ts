/**
 * Every address of the console: its path, its search parameters, and who may open it. `router.tsx` adds the component of
 * each. No component is known here, so the compiler can check a link in any component against this tree.
 */
import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, notFound, type Router, redirect } from "@tanstack/react-router";
import { ApiError } from "../data/api.ts";
import { lastWorkspace } from "../data/last-workspace.ts";
import { may, meQuery, type Workspace, workspaceQuery } from "../data/session.ts";
import { belowWorkspace, rightOf } from "./screen-rights.ts";

declare module "@tanstack/react-router" {
  interface Register {
    router: ConsoleRouter;
  }
}

export type ConsoleRouter = Router<typeof tree>;

/** The search parameters of a screen: each with the function that reads its value. */
type SearchReaders = Readonly<Record<string, (value: string) => string | undefined>>;

/**
 * Reads search parameters. What is absent, empty, or not a value of the parameter is `undefined`: written out, because
 * the router keeps what the address says about a name that is missing here.
 */
function readSearch<const Readers extends SearchReaders>(readers: Readers) {
  return (search: Record<string, unknown>) => {
    const found = Object.entries(readers).map(([name, read]) => {
      const raw = search[name];
      // The router has read what looks like JSON.
      const value = typeof raw === "number" ? String(raw) : read === json && raw !== undefined ? jsonText(raw) : raw;
      return [name, typeof value === "string" && value !== "" ? read(value) : undefined];
    });
    return Object.fromEntries(found) as { [Name in keyof Readers]?: ReturnType<Readers[Name]> | undefined };
  };
}

function text(value: string): string {
  return value;
}

/** A text that is JSON, such as a filter. */
function json(value: string): string {
  return value;
}

function jsonText(raw: unknown): string {
  return typeof raw === "string" ? raw : JSON.stringify(raw);
}

function oneOf<const Value extends string>(...values: readonly Value[]) {
  return (value: string): Value | undefined => values.find((known) => known === value);
}

const root = createRootRouteWithContext<{ client: QueryClient }>()();

/** Pages for people who are not signed in. */
const publicScreens = {
  signIn: createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    validateSearch: readSearch({ to: text }),
  }),
  setup: createRoute({ getParentRoute: () => root, path: "/setup" }),
  join: createRoute({ getParentRoute: () => root, path: "/join" }),
  reset: createRoute({ getParentRoute: () => root, path: "/reset" }),
  forgot: createRoute({ getParentRoute: () => root, path: "/forgot" }),
  verify: createRoute({ getParentRoute: () => root, path: "/verify" }),
  // Meta leads back here after a sign-up: without the shell, so that the code in the address goes nowhere else.
  signUpReturn: createRoute({ getParentRoute: () => root, path: "/connect" }),
};

/** Its child routes require a signed-in user. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ context, location }) => {
    try {
      await context.client.ensureQueryData(meQuery);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      const to = location.pathname === "/" ? undefined : location.href;
      throw redirect({ to: "/sign-in", search: { to } });
    }
  },
});

const userScreens = {
  start: createRoute({
    getParentRoute: () => shell,
    path: "/",
    beforeLoad: async ({ context }) => {
      const { workspaces } = await context.client.ensureQueryData(meQuery);
      const last = workspaces.find(({ id }) => String(id) === lastWorkspace()) ?? workspaces[0];
      if (last !== undefined) {
        throw redirect({ to: "/w/$workspace", params: { workspace: String(last.id) }, replace: true });
      }
    },
  }),
  newWorkspace: createRoute({ getParentRoute: () => shell, path: "/new-workspace" }),
  more: createRoute({ getParentRoute: () => shell, path: "/more" }),
  account: createRoute({ getParentRoute: () => shell, path: "/account" }),
};

/** Operators only; anyone else gets "not found". */
const system = createRoute({
  getParentRoute: () => shell,
  path: "/system",
  beforeLoad: async ({ context }) => {
    const { user } = await context.client.ensureQueryData(meQuery);
    if (!user.is_operator) throw notFound();
  },
});

function inSystem<const Path extends string, const Readers extends SearchReaders>(path: Path, readers: Readers) {
  return createRoute({ getParentRoute: () => system, path, validateSearch: readSearch(readers) });
}

const systemScreens = {
  systemHealth: inSystem("/", {}),
  systemWorkspaces: inSystem("/workspaces", { open: text }),
  systemUsers: inSystem("/users", { open: text }),
  systemBackups: inSystem("/backups", { open: text }),
  systemMetrics: inSystem("/metrics", { hours: oneOf("1", "6", "24") }),
  systemLog: inSystem("/log", { level: oneOf("warn", "error"), q: text, open: text }),
  systemConfiguration: inSystem("/configuration", { show: oneOf("given"), q: text, open: text }),
  systemUpgrade: inSystem("/upgrade", {}),
  systemAudit: inSystem("/audit", { after: text, open: text }),
};

const workspace = createRoute({
  getParentRoute: () => shell,
  path: "/w/$workspace",
  beforeLoad: async ({ context, params, location }) => {
    let entered: Workspace;
    try {
      entered = await context.client.ensureQueryData(workspaceQuery(Number(params.workspace)));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) throw notFound();
      throw error;
    }
    const right = rightOf(location.pathname);
    if (right !== undefined && may(entered, right)) return;
    // Who may not see Home begins with the conversations.
    if (belowWorkspace(location.pathname) === "") throw redirect({ to: "/w/$workspace/inbox", params, replace: true });
    throw notFound();
  },
});

function inWorkspace<const Path extends string, const Readers extends SearchReaders>(path: Path, readers: Readers) {
  return createRoute({ getParentRoute: () => workspace, path, validateSearch: readSearch(readers) });
}

const workspaceScreens = {
  home: inWorkspace("/", {}),
  inbox: inWorkspace("/inbox", {
    view: oneOf("mine", "unassigned", "mentions", "snoozed", "done", "all"),
    show: oneOf("unread", "waiting", "open"),
    person: text,
    // `at`: the item of the conversation that is shown and marked, by its key.
    at: text,
    // A search: its words and filters, and whether its field or also its filters are open.
    q: text,
    find: oneOf("on", "filters"),
    from: text,
    number: text,
    tag: text,
    kind: oneOf("messages", "contacts", "notes"),
    since: text,
    until: text,
    file: oneOf("true"),
    after: text,
    open: text,
  }),
  broadcasts: inWorkspace("/broadcasts", {
    q: text,
    status: oneOf("scheduled", "queueing", "running", "paused", "completed", "cancelled", "failed"),
    template: text,
    from: text,
    when: oneOf("day", "week", "month", "quarter"),
    after: text,
  }),
  broadcast: inWorkspace("/broadcasts/$broadcast", {
    status: oneOf(
      "pending",
      "sent",
      "delivered",
      "read",
      "failed",
      "unknown",
      "skipped",
      "accepted",
      "arrived",
      "unsuccessful",
    ),
    code: text,
    after: text,
  }),
  // `group`, `template` and `language` fill in a new draft; `draft` and `step` are the place in a stored one.
  newBroadcast: inWorkspace("/broadcasts/new", {
    draft: text,
    step: oneOf("template", "people", "values", "check"),
    group: text,
    template: text,
    language: text,
  }),
  contacts: inWorkspace("/contacts", {
    q: text,
    consent: oneOf("opted_in", "opted_out", "unknown"),
    group: text,
    filter: json,
    sort: text,
    columns: text,
    view: text,
    after: text,
    open: text,
  }),
  contactImport: inWorkspace("/contacts/import", { file: text }),
  duplicates: inWorkspace("/contacts/duplicates", {}),
  groups: inWorkspace("/groups", { after: text, open: text }),
  messages: inWorkspace("/messages", {
    q: text,
    status: oneOf(
      ...(["pending", "queued", "sending", "sent", "delivered", "read", "failed", "skipped"] as const),
      ...(["scheduled", "cancelled", "unknown"] as const),
    ),
    origin: oneOf("api", "console"),
    day: oneOf("today"),
    // Why they failed: the code of a reason, as Home names it.
    code: text,
    after: text,
    open: text,
  }),
  numbers: inWorkspace("/numbers", { open: text }),
  // `number`: one that is connected, whose set-up is shown. `message`: the first one that was sent from it.
  connectNumber: inWorkspace("/numbers/connect", { via: oneOf("meta", "simulator"), number: text, message: text }),
  // `number`: the one that customers see.
  numberProfile: inWorkspace("/numbers/profile", { number: text, after: text }),
  templates: inWorkspace("/templates", {
    q: text,
    status: oneOf("APPROVED", "PENDING", "REJECTED", "PAUSED"),
    generated: oneOf("true"),
    after: text,
    open: text,
  }),
  // `draft`: a stored one; without it, a category is chosen first.
  newTemplate: inWorkspace("/templates/new", { draft: text }),
  simulator: inWorkspace("/simulator", { phone: text, open: text }),
  billing: inWorkspace("/billing", { after: text }),
  members: inWorkspace("/members", {}),
  quickReplies: inWorkspace("/quick-replies", {}),
  settings: inWorkspace("/settings", {}),
  audit: inWorkspace("/audit", { after: text, open: text }),
  apiSettings: inWorkspace("/api", {}),
  requests: inWorkspace("/requests", { status: oneOf("2xx", "3xx", "4xx", "5xx"), key: text, after: text }),
  deliveries: inWorkspace("/deliveries", {
    status: oneOf("pending", "delivered", "exhausted"),
    type: text,
    after: text,
    open: text,
  }),
};

export const tree = root.addChildren({
  ...publicScreens,
  shell: shell.addChildren({
    ...userScreens,
    system: system.addChildren(systemScreens),
    workspace: workspace.addChildren(workspaceScreens),
  }),
});

/** Routes that show the screen of a child route inside of their own. */
export const layouts = { root, shell, system, workspace };

/** All other routes: each needs its component. */
export const screens = { ...publicScreens, ...userScreens, ...systemScreens, ...workspaceScreens };

type Route = (typeof screens)[keyof typeof screens];

/** The address of a screen, with placeholders: "/w/$workspace/contacts". */
export type Screen = Route["fullPath"];

/** The search parameters of a screen. */
export type Parameters<At extends Screen> = Extract<Route, { fullPath: At }>["types"]["searchSchema"];

/** The screens that have a certain search parameter. */
export type ScreenWith<Name extends string> = {
  [At in Screen]: Name extends keyof Parameters<At> ? At : never;
}[Screen];

/** The screens of a workspace that need no other placeholder. */
export type WorkspaceScreen =
  | "/w/$workspace"
  | Exclude<Extract<Screen, `/w/$workspace/${string}`>, "/w/$workspace/" | `/w/$workspace/${string}$${string}`>;
