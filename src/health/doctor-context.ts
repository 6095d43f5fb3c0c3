/** The doctor's dependencies and the settings it checks. */

import type { Clock } from "#src/core/clock.ts";
import type { Random } from "#src/core/random.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import { type AddressRange, rangeMatcher } from "#src/net/address-ranges.ts";
import type { AccountPort } from "#src/networks/network.ts";

export interface DoctorContext {
  store: Pick<Store, "read">;
  clock: Clock;
  random: Random;
  /** Decrypts access tokens; called only if there are any. */
  box: () => SecretBox;
  /** Queries accounts at the network; undefined if that is not possible. */
  port: () => Promise<AccountPort | undefined>;
  settings: DoctorSettings;
}

/** The part of the configuration that the doctor checks. */
export interface DoctorSettings {
  publicUrl: string | null;
  verifyToken: string | null;
  /** Whether the configuration has an app secret for numbers without their own. */
  hasAppSecret: boolean;
  keyFile: string;
  syncEveryMs: number;
  isTrustedProxy: (address: string) => boolean;
}

interface DoctorConfig {
  server: { publicUrl: string | null; trustedProxies: readonly AddressRange[] };
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
    isTrustedProxy: rangeMatcher(server.trustedProxies),
  };
}
