/**
 * The parts of `waxwing number` that concern WhatsApp: its options, the route to the network,
 * the secrets, and callbacks without a signature.
 */
import type { Tx } from "#src/db/transaction.ts";
import type { NewNumber } from "#src/domain/numbers/add.ts";
import {
  createCallbackAddress,
  listCallbackAddresses,
  type NewCallbackAddress,
} from "#src/domain/numbers/callback-address.ts";
import { type Provider, providers } from "#src/domain/numbers/provider.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { type GivenSecrets, sealSecrets } from "#src/networks/credentials.ts";
import type { Context } from "./context.ts";
import type { Database } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { readSecretFile } from "./input.ts";
import { choice, file, flag, flagOf, text } from "./option.ts";
import { UsageError } from "./usage-error.ts";

export const whatsapp = {
  phoneNumberId: text("ID", "WhatsApp: the phone number id, from Meta's app dashboard"),
  accountId: text("ID", "WhatsApp: the id of the WhatsApp Business account"),
  tokenFile: file("FILE|-", "WhatsApp: a file with the access token, or - for stdin"),
  appSecretFile: file("FILE|-", "WhatsApp: a file with the Meta app's secret, if it differs from the configured one"),
  provider: choice(providers, "WhatsApp: who serves the number (default: graph, Meta itself)"),
  apiUrl: text("URL", "WhatsApp: the API's address, if it differs from the provider's usual one"),
} as const;

export const unsignedCallbacks = flag("WhatsApp: also accept unsigned callbacks, at an address that is shown once");

interface Route {
  readonly phoneNumberId: string;
  readonly accountId: string;
  readonly provider: Provider;
  readonly apiUrl: string | null;
}

type RouteOptions = { readonly network: string; readonly provider: Provider | undefined } & {
  readonly [Name in Exclude<keyof typeof whatsapp, "provider">]: string | undefined;
};

/** Null for the simulator, which has no secrets. */
export async function readRoute(context: Context, values: RouteOptions): Promise<(GivenSecrets & Route) | null> {
  const { network, phoneNumberId, accountId, tokenFile, appSecretFile } = values;
  if (network === "simulator") {
    const stray = (Object.keys(whatsapp) as (keyof typeof whatsapp)[]).filter((name) => values[name] !== undefined);
    if (stray.length === 0) return null;
    throw new UsageError(`${stray.map(flagOf).join(", ")}: only for --network whatsapp`);
  }
  if (phoneNumberId === undefined || accountId === undefined || tokenFile === undefined) {
    const missing = (["phoneNumberId", "accountId", "tokenFile"] as const).filter((name) => values[name] === undefined);
    throw new UsageError(`--network whatsapp also needs ${missing.map(flagOf).join(", ")}`);
  }
  const { provider = "graph", apiUrl = null } = values;
  const secrets = await readSecrets(context, tokenFile, appSecretFile);
  return { phoneNumberId, accountId, provider, apiUrl, ...secrets };
}

export async function readSecrets(
  context: Context,
  tokenFile: string | undefined,
  appSecretFile: string | undefined,
): Promise<GivenSecrets> {
  if (tokenFile === "-" && appSecretFile === "-") {
    throw new UsageError("stdin can provide only one of the two secrets: put the other one into a file");
  }
  return {
    token: tokenFile === undefined ? null : await readSecretFile(context, "--token-file", tokenFile),
    appSecret: appSecretFile === undefined ? null : await readSecretFile(context, "--app-secret-file", appSecretFile),
  };
}

export async function sealRoute(database: Database, route: GivenSecrets & Route): Promise<NewNumber["route"]> {
  const { phoneNumberId, accountId, provider, apiUrl } = route;
  const { accessToken, appSecret } = await sealGiven(database, phoneNumberId, route);
  return { network: "whatsapp", phoneNumberId, accountId, provider, apiUrl, accessToken: accessToken ?? "", appSecret };
}

/** The key is read only if there is something to seal. */
export async function sealGiven(
  database: Database,
  phoneNumberId: string,
  given: GivenSecrets,
): Promise<ReturnType<typeof sealSecrets>> {
  if (given.token === null && given.appSecret === null) return { accessToken: null, appSecret: null };
  return sealSecrets(database.box(), phoneNumberId, given);
}

/** Throws for a number that accepts them already: a second address would end the first one. */
export function allowUnsigned(tx: Tx, number: SendingNumber): NewCallbackAddress {
  if (listCallbackAddresses(tx, number.id).length === 0) return createCallbackAddress(tx, number);
  throw new CommandFailure(
    "has_callback_address",
    `number ${number.id} has an address for unsigned callbacks already`,
    `waxwing number rotate-callback ${number.id} gives it a new one`,
  );
}

/** Throws for a number that accepts signed callbacks only. */
export function rotateCallback(tx: Tx, number: SendingNumber): NewCallbackAddress {
  if (listCallbackAddresses(tx, number.id).length > 0) return createCallbackAddress(tx, number);
  throw new CommandFailure(
    "no_callback_address",
    `number ${number.id} accepts signed callbacks only`,
    `waxwing number update ${number.id} --unsigned-callbacks allows others`,
  );
}
