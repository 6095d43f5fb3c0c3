/** `waxwing number …`: the phone numbers that workspaces send from, on the simulator or on WhatsApp. */

import { controlTokenFile } from "#src/db/files.ts";
import { requireNotNeeded } from "#src/domain/broadcasts/blocked.ts";
import { addNumber, DEFAULT_THROUGHPUT } from "#src/domain/numbers/add.ts";
import {
  createCallbackAddress,
  type NewCallbackAddress,
  removeCallbackAddresses,
} from "#src/domain/numbers/callback-address.ts";
import { clearRestriction } from "#src/domain/numbers/network-state.ts";
import { signsCallbacks } from "#src/domain/numbers/provider.ts";
import { getNumber, listNumbers } from "#src/domain/numbers/read.ts";
import { markReady, markUnready, removeNumber } from "#src/domain/numbers/readiness.ts";
import { updateNumber } from "#src/domain/numbers/update.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { type Database, fileExists, withDatabase } from "./database.ts";
import { listCommand, readCommand, writeCommand } from "./database-command.ts";
import { CommandFailure } from "./failure.ts";
import { connectCommand } from "./number-connect.ts";
import {
  allowUnsigned,
  readRoute,
  readSecrets,
  rotateCallback,
  sealGiven,
  sealRoute,
  unsignedCallbacks,
  whatsapp,
} from "./number-route.ts";
import { CALLBACK_PATH, reportOf, view } from "./number-view.ts";
import { choice, flag, flagOf, number, positional, required, text, type Value, workspaceOption } from "./option.ts";
import type { Report } from "./output.ts";
import { accountPorts, requireSynced, syncNow } from "./sync-now.ts";
import { UsageError } from "./usage-error.ts";

const id = positional(number("ID", "The number's id"));

