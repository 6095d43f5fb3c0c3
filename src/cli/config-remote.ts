/** What `waxwing config check` says of the store of backups: whether it can be reached, and lists the bucket. */
import { encrypt } from "#src/backup/remote/encryption.ts";
import { folderOf } from "#src/backup/remote/names.ts";
import { ObjectStore, StoreFailure } from "#src/backup/remote/object-store.ts";
import { accessOf, placeOf } from "#src/backup/remote/settings.ts";
import type { Config } from "#src/config/config.ts";
import type { Clock } from "#src/core/clock.ts";
import { type ConfigFinding, ok, problem, warning } from "./finding.ts";

const ANSWER_MS = 10_000;

export async function checkRemote({ backup }: Config, clock: Clock): Promise<ConfigFinding[]> {
  const { remote, schedule } = backup;
  if (remote === null) return [];
  const found: ConfigFinding[] = [];
  if (schedule === null)
    found.push(
      warning(
        "backup.schedule",
        "No backup is sent automatically, because scheduled backups are off.",
        "set [backup] schedule",
      ),
    );
  try {
    await new ObjectStore(accessOf(remote), clock, ANSWER_MS).list(folderOf(remote.prefix), 1);
    found.push(ok("backup.remote.endpoint", `${placeOf(remote)} can be listed.`));
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    const next = "check endpoint, bucket, region, access_key and secret_key_file of [backup.remote]";
    const key = error.code === "NoSecret" ? "backup.remote.secret_key_file" : "backup.remote.endpoint";
    found.push(problem(key, `${sentence(error.message)}.`, next));
  }
  return [...found, ...(await checkRecipient(remote.recipient))];
}

async function checkRecipient(recipient: string): Promise<ConfigFinding[]> {
  try {
    await encrypt(recipient, nothing());
    return [];
  } catch {
    const message = "Nothing can be encrypted for this recipient.";
    const next = "waxwing backup recovery-key makes a recovery key and its recipient";
    return [problem("backup.remote.recipient", message, next)];
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
