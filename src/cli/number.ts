/** `waxwing number …`: the phone numbers that workspaces send from, on the simulator or on WhatsApp. */
import { addNumber, type NewNumber } from "#src/domain/numbers/add.ts";
import { getNumber, listNumbers } from "#src/domain/numbers/read.ts";
import { makeReady, makeUnready, removeNumber } from "#src/domain/numbers/readiness.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { type Command, command, flagOf, workspaceFilter, workspaceOption } from "./command.ts";
import type { Context } from "./context.ts";
import { type Database, withDatabase } from "./database.ts";
import { UsageError } from "./failure.ts";
import { readSecretFile } from "./input.ts";
import { timesIn, workspacesOf } from "./of-workspaces.ts";
import { list, type Report, table } from "./output.ts";

const group = "number";
const id = { kind: "number", value: "ID", required: true, says: "The number's id" } as const;

/** What Meta lets a number send unless it was raised. */
const THROUGHPUT = 80;

const whatsapp = {
  phoneNumberId: {
    kind: "text",
    value: "ID",
    says: "On WhatsApp: the phone number id that Meta's app dashboard shows",
  },
  accountId: { kind: "text", value: "ID", says: "On WhatsApp: the id of the WhatsApp Business account" },
  tokenFile: { kind: "text", value: "FILE|-", says: "On WhatsApp: a file (or - for stdin) with the access token" },
  appSecretFile: {
    kind: "text",
    value: "FILE|-",
    says: "On WhatsApp: a file with its Meta app's secret, where that is not the configuration's",
  },
} as const;

