/** The store that a command uses: as configured, or as its options name it on a machine that has no configuration yet. */

import { DEFAULT_REGION, ObjectStore, StoreFailure } from "#src/backup/remote/object-store.ts";
import type { RemoteSettings } from "#src/backup/remote/settings.ts";
import type { Context } from "./context.ts";
import { CommandFailure } from "./failure.ts";
import { readSecretFile } from "./input.ts";
import { file, text, type Values } from "./option.ts";
import { UsageError } from "./usage-error.ts";

export const storeOptions = {
  endpoint: text("URL", "Address of the store (default: [backup.remote] endpoint)"),
  region: text("R", "Its region (default: [backup.remote] region)"),
  accessKey: text("ID", "Id of the access key (default: [backup.remote] access_key)"),
  secretKeyFile: file("FILE", "File with its secret (default: [backup.remote] secret_key_file)"),
} as const;

/** Throws `CommandFailure` if something is named neither by an option nor in the configuration. */
export async function openStore(
  context: Context,
  bucket: string,
  values: Values<typeof storeOptions>,
): Promise<ObjectStore> {
  const { remote } = context.loadConfig().backup;
  const endpoint = values.endpoint ?? remote?.endpoint;
  const accessKey = values.accessKey ?? remote?.accessKey;
  const secretKeyFile = values.secretKeyFile ?? remote?.secretKeyFile;
  if (endpoint === undefined || accessKey === undefined || secretKeyFile === undefined)
    throw new CommandFailure(
      "no_remote",
      "the store is not known here",
      "give --endpoint, --access-key and --secret-key-file, which the recovery sheet names, or a configuration with [backup.remote]",
    );
  if (!/^https?:\/\/[^\s\\?#@]+$/i.test(endpoint) || !URL.canParse(endpoint))
    throw new UsageError(`--endpoint: ${endpoint} is not an address such as https://s3.example.com`);
  const secret = await readSecretFile(context, "--secret-key-file", secretKeyFile);
  const region = values.region ?? remote?.region ?? DEFAULT_REGION;
  return new ObjectStore({ endpoint, bucket, region, accessKey, secret }, context.io.clock);
}

/** Throws `CommandFailure` if backups stay on this machine. */
export function requireRemote(context: Context): RemoteSettings {
  const { remote } = context.loadConfig().backup;
  if (remote !== null) return remote;
  throw new CommandFailure(
    "no_remote",
    "no store is configured, so backups stay on this machine",
    "set the [backup.remote] section of the configuration (waxwing setup asks for it)",
  );
}

export async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreFailure)
      throw new CommandFailure("store", error.message, "check the store's address, its bucket and the credentials");
    throw error;
  }
}
