/** The networks that this server speaks to, by name. */
import type { Network, NetworkName } from "./network.ts";

export type Networks = Readonly<Record<NetworkName, Network>>;