export const commands: readonly Command[] = [
  command(
    "number add",
    {
      summary: "Add a number to a workspace",
      details:
        "Numbers on the simulator can send at once. Numbers on WhatsApp need --phone-number-id, --account-id and\n--token-file; token and secret are stored encrypted. The number and its templates are synchronized with\nWhatsApp at once, and anything missing is reported.",
    },
    {
      workspace: workspaceOption,
      phone: required(text("PHONE", "The number, in any common format")),
      name: required(text("NAME", "Display name")),
      network: required(choice(["simulator", "whatsapp"], "Its network")),
      throughput: number(
        "N",
        `Maximum messages per second (default: ${DEFAULT_THROUGHPUT}, then what WhatsApp reports)`,
      ),
      ...whatsapp,
      unsignedCallbacks,
    },
    async (context, values) => {
      if (values.network === "whatsapp") requireNoControl(context);
      const secrets = await readRoute(context, values);
      if (secrets === null && values.unsignedCallbacks) {
        throw new UsageError("--unsigned-callbacks: only for --network whatsapp");
      }
      return withDatabase(context, "write", async (database) => {
        if (secrets !== null) await requireToken(context, database, values.phone, secrets);
        const route = secrets === null ? ({ network: "simulator" } as const) : await sealRoute(database, secrets);
        const { phone, name, throughput = null } = values;
        const { added, address } = await database.store.write((tx) => {
          const number = addNumber(tx, values.workspace, { phone, name, throughput, route });
          const isUnsigned = values.unsignedCallbacks || !signsCallbacks(number.provider);
          return { added: number, address: isUnsigned ? createCallbackAddress(tx, number) : null };
        });
        const { problems } = await syncNow(context, database, added);
        return report(database, added.id, address, problems);
      });
    },
  ),
  listCommand(
    "number list",
    "List numbers and whether they can send",
    {},
    {
      rows: (tx, workspaces) =>
        workspaces.flatMap((workspace) => listNumbers(tx, workspace.id).map((number) => view(number, workspace))),
      columns: ({ id, workspace_id: workspace, phone, name, network, ready, unready_reason }) => ({
        ...{ id, workspace, phone, name, network, ready },
        "why not": unready_reason,
      }),
      empty: "There are no numbers: waxwing number add --workspace ID …",
    },
  ),
  readCommand("number show", "Show a number, with its callback address", { id }, (values) => (tx, { config }) => {
    return reportOf(tx, getNumber(tx, values.id), { callbackUrl: `${config.server.publicUrl ?? ""}${CALLBACK_PATH}` });
  }),
  writeCommand(
    "number ready",
    {
      summary: "Mark a number as ready to send",
      details: "On WhatsApp, the next synchronization overrides this.",
    },
    { id },
    (values) => (tx) => {
      const number = getNumber(tx, values.id);
      clearRestriction(tx, number);
      return reportOf(tx, markReady(tx, number.id));
    },
  ),
  writeCommand(
    "number unready",
    "Mark a number as not ready, so that it sends nothing",
    { id, reason: required(text("TEXT", "Reason; shown in refused requests")) },
    ({ id, reason }) =>
      (tx) => {
        markUnready(tx, getNumber(tx, id).id, reason);
        return reportOf(tx, getNumber(tx, id));
      },
  ),
  command(
    "number sync",
    {
      summary: "Synchronize the number's account with WhatsApp now",
      details: "A running server does this every hour and after WhatsApp reports a change.",
    },
    { id },
    (context, { id }) =>
      withDatabase(context, "write", async (database) => {
        const { store } = database;
        const number = store.read((tx) => getNumber(tx, id));
        const result = await syncNow(context, database, number, ["numbers"]);
        requireSynced(result.problems);
        return store.read((tx) => reportOf(tx, getNumber(tx, id)));
      }),
  ),
  command(
    "number update",
    {
      summary: "Change a number's name, pace, token, app secret or provider",
      details:
        "A new token is used from the next message on. Token and secret are stored encrypted. After --no-app-secret, the\nconfigured app secret is used. After --no-api-url, the provider's usual address is used. A number counts as shared once\nanother sender is seen; --shared says it before, or who it is.",
    },
    {
      id,
      name: text("NAME", "Display name"),
      throughput: number("N", "Maximum messages per second"),
      tokenFile: whatsapp.tokenFile,
      appSecretFile: whatsapp.appSecretFile,
      noAppSecret: flag("Remove the number's own app secret"),
      provider: whatsapp.provider,
      apiUrl: whatsapp.apiUrl,
      portfolio: text("ID", "Meta's business portfolio, if the account does not name it"),
      noPortfolio: flag("Remove the business portfolio"),
      shared: choice(
        ["agent", "other", "no"],
        "Who else answers on it: Meta's Business Agent, another sender, no sender",
      ),
      noApiUrl: flag("Remove the number's own API address"),
      unsignedCallbacks,
      noUnsignedCallbacks: flag("Accept signed callbacks only"),
    },
    async (context, { id, ...values }) => {
      const { tokenFile, appSecretFile, noAppSecret, noApiUrl, noPortfolio, provider, shared } = values;
      refuseOpposites(values);
      if (!Object.values(values).some(isGiven)) throw new UsageError("name at least one option to change");
      const secrets = await readSecrets(context, tokenFile, appSecretFile);
      return withDatabase(context, "write", async (database) => {
        const { store } = database;
        const { phoneNumberId } = store.read((tx) => getNumber(tx, id));
        const sealed = await sealGiven(database, phoneNumberId, secrets);
        const apiUrl = noApiUrl ? null : values.apiUrl;
        const appSecret = noAppSecret ? null : (sealed.appSecret ?? undefined);
        const changes = given({
          ...{ name: values.name, throughput: values.throughput, provider, apiUrl, appSecret },
          givenPortfolio: noPortfolio ? null : values.portfolio,
          sharedWith: shared === "no" ? null : shared,
          accessToken: sealed.accessToken ?? undefined,
        });
        const { updated, address } = await store.write((tx) => {
          if (values.noUnsignedCallbacks) removeCallbackAddresses(tx, id);
          const number = updateNumber(tx, getNumber(tx, id), changes);
          return { updated: number, address: values.unsignedCallbacks ? allowUnsigned(tx, number) : null };
        });
        const isRerouted = [tokenFile, provider, apiUrl, appSecret].some((value) => value !== undefined);
        const problems = isRerouted ? (await syncNow(context, database, updated)).problems : [];
        return report(database, updated.id, address, problems);
      });
    },
  ),
  connectCommand,
  writeCommand(
    "number rotate-callback",
    {
      summary: "Give a number a new address for unsigned callbacks",
      details:
        "The old address works until the new one is called, at most a day. Only for a number that accepts such\ncallbacks: waxwing number update ID --unsigned-callbacks.",
    },
    { id },
    ({ id }) =>
      (tx, { config }) => {
        const address = rotateCallback(tx, getNumber(tx, id));
        return reportOf(tx, getNumber(tx, id), { address: { ...address, publicUrl: config.server.publicUrl } });
      },
  ),
  writeCommand(
    "number remove",
    "Remove a number; its messages stay",
    { id, force: flag("Also if broadcasts need it: they will fail") },
    ({ id, force }) =>
      (tx) => {
        if (!force) requireNotNeeded(tx, getNumber(tx, id).workspaceId, { numberId: id });
        const number = removeNumber(tx, id);
        const shown = view(number, getWorkspace(tx, number.workspaceId));
        return { json: shown, text: `Number ${number.id} (${number.phone}) was removed.` };
      },
  ),
];

