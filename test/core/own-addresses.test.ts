/** What is said of this machine's addresses, also where the system does not tell them. */
import { expect, test } from "bun:test";
import { AcmeProblem } from "#src/certificates/authority.ts";
import { describeFailure } from "#src/certificates/failure.ts";
import { ownAddresses } from "#src/core/own-addresses.ts";

/** As `os.networkInterfaces` throws under a systemd unit without AF_NETLINK. */
function forbidden(): never {
  throw new Error("A system error occurred: uv_interface_addresses returned Unknown system error 97");
}

test("addresses that the system does not tell are null, not an error", () => {
  expect(ownAddresses(forbidden)).toBeNull();
  expect(ownAddresses()?.some(({ address }) => address === "127.0.0.1")).toBe(true);
});

test("a failure of a certificate is described, and blames no DNS record where this machine's addresses are unknown", () => {
  const closed = new AcmeProblem("connection", "Connection refused", null);
  const about = (own: string[] | null) =>
    describeFailure(closed, { domain: "wa.example.com", resolved: ["192.0.2.1"], own })?.says;
  expect(about(null)).toBe(
    "The certificate authority cannot reach http://wa.example.com/ at port 80. The authority says: “Connection refused”",
  );
  expect(about(["192.0.2.7"])).toContain("DNS leads wa.example.com to 192.0.2.1; this machine itself has 192.0.2.7.");
});
