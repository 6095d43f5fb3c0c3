/**
 * The look-up of names that customers chose. A connection gets exactly the addresses that were checked here, so nothing
 * that the name answers a moment later leads into the server's own network.
 */
import { isIP, type LookupFunction } from "node:net";
import { classifyAddress, describeKind } from "./address.ts";

/** All addresses of a name; rejects or answers with none where there are none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** A look-up that ended the exchange: the socket hands it through to the request's `error`. */
export class LookupFailure extends Error {
  readonly reason: "refused_address" | "unresolved";

  constructor(reason: LookupFailure["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * The hook that a socket takes its addresses from. It hands over exactly what it has checked, so that a name whose
 * answer changes afterwards changes nothing; and it refuses a name with even one refused address, for the socket is
 * free to choose among them.
 */
export function checkedLookup(resolveAll: ResolveName, allowPrivate: boolean): LookupFunction {
  const checkedAddresses = async (name: string): Promise<{ address: string; family: number }[]> => {
    let found: readonly string[];
    try {
      found = await resolveAll(name);
    } catch (error) {
      throw new LookupFailure("unresolved", `The name ${name} could not be resolved (${codeOf(error) || error}).`);
    }
    for (const address of allowPrivate ? [] : found) {
      const kind = classifyAddress(address);
      if (kind === "public") continue;
      throw new LookupFailure("refused_address", `The name ${name} leads to ${describeKind(kind)} (${address}).`);
    }
    const addresses = found.map((address) => ({ address, family: isIP(address) })).filter(({ family }) => family !== 0);
    // Never hand over an empty list: the socket throws out of the callback.
    if (addresses.length === 0) throw new LookupFailure("unresolved", `The name ${name} has no address.`);
    return addresses;
  };
  return (name, options, callback) => {
    checkedAddresses(name).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all || first === undefined) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ""),
    );
  };
}

/**
 * Not `node:dns`: its `lookup` holds one of a handful of threads for as long as the answer takes, so that a few names
 * with a dead name server would stop everybody's webhooks (tried: a healthy name waited 20 s behind 16 dead ones).
 * c-ares waits without a thread.
 */
export const resolveName: ResolveName = async (name) => {
  const found = await Bun.dns.lookup(name, { backend: "c-ares", socketType: "tcp" });
  return found.map(({ address }) => address);
};

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