export const commands: readonly Command[] = [
  command({
    group,
    name: "add",
    summary: "Add a number to a workspace",
    details:
      "Numbers on the simulator can send at once. Numbers on WhatsApp need --phone-number-id, --account-id and\n--token-file; token and secret are stored encrypted.",
    options: {
      workspace: workspaceOption,
      phone: { kind: "text", value: "PHONE", required: true, says: "The number, in any common format" },
      name: { kind: "text", value: "NAME", required: true, says: "The name that people see" },
      network: { kind: "choice", choices: ["simulator", "whatsapp"], required: true, says: "Where it lives" },
      throughput: { kind: "number", value: "N", says: `Most messages a second (default: ${THROUGHPUT})` },
      ...whatsapp,
    },
    run: async (context, given) => {
      const secrets = await readRoute(context, given);
      return withDatabase(context, "write", async (database) => {
        const route = secrets === null ? ({ network: "simulator" } as const) : await seal(database, secrets);
        const { phone, name, throughput = THROUGHPUT } = given;
        return database.store.write((tx) => {
          const number = addNumber(tx, given.workspace, { phone, name, throughput, route });
          return reportOf(number, getWorkspace(tx, number.workspaceId));
        });
      });
    },
  }),
  command({
    group,
    name: "list",
    summary: "Numbers, and whether they can send",
    options: { workspace: workspaceFilter },
    run: (context, given) =>
      withDatabase(context, "read", ({ store }) => {
        const numbers = store.read((reading) =>
          workspacesOf(reading, given.workspace).flatMap((workspace) =>
            listNumbers(reading, workspace.id).map((number) => view(number, workspace)),
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
          text: table(headings, rows, "There is no number: waxwing number add --workspace ID …"),
        };
      }),
  }),
  command({
    group,
    name: "show",
    summary: "One number, with its callback address",
    positionals: { id },
    run: (context, given) =>
      withDatabase(context, "read", ({ store, config }) =>
        store.read((reading) => {
          const number = getNumber(reading, given.id);
          return reportOf(number, getWorkspace(reading, number.workspaceId), config.server.publicUrl ?? "");
        }),
      ),
  }),
  command({
    group,
    name: "ready",
    summary: "Say that a number can send",
    positionals: { id },
    run: (context, given) =>
      change(context, (database) => database.store.write((tx) => named(tx, makeReady(tx, given.id)))),
  }),
  command({
    group,
    name: "unready",
    summary: "Stop a number from sending",
    positionals: { id },
    options: { reason: { kind: "text", value: "TEXT", required: true, says: "Why; told to whoever tries to send" } },
    run: (context, given) =>
      change(context, (database) => database.store.write((tx) => named(tx, makeUnready(tx, given.id, given.reason)))),
  }),
  command({
    group,
    name: "remove",
    summary: "Take a number away; its messages stay",
    positionals: { id },
    run: (context, given) =>
      withDatabase(context, "write", async ({ store }) => {
        const { number, workspace } = await store.write((tx) => named(tx, removeNumber(tx, given.id)));
        return { json: view(number, workspace), text: `Number ${number.id} (${number.phone}) is removed.` };
      }),
  }),
];

interface Named {
  number: SendingNumber;
  workspace: Workspace;
}

function named(tx: Parameters<typeof getWorkspace>[0], number: SendingNumber): Named {
  return { number, workspace: getWorkspace(tx, number.workspaceId) };
}

function change(context: Context, apply: (database: Database) => Promise<Named>): Promise<Report> {
  return withDatabase(context, "write", async (database) => {
    const { number, workspace } = await apply(database);
    return reportOf(number, workspace);
  });
}

interface Secrets {
  readonly phoneNumberId: string;
  readonly accountId: string;
  readonly token: string;
  readonly appSecret: string | null;
}

type GivenRoute = { readonly network: string } & { readonly [Name in keyof typeof whatsapp]: string | undefined };

/** Null: the simulator, which has no secrets. */
async function readRoute({ io }: Context, given: GivenRoute): Promise<Secrets | null> {
  const { network, phoneNumberId, accountId, tokenFile, appSecretFile } = given;
  if (network === "simulator") {
    const stray = (Object.keys(whatsapp) as (keyof typeof whatsapp)[]).filter((name) => given[name] !== undefined);
    if (stray.length === 0) return null;
    throw new UsageError(`${stray.map(flagOf).join(", ")}: only for --network whatsapp`, "number add");
  }
  if (phoneNumberId === undefined || accountId === undefined || tokenFile === undefined) {
    const missing = (["phoneNumberId", "accountId", "tokenFile"] as const).filter((name) => given[name] === undefined);
    throw new UsageError(`--network whatsapp also needs ${missing.map(flagOf).join(", ")}`, "number add");
  }
  if (tokenFile === "-" && appSecretFile === "-") {
    throw new UsageError("stdin can hold one of the two secrets: put the other one into a file", "number add");
  }
  return {
    phoneNumberId,
    accountId,
    token: await readSecretFile(io, "--token-file", tokenFile),
    appSecret: appSecretFile === undefined ? null : await readSecretFile(io, "--app-secret-file", appSecretFile),
  };
}

async function seal(database: Database, secrets: Secrets): Promise<NewNumber["route"]> {
  const { phoneNumberId, accountId, token, appSecret } = secrets;
  const { accessTokenContext } = await import("#src/workers/sender.ts");
  const box = database.box();
  return {
    network: "whatsapp",
    phoneNumberId,
    accountId,
    accessToken: box.seal(token, accessTokenContext(phoneNumberId)),
    appSecret: appSecret === null ? null : box.seal(appSecret, `app_secret:${phoneNumberId}`),
  };
}

function view(number: SendingNumber, workspace: Workspace) {
  return {
    id: number.id,
    workspace_id: number.workspaceId,
    phone: number.phone,
    name: number.name,
    network: number.network,
    ready: number.ready,
    unready_reason: number.unreadyReason,
    throughput: number.throughput,
    account_id: number.accountId,
    phone_number_id: number.phoneNumberId,
    has_app_secret: number.appSecret !== null,
    created_at: timesIn(workspace)(number.createdAt),
  };
}

/** `publicUrl` is given where the callback address may be shown: its token is as good as a password. */
function reportOf(number: SendingNumber, workspace: Workspace, publicUrl: string | null = null): Report {
  const shown = view(number, workspace);
  const token = publicUrl === null ? {} : { callback_token: number.callbackToken };
  const isWhatsapp = number.network === "whatsapp";
  const callback = (path: string): string | undefined =>
    publicUrl !== null && isWhatsapp ? `${publicUrl}/networks/whatsapp${path}` : undefined;
  const text = list({
    id: shown.id,
    workspace: shown.workspace_id,
    phone: shown.phone,
    name: shown.name,
    network: shown.network,
    ready: shown.ready ? "yes" : `no: ${shown.unready_reason}`,
    throughput: `${shown.throughput} messages a second`,
    "account id": isWhatsapp ? shown.account_id : undefined,
    "phone number id": isWhatsapp ? shown.phone_number_id : undefined,
    "app secret": isWhatsapp ? (shown.has_app_secret ? "its own" : "the configuration's") : undefined,
    callback: callback(""),
    "callback, unsigned": callback(`/${number.callbackToken}`),
    added: shown.created_at,
  });
  return { json: { ...shown, ...token }, text };
}
