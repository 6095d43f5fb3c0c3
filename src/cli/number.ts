/** `waxwing number …`: the phone numbers that workspaces send from, on the simulator or on WhatsApp. */

import { controlTokenFile } from "#src/db/files.ts";
import type { Tx } from "#src/db/transaction.ts";
import { addNumber, DEFAULT_THROUGHPUT, type NewNumber } from "#src/domain/numbers/add.ts";
import { clearRestriction } from "#src/domain/numbers/network-state.ts";
import { getNumber, listNumbers } from "#src/domain/numbers/read.ts";
import { markReady, markUnready, removeNumber } from "#src/domain/numbers/readiness.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { updateNumber } from "#src/domain/numbers/update.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { type Command, command, flagOf, workspaceFilter, workspaceOption } from "./command.ts";
import type { Context } from "./context.ts";
import { type Database, fileExists, withDatabase } from "./database.ts";
import { CommandFailure, UsageError } from "./failure.ts";
import { readSecretFile } from "./input.ts";
import { reportOf, reportWithProblems, view } from "./number-view.ts";
import { type Report, table } from "./output.ts";
import { requireSynced, syncNow } from "./sync-now.ts";
import { workspacesOf } from "./workspace-option.ts";

const group = "number";
const id = { kind: "number", value: "ID", required: true, description: "The number's id" } as const;

const whatsapp = {
  phoneNumberId: {
    kind: "text",
    value: "ID",
    description: "WhatsApp: the phone number id, from Meta's app dashboard",
  },
  accountId: { kind: "text", value: "ID", description: "WhatsApp: the id of the WhatsApp Business account" },
  tokenFile: {
    kind: "text",
    value: "FILE|-",
    file: { as: "read" },
    description: "WhatsApp: a file with the access token, or - for stdin",
  },
  appSecretFile: {
    kind: "text",
    value: "FILE|-",
    file: { as: "read" },
    description: "WhatsApp: a file with the Meta app's secret, if it differs from the configured one",
  },
} as const;

