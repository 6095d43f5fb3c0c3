/**
 * Whether there is a newer release, what changed, and the command that installs it. The address of releases is asked when an
 * operator presses the button, and once a day where the configuration says so. Nothing is installed from here.
 */
import { Type } from "@sinclair/typebox";
import { Nullable } from "#src/core/schema.ts";
import { commit, version } from "#src/core/version.ts";
import { migrations } from "#src/db/migrations.ts";
import { answerData } from "../answer.ts";
import type { ConsoleContext } from "../console/context.ts";
import { whenUtc } from "../times.ts";
import { Data, endpoint } from "./endpoint.ts";
import { OptionalText, OptionalTime } from "./fragments.ts";

const SCHEMA = migrations.at(-1)?.version ?? 0;

const UpgradeView = Type.Object({
  version: Type.String(),
  commit: OptionalText,
  /** Where releases are; null: this executable was not made from a release, and knows no such place. */
  place: OptionalText,
  asks_daily: Type.Boolean(),
  /** Null: the place was not asked since the server's start. */
  checked_at: OptionalTime,
  /** Why it could not be asked the last time. */
  failure: OptionalText,
  release: Nullable(
    Type.Object({
      version: Type.String(),
      /** Its executable migrates the database, so the way back restores the one from before. */
      migrates: Type.Boolean(),
      is_newer: Type.Boolean(),
      /** Since the version that runs, newest first; empty for a release without a changelog. */
      changes: Type.Array(
        Type.Object({
          version: Type.String(),
          date: OptionalText,
          groups: Type.Array(Type.Object({ title: OptionalText, items: Type.Array(Type.String()) })),
        }),
      ),
    }),
  ),
  /** Installs the newest release; null where no place is known. */
  command: OptionalText,
  way_back: Type.String(),
});

const ofServer = { session: "server operator", output: Data(UpgradeView) } as const;

export const upgradeEndpoints = {
  "GET /system/upgrade": endpoint(ofServer).load(async ({ system }) => view(system)),
  // Asks the place of releases, so it may take a while; changes nothing here.
  "POST /system/upgrade/check": endpoint(ofServer).answer(async ({ system }) => {
    await system.upgrade.check();
    return answerData(200, view(system));
  }),
};

function view({ upgrade }: ConsoleContext["system"]) {
  const { checkedAt, release, failure } = upgrade.known();
  return {
    ...{ version, commit: commit === "" ? null : commit, place: upgrade.place, asks_daily: upgrade.asksDaily },
    ...{ checked_at: whenUtc(checkedAt), failure },
    release:
      release === null
        ? null
        : {
            ...{ version: release.version, migrates: release.schema > SCHEMA, is_newer: release.isNewer },
            changes: release.changes,
          },
    command: upgrade.place === null ? null : "sudo waxwing upgrade",
    way_back: "sudo waxwing upgrade back",
  };
}
