/** The questions of `waxwing setup` about backups off-site, and the changes of the configuration that follow. */

import { newRecoveryKey } from "#src/backup/remote/encryption.ts";
import type { Config } from "#src/config/config.ts";
import type { KeyChange } from "#src/config/edit.ts";
import { text } from "./option.ts";

export const remoteOptions = {
  remoteEndpoint: text("URL", "S3-compatible store to which each backup is sent; none: backups stay on this machine"),
  remoteBucket: text("B", "The bucket there"),
  remotePrefix: text("P", "Where in the bucket"),
  remoteRegion: text("R", "Region of the store, if it needs one"),
  remoteAccessKey: text("ID", "Id of the access key of the store"),
  remoteSecretKeyFile: text("FILE", "File with its secret, which the service can read"),
  remoteRecipient: text("AGE", "For whom backups are encrypted; without it, a new recovery key is made and shown once"),
} as const;

type Question = keyof typeof remoteOptions;

interface Interview {
  present: Config["backup"]["remote"];
  /** Null: no answer. */
  ask: (name: Question, question: string, usual: string | null) => string | null;
  /** Throws if there is no answer. */
  need: (name: Question, question: string) => string;
  given: (name: Question) => string | undefined;
}

const SECTION = "backup.remote";
const NONE = "none";
const NAMES = ["endpoint", "bucket", "prefix", "region", "access_key", "secret_key_file", "recipient"];

/** `recoveryKey`: a new one, which has to be shown; null if the recipient was there. */
export async function askAboutStore(
  interview: Interview,
): Promise<{ changes: KeyChange[]; recoveryKey: string | null }> {
  const { present, ask, need, given } = interview;
  const endpoint = ask("remoteEndpoint", "Address of an S3-compatible store for backups", present?.endpoint ?? NONE);
  if (endpoint === null || (endpoint === NONE && present === null)) return { changes: [], recoveryKey: null };
  if (endpoint === NONE)
    return { changes: NAMES.map((name) => ({ section: SECTION, name, value: null })), recoveryKey: null };
  const answers: Record<string, string | null> = { endpoint };
  const required = (name: Question, key: string, question: string, usual: string | undefined): void => {
    answers[key] = usual === undefined ? need(name, question) : ask(name, question, usual);
  };
  required("remoteBucket", "bucket", "The bucket there", present?.bucket);
  answers.prefix = given("remotePrefix") ?? null;
  answers.region = given("remoteRegion") ?? null;
  required("remoteAccessKey", "access_key", "Id of the access key", present?.accessKey);
  required("remoteSecretKeyFile", "secret_key_file", "File with its secret", present?.secretKeyFile);
  const recipient = given("remoteRecipient") ?? present?.recipient;
  const made = recipient === undefined ? await newRecoveryKey() : null;
  answers.recipient = recipient ?? made?.recipient ?? null;
  const before: Readonly<Record<string, unknown>> = {
    ...{ endpoint: present?.endpoint, bucket: present?.bucket, access_key: present?.accessKey },
    ...{ prefix: present?.prefix, region: present?.region },
    ...{ secret_key_file: present?.secretKeyFile, recipient: present?.recipient },
  };
  const changes = NAMES.flatMap((name): KeyChange[] => {
    const value = answers[name] ?? null;
    return value === null || value === before[name] ? [] : [{ section: SECTION, name, value }];
  });
  return { changes, recoveryKey: made?.recoveryKey ?? null };
}
