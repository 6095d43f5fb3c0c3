/** The questions of `waxwing setup` about backups off-site, and the changes of the configuration that follow. */

import { newRecoveryKey } from "#src/backup/remote/encryption.ts";
import type { Config } from "#src/config/config.ts";
import type { KeyChange } from "#src/config/edit.ts";
import { text } from "./option.ts";
import { changesOf, type Interview, NONE } from "./setup-interview.ts";

const SECTION = "backup.remote";

export const remoteOptions = {
  remoteEndpoint: text("URL", "S3-compatible store to which each backup is sent; none: backups stay on this machine"),
  remoteBucket: text("B", "The bucket there"),
  remotePrefix: text("P", "Where in the bucket"),
  remoteRegion: text("R", "Region of the store, if it needs one"),
  remoteAccessKey: text("ID", "Id of the access key of the store"),
  remoteSecretKeyFile: text("FILE", "File with its secret, which the service can read"),
  remoteRecipient: text("AGE", "For whom backups are encrypted; without it, a new recovery key is made and shown once"),
} as const;

/** `recoveryKey`: a new one, which has to be shown; null if the recipient was there. */
export async function askAboutStore(
  interview: Interview<keyof typeof remoteOptions>,
  present: Config["backup"]["remote"],
): Promise<{ changes: KeyChange[]; recoveryKey: string | null }> {
  const { remotePrefix, remoteRegion, remoteRecipient } = interview.given;
  const need = (name: keyof typeof remoteOptions, question: string, known: string | undefined): string =>
    interview.need(name, question, "the store", known);
  const before = {
    ...{ endpoint: present?.endpoint, bucket: present?.bucket, prefix: present?.prefix, region: present?.region },
    ...{ access_key: present?.accessKey, secret_key_file: present?.secretKeyFile, recipient: present?.recipient },
  };
  const usual = present?.endpoint ?? NONE;
  const endpoint = interview.ask("remoteEndpoint", "Address of an S3-compatible store for backups", usual);
  if (endpoint === null) return { changes: [], recoveryKey: null };
  if (endpoint === NONE) return { changes: changesOf(SECTION, before, {}), recoveryKey: null };
  const store = {
    bucket: need("remoteBucket", "The bucket there", before.bucket),
    prefix: remotePrefix ?? before.prefix,
    region: remoteRegion ?? before.region,
    access_key: need("remoteAccessKey", "Id of the access key", before.access_key),
    secret_key_file: need("remoteSecretKeyFile", "File with its secret", before.secret_key_file),
  };
  const known = remoteRecipient ?? before.recipient;
  const made = known === undefined ? await newRecoveryKey() : null;
  const recipient = known ?? made?.recipient;
  return {
    changes: changesOf(SECTION, before, { endpoint, ...store, recipient }),
    recoveryKey: made?.recoveryKey ?? null,
  };
}