export const commands: readonly Command[] = [
  command({
    group,
    name: "add",
    summary: "Add a number to a workspace",
    details:
      "Numbers on the simulator can send at once. Numbers on WhatsApp need --phone-number-id, --account-id and\n--token-file; token and secret are stored encrypted. The number and its templates are synchronized with\nWhatsApp at once, and anything missing is reported.",
    options: {
      workspace: workspaceOption,
      phone: { kind: "text", value: "PHONE", required: true, description: "The number, in any common format" },
      name: { kind: "text", value: "NAME", required: true, description: "Display name" },
      network: { kind: "choice", choices: ["simulator", "whatsapp"], required: true, description: "Its network" },
      throughput: {
        kind: "number",
        value: "N",
        description: `Maximum messages per second (default: ${DEFAULT_THROUGHPUT})`,
      },
      ...whatsapp,
    },
    run: async (context, values) => {
      if (values.network === "whatsapp") requireNoControl(context);
      const secrets = await readRoute(context, values);
      return withDatabase(context, "write", async (database) => {
        const route = secrets === null ? ({ network: "simulator" } as const) : await seal(database, secrets);
        const { phone, name, throughput = DEFAULT_THROUGHPUT } = values;
        const added = await database.store.write((tx) =>
          addNumber(tx, values.workspace, { phone, name, throughput, route }),
        );
        const { problems } = await syncNow(context, database, added);
        return database.store.read((tx) => reportWithProblems(tx, getNumber(tx, added.id), problems));
      });
    },
  }),
  command({
    group,
    name: "list",
    summary: "List numbers and whether they can send",
    options: { workspace: workspaceFilter },
    run: (context, values) =>
      withDatabase(context, "read", ({ store }) => {
        const numbers = store.read((tx) =>
          workspacesOf(tx, values.workspace).flatMap((workspace) =>
            listNumbers(tx, workspace.id).map((number) => view(number, workspace)),
          ),
        );
        const rows = numbers.map((number) => [
          number.id,
          number.workspace_id,
          number.phone,
          number.name,
          number.network,
          number.ready,
          number.unready_reason,
        ]);
        const headings = ["id", "workspace", "phone", "name", "network", "ready", "why not"];
        return {
          json: numbers,
          text: table(headings, rows, "There are no numbers: waxwing number add --workspace ID …"),
        };
      }),
  }),
  command({
    group,
    name: "show",
    summary: "Show a number, with its callback address",
    positionals: { id },
    run: (context, values) =>
      withDatabase(context, "read", ({ store, config }) =>
        store.read((tx) => {
          return reportOf(tx, getNumber(tx, values.id), config.server.publicUrl ?? "");
        }),
      ),
  }),
  command({
    group,
    name: "ready",
    summary: "Mark a number as ready to send",
    details: "On WhatsApp, the next synchronization overrides this.",
    positionals: { id },
    run: (context, values) =>
      change(context, values.id, (tx, number) => {
        clearRestriction(tx, number.id);
        markReady(tx, number.id);
      }),
  }),
  command({
    group,
    name: "unready",
    summary: "Mark a number as not ready, so that it sends nothing",
    positionals: { id },
    options: {
      reason: { kind: "text", value: "TEXT", required: true, description: "Reason; shown in refused requests" },
    },
    run: (context, values) =>
      change(context, values.id, (tx, number) => void markUnready(tx, number.id, values.reason)),
  }),
  command({
    group,
    name: "sync",
    summary: "Synchronize the number's account with WhatsApp now",
    details: "A running server does this every hour and after WhatsApp reports a change.",
    positionals: { id },
    run: (context, values) =>
      withDatabase(context, "write", async (database) => {
        const { store } = database;
        const number = store.read((tx) => getNumber(tx, values.id));
        const result = await syncNow(context, database, number, ["numbers"]);
        requireSynced(result.problems);
        return store.read((tx) => reportOf(tx, getNumber(tx, values.id)));
      }),
  }),
  command({
    group,
    name: "update",
    summary: "Change a number's name, pace, token or app secret",
    details:
      "A new token is used from the next message on. Token and secret are stored encrypted. After --no-app-secret, the\nconfigured app secret is used.",
    positionals: { id },
    options: {
      name: { kind: "text", value: "NAME", description: "Display name" },
      throughput: { kind: "number", value: "N", description: "Maximum messages per second" },
      tokenFile: whatsapp.tokenFile,
      appSecretFile: whatsapp.appSecretFile,
      noAppSecret: { kind: "flag", description: "Remove the number's own app secret" },
    },
    run: async (context, values) => {
      const { name, throughput, tokenFile, appSecretFile, noAppSecret } = values;
      if (noAppSecret && appSecretFile !== undefined) {
        throw new UsageError("use either --no-app-secret or --app-secret-file", "number update");
      }
      const isUnchanged = [name, throughput, tokenFile, appSecretFile].every((value) => value === undefined);
      if (isUnchanged && !noAppSecret) throw new UsageError("name at least one option to change", "number update");
      const secrets = await readSecrets(context, tokenFile, appSecretFile, "number update");
      return withDatabase(context, "write", async (database) => {
        const { store } = database;
        const { phoneNumberId } = store.read((tx) => getNumber(tx, values.id));
        const sealed = await sealSecrets(database, phoneNumberId, secrets);
        const changes = {
          ...(name === undefined ? {} : { name }),
          ...(throughput === undefined ? {} : { throughput }),
          ...(sealed.accessToken === null ? {} : { accessToken: sealed.accessToken }),
          ...(sealed.appSecret === null ? {} : { appSecret: sealed.appSecret }),
          ...(noAppSecret ? { appSecret: null } : {}),
        };
        const updated = await store.write((tx) => updateNumber(tx, getNumber(tx, values.id), changes));
        const problems = tokenFile === undefined ? [] : (await syncNow(context, database, updated)).problems;
        return store.read((tx) => reportWithProblems(tx, getNumber(tx, values.id), problems));
      });
    },
  }),
  command({
    group,
    name: "remove",
    summary: "Remove a number; its messages stay",
    positionals: { id },
    run: (context, values) =>
      withDatabase(context, "write", async ({ store }) => {
        const number = await store.write((tx) => removeNumber(tx, values.id));
        const workspace = store.read((tx) => getWorkspace(tx, number.workspaceId));
        return { json: view(number, workspace), text: `Number ${number.id} (${number.phone}) was removed.` };
      }),
  }),
];