/** Each option that takes something away, with the one that gives it. */
const opposites = {
  noUnsignedCallbacks: "unsignedCallbacks",
  noApiUrl: "apiUrl",
  noPortfolio: "portfolio",
  noAppSecret: "appSecretFile",
} as const;

function refuseOpposites(values: Readonly<Record<string, Value>>): void {
  const pair = Object.entries(opposites).find(([no, gives]) => values[no] === true && isGiven(values[gives]));
  if (pair !== undefined) throw new UsageError(`use either ${pair.map(flagOf).join(" or ")}`);
}

function isGiven(value: Value): boolean {
  return value !== undefined && value !== false;
}

type Given<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> };

/** Omits the options that were not given. */
function given<Values extends object>(values: Values): Given<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<Values>;
}

/** A number whose token the network refuses is not stored: it would keep its place, and could do nothing. */
async function requireToken(
  context: Context,
  database: Database,
  phone: string,
  { token, appSecret, ...route }: NonNullable<Awaited<ReturnType<typeof readRoute>>>,
): Promise<void> {
  const port = (await accountPorts(context, database))("whatsapp");
  const sender = { phone, ...route, accessToken: token, appSecret };
  const asked = port?.knowsNumbers(sender) === false ? port.listTemplates(sender) : port?.listNumbers(sender);
  const answer = await asked;
  if (answer === undefined || answer.ok || answer.failure.kind !== "token") return;
  throw new CommandFailure(
    "token_refused",
    `the number was not added, because WhatsApp refuses the access token: ${answer.failure.message}`,
    "create a token for a system user with the expiry Never in Meta's business settings, and repeat the command with it",
  );
}

/** A server whose clock a test moves must never send to real people. Its token file says that it is one. */
function requireNoControl(context: Context): void {
  const { simulator, storage } = context.loadConfig();
  const file = controlTokenFile(storage.data);
  if (!simulator.control && !fileExists(file)) return;
  throw new CommandFailure(
    "control_refused",
    "test control is on for this database, so no number on WhatsApp can be added",
    `set [simulator] control = false and start the server again; it then removes ${file}`,
  );
}

/** With its new callback address, if there is one. */
function report(
  { store, config }: Database,
  numberId: number,
  address: NewCallbackAddress | null,
  problems: readonly string[],
): Report {
  const shown = address === null ? null : { ...address, publicUrl: config.server.publicUrl };
  return store.read((tx) => reportOf(tx, getNumber(tx, numberId), { address: shown, problems }));
}
