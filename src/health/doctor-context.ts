/** What the doctor is handed: where to look, and whom to ask. */

import type { Clock } from "#src/core/clock.ts";
import type { Random } from "#src/core/random.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { ReadWriteStore } from "#src/db/store.ts";
import type { AccountPort } from "#src/networks/network.ts";

export interface DoctorContext {
  store: Pick<ReadWriteStore, "read">;
  clock: Clock;
  random: Random;
  /** Opens the access tokens; asked for only where there are some. */
  box: () => SecretBox;
  /** Where accounts are asked; undefined where that cannot be. */
  port: () => Promise<AccountPort | undefined>;
  settings: DoctorSettings;
}

/** What of the configuration is looked at. */
export interface DoctorSettings {
  publicUrl: string | null;
  verifyToken: string | null;
  /** Whether the configuration has an app secret for numbers without their own. */
  hasAppSecret: boolean;
  keyFile: string;
  syncEveryMs: number;
}

interface DoctorConfig {
  server: { publicUrl: string | null };
  whatsapp: { verifyToken: string | null; appSecret: string | null; syncEveryMs: number };
  secrets: { keyFile: string };
}

export function readDoctorSettings({ server, whatsapp, secrets }: DoctorConfig): DoctorSettings {
  return {
    publicUrl: server.publicUrl,
    verifyToken: whatsapp.verifyToken,
    hasAppSecret: whatsapp.appSecret !== null,
    keyFile: secrets.keyFile,
    syncEveryMs: whatsapp.syncEveryMs,
  };
}
