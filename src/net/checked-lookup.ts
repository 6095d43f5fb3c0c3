/**
 * Resolves names that customers chose. A connection gets exactly the addresses that were checked here, so a name whose
 * answer changes a moment later cannot lead into the server's own network.
 */
import { isIP, type LookupFunction } from "node:net";
import { classifyAddress, describeKind } from "./address.ts";

/** All addresses of a name. Rejects, or returns an empty list, if there are none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** A lookup that ended the exchange: the socket passes it to the request's `error` event. */
export class LookupFailure extends Error {
  readonly reason: "refused_address" | "unresolved";

  constructor(reason: LookupFailure["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * The hook from which a socket gets its addresses. It returns exactly the addresses that it has checked, so a name
 * whose answer changes afterwards has no effect. It refuses a name with even one refused address, because the socket
 * may choose any of them.
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
    // Never return an empty list: the socket would throw outside the callback.
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
 * Not `node:dns`: its `lookup` blocks one of a handful of threads until the answer arrives, so a few names with a dead
 * name server would stop all webhooks (tested: a healthy name waited 20 s behind 16 dead ones). c-ares waits without a
 * thread.
 */
export const resolveName: ResolveName = async (name) => {
  const found = await Bun.dns.lookup(name, { backend: "c-ares", socketType: "tcp" });
  return found.map(({ address }) => address);
};

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
