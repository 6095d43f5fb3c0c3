/** Compares an account with the network from a command, with or without a running server. */
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import type { AccountPort, NetworkName } from "#src/networks/network.ts";
import type { SyncResult, SyncScope } from "#src/receiving/sync-account.ts";
import type { Context } from "./context.ts";
import type { Database } from "./database.ts";
import { CommandFailure } from "./failure.ts";

export async function syncNow(
  context: Context,
  database: Database,
  number: SendingNumber,
  parts?: readonly SyncScope[],
): Promise<SyncResult> {
  if (number.network === "simulator") return { templates: null, problems: [], isTemporary: false };
  const { syncAccount } = await import("#src/receiving/sync-account.ts");
  const { store } = database;
  const portOf = await accountPorts(context, database);
  const { allowPrivate } = database.config.webhooks;
  return syncAccount({ store, clock: context.io.clock, box: database.box(), portOf, allowPrivate }, number, parts);
}

/** The account queries that the current configuration allows, by network. */
export async function accountPorts(
  { io }: Context,
  { config }: Database,
): Promise<(network: NetworkName) => AccountPort | undefined> {
  const { createWhatsapp } = await import("#src/networks/whatsapp/whatsapp.ts");
  const { account } = createWhatsapp(config.whatsapp, io.clock);
  return (network) => (network === "whatsapp" ? account : undefined);
}

/** For commands that only sync: throws if there are problems. */
export function requireSynced(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new CommandFailure("not_synced", problems.join("\n"), "run waxwing doctor for details");
}