function change(context: Context, numberId: number, apply: (tx: Tx, number: SendingNumber) => void): Promise<Report> {
  return withDatabase(context, "write", ({ store }) =>
    store.write((tx) => {
      apply(tx, getNumber(tx, numberId));
      return reportOf(tx, getNumber(tx, numberId));
    }),
  );
}

interface Secrets {
  readonly token: string | null;
  readonly appSecret: string | null;
}

type RouteOptions = { readonly network: string } & { readonly [Name in keyof typeof whatsapp]: string | undefined };

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

/** Null for the simulator, which has no secrets. */
async function readRoute(
  context: Context,
  values: RouteOptions,
): Promise<(Secrets & { phoneNumberId: string; accountId: string }) | null> {
  const { network, phoneNumberId, accountId, tokenFile, appSecretFile } = values;
  if (network === "simulator") {
    const stray = (Object.keys(whatsapp) as (keyof typeof whatsapp)[]).filter((name) => values[name] !== undefined);
    if (stray.length === 0) return null;
    throw new UsageError(`${stray.map(flagOf).join(", ")}: only for --network whatsapp`, "number add");
  }
  if (phoneNumberId === undefined || accountId === undefined || tokenFile === undefined) {
    const missing = (["phoneNumberId", "accountId", "tokenFile"] as const).filter((name) => values[name] === undefined);
    throw new UsageError(`--network whatsapp also needs ${missing.map(flagOf).join(", ")}`, "number add");
  }
  return { phoneNumberId, accountId, ...(await readSecrets(context, tokenFile, appSecretFile, "number add")) };
}

async function readSecrets(
  context: Context,
  tokenFile: string | undefined,
  appSecretFile: string | undefined,
  helpOn: string,
): Promise<Secrets> {
  if (tokenFile === "-" && appSecretFile === "-") {
    throw new UsageError("stdin can provide only one of the two secrets: put the other one into a file", helpOn);
  }
  return {
    token: tokenFile === undefined ? null : await readSecretFile(context, "--token-file", tokenFile),
    appSecret: appSecretFile === undefined ? null : await readSecretFile(context, "--app-secret-file", appSecretFile),
  };
}

async function seal(
  database: Database,
  route: Secrets & { phoneNumberId: string; accountId: string },
): Promise<NewNumber["route"]> {
  const { phoneNumberId, accountId } = route;
  const { accessToken, appSecret } = await sealSecrets(database, phoneNumberId, route);
  return { network: "whatsapp", phoneNumberId, accountId, accessToken: accessToken ?? "", appSecret };
}

async function sealSecrets(
  database: Database,
  phoneNumberId: string,
  { token, appSecret }: Secrets,
): Promise<{ accessToken: string | null; appSecret: string | null }> {
  if (token === null && appSecret === null) return { accessToken: null, appSecret: null };
  const { accessTokenContext } = await import("#src/networks/credentials.ts");
  const { appSecretContext } = await import("#src/receiving/callback-secrets.ts");
  const box = database.box();
  return {
    accessToken: token === null ? null : box.seal(token, accessTokenContext(phoneNumberId)),
    appSecret: appSecret === null ? null : box.seal(appSecret, appSecretContext(phoneNumberId)),
  };
}
