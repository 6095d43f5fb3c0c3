/** The running server that `listen`, `trigger` and `tail` talk to over HTTP, and the credentials for it. */

import { readFileSync } from "node:fs";
import { controlTokenFile } from "#src/db/files.ts";
import { localOrigin } from "./console-link.ts";
import type { Context } from "./context.ts";
import { readKept } from "./dev/kept.ts";
import { listRunningDevs, type RunningDev } from "./dev/running-devs.ts";
import { CommandFailure } from "./failure.ts";
import { readSecretFile } from "./input.ts";
import { file, text, type Values } from "./option.ts";
import { UsageError } from "./usage-error.ts";

interface ServerTarget {
  /** Without a slash at the end: `http://127.0.0.1:8080`. */
  origin: string;
  apiKey: string | null;
  control: { url: string; token: string } | null;
}

export const targetOptions = {
  server: text("URL", "The server, such as http://127.0.0.1:8080 (default: the waxwing dev that runs)"),
  keyFile: file("FILE|-", "File with an API key of the workspace; or set WAXWING_API_KEY"),
} as const;

export const controlTokenOption = {
  controlTokenFile: file("FILE|-", "File with the token of the test control; or set WAXWING_CONTROL_TOKEN"),
} as const;

type Given = Partial<Values<typeof targetOptions & typeof controlTokenOption>>;

/**
 * `--server`, else the server of `--data` or `--config`, else the only dev that runs. What is known of a dev fills in the
 * key and the token.
 */
export async function findTarget(context: Context, given: Given): Promise<ServerTarget> {
  const found = await located(context, given);
  const { env } = context.io;
  const apiKey =
    given.keyFile === undefined ? env.WAXWING_API_KEY : await readSecretFile(context, "--key-file", given.keyFile);
  const token =
    given.controlTokenFile === undefined
      ? env.WAXWING_CONTROL_TOKEN
      : await readSecretFile(context, "--control-token-file", given.controlTokenFile);
  return {
    origin: found.origin,
    apiKey: apiKey ?? found.apiKey,
    control: token === undefined ? found.control : { url: `${found.origin}/control/v1`, token },
  };
}

async function located(context: Context, { server }: Given): Promise<ServerTarget> {
  const devs = listRunningDevs(context.io);
  if (server !== undefined) {
    const origin = originOf(server);
    const dev = devs.find(({ base_url }) => new URL(base_url).origin === origin);
    return dev === undefined ? { origin, apiKey: null, control: null } : targetOf(dev);
  }
  const { data, config } = context.options;
  if (data !== undefined || config !== undefined) return configured(context, devs);
  const [only, ...others] = devs;
  if (only !== undefined && others.length === 0) return targetOf(only);
  if (only === undefined) {
    throw new CommandFailure(
      "no_server",
      "no waxwing dev of this user is running",
      "start waxwing dev, or name a server with --server URL --key-file FILE",
    );
  }
  const origins = devs
    .map(({ base_url, number, data }) => `${new URL(base_url).origin} (${number ?? "no number"}, ${data})`)
    .join(", ");
  throw new CommandFailure(
    "several_servers",
    `several waxwing dev are running: ${origins}`,
    "choose one with --server URL",
  );
}

/** The server on the configured address. The files in its data directory are read if this user may. */
function configured(context: Context, devs: readonly RunningDev[]): ServerTarget {
  const config = context.loadConfig();
  const { storage } = config;
  const dev = devs.find(({ data }) => data === storage.data);
  if (dev !== undefined) return targetOf(dev);
  const origin = localOrigin(config);
  const token = readIfPresent(controlTokenFile(storage.data));
  return {
    origin,
    apiKey: readKept(storage.data)?.demo.key ?? null,
    control: token === null ? null : { url: `${origin}/control/v1`, token },
  };
}

function targetOf({ base_url, api_key, control_url, control_token }: RunningDev): ServerTarget {
  return {
    origin: new URL(base_url).origin,
    apiKey: api_key,
    control: { url: control_url, token: control_token },
  };
}

/** Accepts the address of the API too, as dev prints it. */
function originOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new UsageError(`--server is ${JSON.stringify(text)}, and must be an address such as http://127.0.0.1:8080`);
  }
  return url.origin;
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}

/** Throws if the target has no API key. */
export function requireApiKey({ origin, apiKey }: ServerTarget): string {
  if (apiKey !== null) return apiKey;
  throw new CommandFailure(
    "no_key",
    `no API key for ${origin} was given`,
    "pass --key-file FILE, or set WAXWING_API_KEY; waxwing key create makes a key",
  );
}

/** Throws if the target's test control is not known. */
export function requireControl({ origin, control }: ServerTarget): { url: string; token: string } {
  if (control !== null) return control;
  throw new CommandFailure(
    "no_control",
    `no token of the test control of ${origin} was given`,
    "start waxwing dev, or serve with [simulator] control = true and pass --control-token-file DATA/control.token",
  );
}
