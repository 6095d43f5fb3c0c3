/**
 * The console's contract: every route by its name, with the schemas of what it takes and what it answers. The server
 * attaches its handlers to it; the browser imports the types below and nothing else of the server.
 */
import type { Static } from "@sinclair/typebox";
import { accountContract, signInContract } from "./account.ts";
import { broadcastContract, draftContract, recipientContract } from "./broadcasts.ts";
import type { BodyOf, PathOf, QueryOf, ServedFile } from "./declare.ts";
import { deliveryContract, developerContract } from "./developer.ts";
import { inboxContract, mediaContract, messageContract, simulatorContract } from "./messages.ts";
import { bulkContract, groupContract, importContract, peopleContract } from "./people.ts";
import { billingContract, numberContract, templateContract } from "./settings.ts";
import { backupContract, systemContract } from "./system.ts";
import { operatingContract, workspaceContract } from "./workspaces.ts";

export const contract = {
  ...signInContract,
  ...accountContract,
  ...workspaceContract,
  ...operatingContract,
  ...systemContract,
  ...backupContract,
  ...developerContract,
  ...deliveryContract,
  ...peopleContract,
  ...broadcastContract,
  ...recipientContract,
  ...bulkContract,
  ...inboxContract,
  ...mediaContract,
  ...messageContract,
  ...simulatorContract,
  ...numberContract,
  ...billingContract,
  ...draftContract,
  ...templateContract,
  ...groupContract,
  ...importContract,
};

type Contract = typeof contract;

/** `GET /w/{workspace}/groups/{id}` */
export type Route = keyof Contract & string;

type AnswerOf<Name extends Route> = Static<Contract[Name]["output"]>;

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

export type Body<Name extends Route> = BodyOf<Contract[Name]>;

/** Absent, null and empty values are omitted from the address. */
type QueryInput<Values> = { [Name in keyof Values]?: Values[Name] | null | undefined };
/** Ids may be given as they stand in an address. */
type PathInput<Values> = { [Name in keyof Values]: Values[Name] extends number ? number | string : Values[Name] };

type WorkspaceInput<Name> = Name extends `${string}{workspace}${string}` ? { workspace: number | string } : unknown;
type Declares<Name extends Route, Part> = Part extends keyof Contract[Name]["input"] ? true : false;

/** What a request takes: the values of the path side by side, then `query` and `body` where the route has them. */
export type Input<Name extends Route> = object &
  WorkspaceInput<Name> &
  (Declares<Name, "path"> extends true ? PathInput<PathOf<Contract[Name]>> : unknown) &
  (Declares<Name, "query"> extends true ? { query?: QueryInput<QueryOf<Contract[Name]>> } : unknown) &
  (Declares<Name, "body"> extends true ? { body: Body<Name> } : unknown);
