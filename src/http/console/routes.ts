/** Every route of the console, with its handler. */
import type { ConsoleRoute } from "./route.ts";
import { accountRoutes } from "./routes/account.ts";
import { backupRoutes } from "./routes/backups.ts";
import { billingRoutes } from "./routes/billing.ts";
import { broadcastRoutes } from "./routes/broadcasts.ts";
import { bulkRoutes } from "./routes/bulk.ts";
import { deliveryRoutes } from "./routes/deliveries.ts";
import { developerRoutes } from "./routes/developer.ts";
import { draftRoutes } from "./routes/drafts.ts";
import { groupRoutes } from "./routes/groups.ts";
import { importRoutes } from "./routes/imports.ts";
import { inboxRoutes, mediaRoutes } from "./routes/inbox.ts";
import { messageRoutes } from "./routes/messages.ts";
import { numberRoutes } from "./routes/numbers.ts";
import { operatingRoutes } from "./routes/operating.ts";
import { peopleRoutes } from "./routes/people.ts";
import { recipientRoutes } from "./routes/recipients.ts";
import { signInRoutes } from "./routes/sign-in.ts";
import { simulatorRoutes } from "./routes/simulator.ts";
import { systemRoutes } from "./routes/system.ts";
import { templateRoutes } from "./routes/templates.ts";
import { workspaceRoutes } from "./routes/workspaces.ts";

export const routes: readonly ConsoleRoute[] = [
  ...signInRoutes,
  ...accountRoutes,
  ...workspaceRoutes,
  ...operatingRoutes,
  ...systemRoutes,
  ...backupRoutes,
  ...developerRoutes,
  ...deliveryRoutes,
  ...peopleRoutes,
  ...broadcastRoutes,
  ...recipientRoutes,
  ...bulkRoutes,
  ...inboxRoutes,
  ...mediaRoutes,
  ...messageRoutes,
  ...simulatorRoutes,
  ...numberRoutes,
  ...billingRoutes,
  ...draftRoutes,
  ...templateRoutes,
  ...groupRoutes,
  ...importRoutes,
];
