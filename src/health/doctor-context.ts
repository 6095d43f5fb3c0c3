/** The doctor's dependencies and the settings it checks. */

import type { Clock } from "#src/core/clock.ts";
import type { Random } from "#src/core/random.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import { type AddressRange, rangeMatcher } from "#src/net/address-ranges.ts";
import type { AccountPort } from "#src/networks/network.ts";
import { lacksAlarms } from "./alarm-channels.ts";
import { type ConnectionSettings, readConnectionSettings } from "./connection-settings.ts";

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

/** The part of the configuration and the environment that the doctor checks. */
export interface DoctorSettings extends ConnectionSettings {
  verifyToken: string | null;
  syncEveryMs: number;
  isTrustedProxy: (address: string) => boolean;
  lacksAlarms: boolean;
}

type DoctorConfig = Parameters<typeof readConnectionSettings>[0] & {
  server: { trustedProxies: readonly AddressRange[] };
  whatsapp: { verifyToken: string | null; syncEveryMs: number };
  alerts: Parameters<typeof lacksAlarms>[0];
};

export function readDoctorSettings(
  config: DoctorConfig,
  environment: Readonly<Record<string, string | undefined>>,
): DoctorSettings {
  return {
    ...readConnectionSettings(config, environment),
    verifyToken: config.whatsapp.verifyToken,
    syncEveryMs: config.whatsapp.syncEveryMs,
    isTrustedProxy: rangeMatcher(config.server.trustedProxies),
    lacksAlarms: lacksAlarms(config.alerts),
  };
}
