/**
 * Every endpoint, by its name. The browser imports the types below, and nothing else of the server: what a request takes and what it
 * resolves to, by the name of its endpoint.
 */
import type { Static } from "@sinclair/typebox";
import { accountEndpoints } from "./account.ts";
import { backupEndpoints } from "./backups.ts";
import { billingEndpoints } from "./billing.ts";
import { broadcastEndpoints } from "./broadcasts.ts";
import { bulkEndpoints } from "./bulk.ts";
import { contactEndpoints } from "./contacts.ts";
import type { BodyOf, Method, PathOf, QueryOf, ServedFile } from "./declare.ts";
import { deliveryEndpoints } from "./deliveries.ts";
import { developerEndpoints } from "./developer.ts";
import { draftEndpoints } from "./drafts.ts";
import type { Endpoint } from "./endpoint.ts";
import { groupEndpoints } from "./groups.ts";
import { importEndpoints } from "./imports.ts";
import { inboxEndpoints } from "./inbox.ts";
import { messageEndpoints } from "./messages.ts";
import { numberEndpoints } from "./numbers.ts";
import { operatingEndpoints } from "./operating.ts";
import { recipientEndpoints } from "./recipients.ts";
import { signInEndpoints } from "./sign-in.ts";
import { simulatorEndpoints } from "./simulator.ts";
import { systemEndpoints } from "./system.ts";
import { templateEndpoints } from "./templates.ts";
import { workspaceEndpoints } from "./workspaces.ts";

const endpoints = {
  ...signInEndpoints,
  ...accountEndpoints,
  ...workspaceEndpoints,
  ...operatingEndpoints,
  ...systemEndpoints,
  ...backupEndpoints,
  ...developerEndpoints,
  ...deliveryEndpoints,
  ...contactEndpoints,
  ...broadcastEndpoints,
  ...recipientEndpoints,
  ...bulkEndpoints,
  ...inboxEndpoints,
  ...messageEndpoints,
  ...simulatorEndpoints,
  ...numberEndpoints,
  ...billingEndpoints,
  ...draftEndpoints,
  ...templateEndpoints,
  ...groupEndpoints,
  ...importEndpoints,
};

/** An endpoint for its door, which calls it with what its declaration promises. */
export type ListedEndpoint = Endpoint & { method: Method; path: string };

export const consoleEndpoints: readonly ListedEndpoint[] = Object.entries(endpoints).map(([name, endpoint]) => {
  const [method, path] = name.split(" ");
  return { ...endpoint, method, path } as ListedEndpoint;
});

type Endpoints = typeof endpoints;

/** `GET /w/{workspace}/groups/{id}` */
export type Route = keyof Endpoints & string;

type AnswerOf<Name extends Route> = Static<Endpoints[Name]["output"]>;

/** Routes that answer with a file: for links, not for requests. */
export type FileRoute = { [Name in Route]: AnswerOf<Name> extends ServedFile ? Name : never }[Route];
export type DataRoute = Exclude<Route, FileRoute>;

/** Routes whose body is a file. */
export type UploadRoute = { [Name in DataRoute]: Declares<Name, "file"> extends true ? Name : never }[DataRoute];

/** What a request resolves to: a list with its `meta`, or the bare `data`. */
export type Output<Name extends DataRoute> =
  AnswerOf<Name> extends { data: unknown; meta: unknown }
    ? AnswerOf<Name>
    : AnswerOf<Name> extends { data: infer Data }
      ? Data
      : never;

/** One entry of a list. */
export type Entry<Name extends DataRoute> =
  Output<Name> extends { data: (infer One)[] } ? One : Output<Name> extends (infer One)[] ? One : never;

export type Body<Name extends Route> = BodyOf<Endpoints[Name]>;

/** Absent, null and empty values are omitted from the address. */
type QueryInput<Values> = { [Name in keyof Values]?: Values[Name] | null | undefined };
/** Ids may be given as they stand in an address. */
type PathInput<Values> = { [Name in keyof Values]: Values[Name] extends number ? number | string : Values[Name] };

type WorkspaceInput<Name> = Name extends `${string}{workspace}${string}` ? { workspace: number | string } : unknown;
type Declares<Name extends Route, Part> = Part extends keyof Endpoints[Name] ? true : false;

/** What a request takes: the values of the path side by side, then `query` and `body` where the route has them. */
export type Input<Name extends Route> = object &
  WorkspaceInput<Name> &
  (Declares<Name, "params"> extends true ? PathInput<PathOf<Endpoints[Name]>> : unknown) &
  (Declares<Name, "query"> extends true ? { query?: QueryInput<QueryOf<Endpoints[Name]>> } : unknown) &
  (Declares<Name, "body"> extends true ? { body: Body<Name> } : unknown);
