/** What sending a backup needs to know: the store, and the recipient. */
import { readFileSync, statSync } from "node:fs";
import { folderOf } from "./names.ts";
import { type StoreAccess, StoreFailure } from "./object-store.ts";

/** As configured. */
export interface RemoteSettings {
  endpoint: string;
  bucket: string;
  prefix: string | null;
  region: string | null;
  accessKey: string;
  secretKeyFile: string;
  recipient: string;
  /** How many archives are kept; 0: all. */
  keep: number;
  media: boolean;
}

const SECRET_BYTES_MAX = 4_096;

/** `s3://bucket/prefix/` */
export function placeOf({ bucket, prefix }: Pick<RemoteSettings, "bucket" | "prefix">): string {
  return `s3://${bucket}/${folderOf(prefix)}`;
}

/** Reads the secret. Throws `StoreFailure` if the file cannot be used. */
export function accessOf(settings: Omit<StoreAccess, "secret"> & { secretKeyFile: string }): StoreAccess {
  const { endpoint, bucket, region, accessKey, secretKeyFile } = settings;
  return { endpoint, bucket, region, accessKey, secret: readSecret(secretKeyFile) };
}

function readSecret(path: string): string {
  let secret: string;
  try {
    if ((statSync(path).size ?? 0) > SECRET_BYTES_MAX) throw new Error("it is too large for a secret");
    secret = readFileSync(path, "utf8").trim();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreFailure("NoSecret", `the secret of the access key cannot be read from ${path}: ${reason}`);
  }
  if (!/^[\x21-\x7e]+$/.test(secret))
    throw new StoreFailure("NoSecret", `${path} does not hold the secret of an access key`);
  return secret;
}
