/** `waxwing doctor`: finds problems with the set-up and names the next step for each. */

import { findMovedAway, type MovedAway } from "#src/backup/move/original.ts";
import { formatInstant } from "#src/core/instant.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { runDoctor } from "#src/health/doctor.ts";
import { type DoctorContext, readDoctorSettings } from "#src/health/doctor-context.ts";
import { Findings, type Reported } from "#src/health/finding.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { type Database, withDatabase } from "./database.ts";
import { workspacesOf } from "./database-command.ts";
import { describeFindings } from "./finding.ts";
import { flag, workspaceFilter } from "./option.ts";
import type { Report } from "./output.ts";
import { accountPorts, syncNow } from "./sync-now.ts";

export const commands: readonly Command[] = [
  command(
    "doctor",
    {
      summary: "Find problems with the setup and the next step for each",
      details:
        "Checks for every number the way to WhatsApp, token, ids, readiness, quality, app secret, subscription, webhook and\ntemplates; and the callback address and the clock. The cause of a problem stands first. Changes nothing, except with\n--subscribe.\nExit code 1 if there is a problem; warnings do not count.",
    },
    {
      workspace: workspaceFilter,
      subscribe: flag("Subscribe the app to accounts where it is not subscribed"),
    },
    async (context, { workspace, subscribe }) => {
      const away = findMovedAway(context.loadConfig().storage.path);
      if (away !== null) return reportOf(closedFindings(away), []);
      return withDatabase(context, subscribe ? "write" : "read", async (database) => {
        const numbers = database.store.read((tx) =>
          workspacesOf(tx, workspace).flatMap(({ id }) => listNumbers(tx, id)),
        );
        const findings = await runDoctor(createDoctorContext(context, database), numbers, subscribe);
        if (subscribe) await syncEach(context, database, numbers);
        return reportOf(findings, numbers);
      });
    },
  ),
];

function closedFindings({ at, file }: MovedAway): readonly Reported[] {
  const findings = new Findings();
  const next =
    "keep this server from starting (systemctl disable --now waxwing), or reopen it as a copy: waxwing move cancel";
  findings.warn("database", null, `closed: it was moved out on ${formatInstant(at, "UTC")} to ${file}`, next);
  return findings.all;
}

/** The conditions of `status` must know of the subscription too. */
async function syncEach(context: Context, database: Database, numbers: readonly SendingNumber[]): Promise<void> {
  const accounts = new Map(numbers.map((number) => [`${number.workspaceId} ${number.accountId}`, number]));
  for (const number of accounts.values()) await syncNow(context, database, number, ["numbers"]);
}

function createDoctorContext(context: Context, database: Database): DoctorContext {
  return {
    store: database.store,
    clock: context.io.clock,
    random: context.io.random,
    box: () => database.box(),
    port: async () => (await accountPorts(context, database))("whatsapp"),
    settings: readDoctorSettings(database.config, context.io.env),
  };
}

function reportOf(findings: readonly Reported[], numbers: readonly SendingNumber[]): Report {
  const json = {
    ok: findings.every(({ level }) => level !== "problem"),
    findings: findings.map(({ level, check, numberId, says: message, next, conditionId }) => ({
      // As in waxwing status; null: not a condition.
      id: conditionId,
      level,
      check,
      workspace_id: numbers.find(({ id }) => id === numberId)?.workspaceId ?? null,
      number_id: numberId,
      message,
      next,
    })),
  };
  const about = ({ numberId, check }: Reported): string => (numberId === null ? check : `number ${numberId}, ${check}`);
  return { json, text: describeFindings(findings, about), exitCode: json.ok ? 0 : 1 };
}
