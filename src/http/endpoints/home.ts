/** Home: who waits, what runs, what the server has found, how far the first steps are, and today's counters. */
import { type Static, Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { listOpen } from "#src/domain/broadcasts/read.ts";
import { BroadcastView } from "#src/domain/broadcasts/schema.ts";
import { viewBroadcast } from "#src/domain/broadcasts/view.ts";
import { findById } from "#src/domain/contacts/find.ts";
import { displayNameOf } from "#src/domain/contacts/view.ts";
import { findTemplateById, listTemplatePositions } from "#src/domain/templates/read.ts";
import { TemplateView } from "#src/domain/templates/schema.ts";
import { viewTemplate } from "#src/domain/templates/view.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { TodayView } from "../console/dashboard.ts";
import { readOnboarding } from "../console/queries/onboarding.ts";
import { timesOf } from "../times.ts";
import { Data, endpoint } from "./endpoint.ts";
import { OptionalTime } from "./fragments.ts";
import { findWaiting, type Waiting } from "./search-conversations.ts";

/** How many templates are scanned for one that can be sent; Home prints a command with it. */
const TEMPLATES_SCANNED_MAX = 20;

/** How many broadcasts Home shows. */
const BROADCASTS_MAX = 5;

export const homeEndpoints = {
  "GET /w/{workspace}/home": endpoint({
    session: "overview",
    output: Data(
      Type.Object({
        has_key: Type.Boolean(),
        has_sent: Type.Boolean(),
        has_delivered_events: Type.Boolean(),
        exhausted_deliveries: Type.Integer(),
        last_delivered_at: OptionalTime,
        has_template: Type.Boolean(),
        has_people: Type.Boolean(),
        has_broadcast: Type.Boolean(),
        /** Another member than the user, or an open invitation. */
        has_colleague: Type.Boolean(),
        waiting: Type.Object({
          people: Type.Integer(),
          /** More wait than are counted. */
          is_more: Type.Boolean(),
          /** Who has waited longest; null: no person waits. */
          longest: Nullable(Type.Object({ contact_id: Type.Integer(), name: Type.String(), since: Instant() })),
        }),
        /** What the server has found in this workspace that a person has to act on. */
        conditions: Type.Array(
          Type.Object({
            id: Type.String(),
            severity: OneOf(["warning", "critical"]),
            says: Type.String(),
            next: Type.String(),
            since: Instant(),
          }),
        ),
        /** One that can be sent, for a command to copy. */
        template: Nullable(TemplateView),
        broadcasts: Type.Array(BroadcastView),
      }),
    ),
  }).load(async (call) => {
    const { store, workspace, system, user } = call;
    const onboarding = store.read((tx) => readOnboarding(tx, workspace.id, user.id));
    // Other requests are answered between the two looks at the database.
    const waiting = await findWaiting(call);
    const conditions = system.knownConditions().filter(({ workspaceId }) => workspaceId === workspace.id);
    return store.read((tx) => {
      const approved = listTemplatePositions(
        tx,
        workspace.id,
        { status: "APPROVED" },
        { offset: 0 },
        TEMPLATES_SCANNED_MAX,
      ).flatMap(({ id }) => findTemplateById(tx, workspace.id, id) ?? []);
      const open = listOpen(tx, ["queueing", "running", "paused", "scheduled"]);
      const when = timesOf(workspace);
      return {
        has_key: onboarding.hasKey,
        has_sent: onboarding.hasSent,
        has_delivered_events: onboarding.hasDelivered,
        exhausted_deliveries: onboarding.exhaustedCount,
        last_delivered_at: when(onboarding.lastDeliveredAt),
        has_template: approved.length > 0,
        has_people: onboarding.hasPeople,
        has_broadcast: onboarding.hasBroadcast,
        has_colleague: onboarding.hasColleague,
        waiting: viewWaiting(tx, waiting, workspace),
        conditions: conditions.map(({ id, severity, says, next, since }) => ({
          ...{ id, severity, says, next },
          since: when(since),
        })),
        template: forTrial(approved.map((template) => viewTemplate(template, workspace))),
        broadcasts: open
          .filter(({ workspaceId }) => workspaceId === workspace.id)
          .slice(0, BROADCASTS_MAX)
          .map((broadcast) => viewBroadcast(tx, broadcast, workspace)),
      };
    });
  }),
  "GET /w/{workspace}/today": endpoint({ session: "overview", output: Data(TodayView) }).load(
    async ({ dashboard, workspace }) => await dashboard.read(workspace),
  ),
};

function viewWaiting(tx: ReadTx, { people, isMore, longest }: Waiting, workspace: Workspace) {
  const contact = longest === null ? undefined : findById(tx, workspace.id, longest.contactId);
  return {
    people,
    is_more: isMore,
    longest:
      longest === null || contact === undefined
        ? null
        : {
            contact_id: contact.id,
            name: displayNameOf(contact) ?? contact.phone ?? contact.username ?? String(contact.id),
            since: timesOf(workspace)(longest.since),
          },
  };
}

/** For a first message: a UTILITY template where there is one, because sending MARKETING records consent. */
function forTrial(templates: Static<typeof TemplateView>[]): Static<typeof TemplateView> | null {
  const sendable = templates.filter((template) => template.sendable);
  return sendable.find(({ category }) => category === "UTILITY") ?? sendable[0] ?? null;
}
