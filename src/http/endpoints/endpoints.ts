/**
 * Every endpoint, by its name. The browser imports the types below, and nothing else of the server: what a request
 * takes and what it resolves to, by the name of its endpoint.
 */
import { accountEndpoints } from "./account.ts";
import { backupEndpoints } from "./backups.ts";
import { billingEndpoints } from "./billing.ts";
import { broadcastEndpoints } from "./broadcasts.ts";
import { bulkEndpoints } from "./bulk.ts";
import { connectEndpoints } from "./connect.ts";
import { contactHistoryEndpoints } from "./contact-history.ts";
import { contactViewEndpoints } from "./contact-views.ts";
import { contactEndpoints } from "./contacts.ts";
import { conversationActEndpoints } from "./conversation-acts.ts";
import { conversationDraftEndpoints } from "./conversation-drafts.ts";
import { conversationListEndpoints } from "./conversations.ts";
import { deliveryEndpoints } from "./deliveries.ts";
import { developerEndpoints } from "./developer.ts";
import { draftEndpoints } from "./drafts.ts";
import type {
  ApiEndpoint,
  BodyOf,
  ConsoleEndpoint,
  ConsoleOutputOf,
  Endpoint,
  ListedEndpoint,
  Needs,
  PathOf,
  QueryOf,
  ServedFile,
} from "./endpoint.ts";
import { eventEndpoints } from "./events.ts";
import { groupEndpoints } from "./groups.ts";
import { homeEndpoints } from "./home.ts";
import { importEndpoints } from "./imports.ts";
import { inboundEndpoints } from "./inbounds.ts";
import { inboxEndpoints } from "./inbox.ts";
import { joinContactEndpoints } from "./join-contacts.ts";
import { lostPasswordEndpoints } from "./lost-password.ts";
import { mediaEndpoints } from "./media.ts";
import { memberEndpoints } from "./members.ts";
import { messageEndpoints } from "./messages.ts";
import { networkChangeEndpoints } from "./network-changes.ts";
import { numberAccessEndpoints } from "./number-access.ts";
import { numberProfileEndpoints } from "./number-profile.ts";
import { numberEndpoints } from "./numbers.ts";
import { operatingEndpoints } from "./operating.ts";
import { optOutEndpoints } from "./opt-outs.ts";
import { personDataEndpoints } from "./person-data.ts";
import { presenceEndpoints } from "./presence.ts";
import { quickReplyEndpoints } from "./quick-replies.ts";
import { requestEndpoints } from "./requests.ts";
import { searchEndpoints } from "./search.ts";
import { settingEndpoints } from "./settings.ts";
import { signInEndpoints } from "./sign-in.ts";
import { signUpEndpoints } from "./sign-up.ts";
import { simulatorEndpoints } from "./simulator.ts";
import { systemEndpoints } from "./system.ts";
import { tagEndpoints } from "./tags.ts";
import { templateDraftEndpoints } from "./template-drafts.ts";
import { templateLibraryEndpoints } from "./template-library.ts";
import { templateSubmissionEndpoints } from "./template-submissions.ts";
import { templateEndpoints } from "./templates.ts";
import { upgradeEndpoints } from "./upgrade.ts";
import { webhookEndpoints } from "./webhooks.ts";
import { workspaceEndpoints } from "./workspaces.ts";

/** Those of the API come in the order of its reference. */
const endpoints = {
  ...workspaceEndpoints,
  ...homeEndpoints,
  ...memberEndpoints,
  ...billingEndpoints,
  ...messageEndpoints,
  ...broadcastEndpoints,
  ...contactEndpoints,
  ...contactViewEndpoints,
  ...contactHistoryEndpoints,
  ...conversationListEndpoints,
  ...conversationActEndpoints,
  ...searchEndpoints,
  ...optOutEndpoints,
  ...templateEndpoints,
  ...templateSubmissionEndpoints,
  ...templateLibraryEndpoints,
  ...templateDraftEndpoints,
  ...networkChangeEndpoints,
  ...groupEndpoints,
  ...quickReplyEndpoints,
  ...tagEndpoints,
  ...eventEndpoints,
  ...webhookEndpoints,
  ...inboundEndpoints,
  ...mediaEndpoints,
  ...signInEndpoints,
  ...lostPasswordEndpoints,
  ...accountEndpoints,
  ...operatingEndpoints,
  ...systemEndpoints,
  ...upgradeEndpoints,
  ...backupEndpoints,
  ...developerEndpoints,
  ...settingEndpoints,
  ...deliveryEndpoints,
  ...requestEndpoints,
  ...bulkEndpoints,
  ...joinContactEndpoints,
  ...personDataEndpoints,
  ...inboxEndpoints,
  ...conversationDraftEndpoints,
  ...presenceEndpoints,
  ...simulatorEndpoints,
  ...numberEndpoints,
  ...connectEndpoints,
  ...signUpEndpoints,
  ...numberAccessEndpoints,
  ...numberProfileEndpoints,
  ...draftEndpoints,
  ...importEndpoints,
};

const listed = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => {
  const [method, path] = name.split(" ");
  return { ...endpoint, method, path } as ListedEndpoint;
});

export const consoleEndpoints = listed.filter((one): one is ConsoleEndpoint => one.session !== undefined);

export const apiEndpoints = listed
  .filter((one): one is ApiEndpoint => one.key !== undefined)
  .map((one): ApiEndpoint => ({ ...one, path: one.path.replace("/w/{workspace}", "") }));

type Endpoints = typeof endpoints;

/** `GET /w/{workspace}/groups/{id}`, of an endpoint that the console has. */
export type Route = {
  [Name in keyof Endpoints]: Endpoints[Name] extends { session: Needs } ? Name : never;
}[keyof Endpoints];

type AnswerOf<Name extends Route> = ConsoleOutputOf<Endpoints[Name]>;

/** Routes that answer with a file: for links, not for requests. */
export type FileRoute = { [Name in Route]: AnswerOf<Name> extends ServedFile ? Name : never }[Route];
export type DataRoute = Exclude<Route, FileRoute>;

/** Routes whose body is a file. */
export type UploadRoute = { [Name in DataRoute]: Declares<Name, "file"> extends true ? Name : never }[DataRoute];

/** Routes whose body is a form with a file. */
export type FormRoute = { [Name in DataRoute]: Declares<Name, "form"> extends true ? Name : never }[DataRoute];

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
