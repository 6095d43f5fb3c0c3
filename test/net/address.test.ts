/**
 * The ranges are repeated here as first and last address, so that an error in a prefix length shows: the classification
 * is compared with them on arbitrary addresses and on both edges of every range.
 */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type AddressKind, classifyAddress, requireWebhookUrl } from "#src/net/address.ts";

const isPublicAddress = (ip: string): boolean => classifyAddress(ip) === "public";

const NOT_PUBLIC_V4: [first: string, last: string][] = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["168.63.129.16", "168.63.129.16"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"],
];
const ranges = NOT_PUBLIC_V4.map(([first, last]) => ({ first: numberOf(first), last: numberOf(last) }));

function numberOf(ip: string): number {
  return ip.split(".").reduce((value, part) => value * 256 + Number(part), 0);
}

function dotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}

function hex(value: number): string {
  return `${Math.floor(value / 65536).toString(16)}:${(value % 65536).toString(16)}`;
}

function refused(value: number): boolean {
  return ranges.some(({ first, last }) => value >= first && value <= last);
}

/** Draws half of the addresses from the refused ranges, which random addresses seldom hit. */
const anyV4 = fc.oneof(
  fc.integer({ min: 0, max: 0xffff_ffff }),
  fc.constantFrom(...ranges).chain(({ first, last }) => fc.integer({ min: first, max: last })),
);

describe("IPv4", () => {
  test("exactly the special-purpose ranges are not public", () => {
    fc.assert(
      fc.property(anyV4, (value) => isPublicAddress(dotted(value)) === !refused(value)),
      { numRuns: 2000 },
    );
  });

  test("each range is refused up to its edges and not beyond", () => {
    for (const { first, last } of ranges) {
      for (const edge of [first - 1, first, last, last + 1].filter((value) => value >= 0 && value <= 0xffff_ffff)) {
        expect([dotted(edge), isPublicAddress(dotted(edge))]).toEqual([dotted(edge), !refused(edge)]);
      }
    }
  });

  test.each<[string, AddressKind]>([
    ["8.8.8.8", "public"],
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["10.1.2.3", "private"],
    ["172.31.0.1", "private"],
    ["192.168.1.1", "private"],
    ["100.100.0.1", "shared"],
    ["100.100.100.200", "metadata"],
    ["127.255.255.254", "loopback"],
    ["169.254.1.1", "link_local"],
    ["169.254.169.254", "metadata"],
    ["168.63.129.16", "metadata"],
    ["192.0.0.1", "reserved"],
    ["192.0.0.192", "metadata"],
    ["192.0.2.1", "documentation"],
    ["198.19.0.1", "benchmarking"],
    ["224.0.0.1", "multicast"],
    ["239.255.255.255", "multicast"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "broadcast"],
  ])("%s is %s", (ip, kind) => {
    expect(classifyAddress(ip)).toBe(kind);
  });
});

describe("IPv6", () => {
  test.each<[string, AddressKind]>([
    ["2606:4700:4700::1111", "public"],
    ["2a00:1450:4001:80e::200e", "public"],
    ["2003::1", "public"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["0:0:0:0:0:0:0:1", "loopback"],
    ["[::1]", "loopback"],
    ["fc00::1", "private"],
    ["fdff:ffff::1", "private"],
    ["fec0::1", "private"],
    ["fd00:ec2::254", "metadata"],
    ["fd20:ce::254", "metadata"],
    ["fe80::1", "link_local"],
    ["fe80::1%eth0", "link_local"],
    ["febf::1", "link_local"],
    ["FF02::1", "multicast"],
    ["100::1", "reserved"],
    ["64:ff9b:1::1", "reserved"],
    ["2001:10::1", "reserved"],
    ["2001:2::1", "benchmarking"],
    ["2001:db8::1", "documentation"],
    ["3fff:fff::1", "documentation"],
    ["4000::1", "reserved"],
    ["5f00::1", "reserved"],
    ["::2", "unspecified"],
    // With an IPv4 address inside:
    ["::ffff:10.0.0.1", "private"],
    ["::ffff:a9fe:a9fe", "metadata"],
    ["::ffff:8.8.8.8", "public"],
    ["::127.0.0.1", "loopback"],
    ["::8.8.8.8", "reserved"],
    ["::ffff:0:127.0.0.1", "loopback"],
    ["64:ff9b::192.168.0.1", "private"],
    ["64:ff9b::8.8.8.8", "public"],
    ["2002:7f00:1::", "loopback"],
    ["2002:a00:1:1::5", "private"],
    ["2002:808:808::1", "reserved"],
    ["2001:0:808:808:0:0:f5ff:fffe", "private"], // Teredo, client 10.0.0.1
    ["2001:0:a00:1:0:0:f7f7:f7f7", "private"], // Teredo, server 10.0.0.1
    ["2001:0:808:808:0:0:f7f7:f7f7", "reserved"],
  ])("%s is %s", (ip, kind) => {
    expect(classifyAddress(ip)).toBe(kind);
  });

  test("a mapped or NAT64 address is classified as its IPv4 address, in every notation", () => {
    fc.assert(
      fc.property(anyV4, (value) => {
        const kind = classifyAddress(dotted(value));
        const same = [`::ffff:${dotted(value)}`, `::FFFF:${hex(value)}`, `[0:0:0:0:0:ffff:${hex(value)}]`];
        for (const ip of [...same, `64:ff9b::${dotted(value)}`]) expect([ip, classifyAddress(ip)]).toEqual([ip, kind]);
      }),
    );
  });

  test("no IPv6 address that carries a refused IPv4 address is public", () => {
    fc.assert(
      fc.property(anyV4, fc.integer({ min: 0, max: 0xffff }), (value, group) => {
        fc.pre(refused(value));
        const flipped = 0xffff_ffff - value;
        const carriers = [
          `::${hex(value)}`,
          `::ffff:0:${hex(value)}`,
          `2002:${hex(value)}::${group.toString(16)}`,
          `2001:0:808:808:0:${group.toString(16)}:${hex(flipped)}`,
        ];
        for (const ip of carriers) expect([ip, isPublicAddress(ip)]).toEqual([ip, false]);
      }),
    );
  });

  test("an address is classified alike in every notation", () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.boolean(), (ip, upper) => {
        // Bun's URL parser refuses a few rare notations (`::0:0:0:0:0.0.0.0`): there is nothing to compare with, and
        // refusing is safe.
        fc.pre(URL.canParse(`http://[${ip}]/`));
        const kind = classifyAddress(new URL(`http://[${ip}]/`).hostname);
        expect(classifyAddress(upper ? ip.toUpperCase() : ip)).toBe(kind);
      }),
      { numRuns: 1000 },
    );
  });

  test("no address outside 2000::/3 is public except through IPv4", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 0xffff }),
        fc.ipV6().filter((ip) => !ip.includes("::")),
        (first, ip) => {
          fc.pre((first < 0x2000 || first > 0x3fff) && first !== 0x64);
          const rest = ip.split(":").slice(1).join(":");
          expect(isPublicAddress(`${first.toString(16)}:${rest}`)).toBe(false);
        },
      ),
    );
  });
});

test("a text that is not an address in its usual notation is not public", () => {
  for (const text of [
    "",
    "example.com",
    "0x7f.1",
    "2130706433",
    "127.1",
    "010.0.0.1",
    "1.2.3.4.5",
    ":::",
    "[1.2.3.4",
  ]) {
    expect([text, classifyAddress(text)]).toEqual([text, "invalid"]);
  }
  fc.assert(fc.property(fc.string(), (text) => isPublicAddress(text) === false || /^[\d.:a-f[\]%]+$/i.test(text)));
});

describe("a webhook address", () => {
  const strict = { allowHttp: false, allowPrivate: false };
  const refusalOf = (text: string, rules = strict): string | null => {
    const result = requireWebhookUrl(text, rules);
    return "refusal" in result ? result.refusal : null;
  };

  test("is accepted when it is public https", () => {
    for (const text of [
      "https://example.com/hook?a=b",
      "https://example.com:8443",
      "https://8.8.8.8/",
      "https://[2606:4700::1111]/",
      "https://intranet/hook",
      "https://büro.example/",
      "https://localhost.example.com/",
    ]) {
      expect([text, refusalOf(text)]).toEqual([text, null]);
    }
  });

  test.each([
    ["http://example.com/", "must start with https://"],
    ["ftp://example.com/", "must start with https://"],
    ["javascript:alert(1)", "must start with https://"],
    ["example.com/hook", "is not a complete URL"],
    ["", "is not a complete URL"],
    ["https://", "is not a complete URL"],
    ["https://./", "has no host"],
    ["https://256.1.1.1/", "is not a complete URL"],
    ["https://user@example.com/", "user name or password"],
    ["https://:secret@example.com/", "user name or password"],
    ["https://example.com/#top", "fragment"],
    ["https://example.com/#", "fragment"],
    [" https://example.com/", "a space"],
    ["https://exam\nple.com/", "a space or a control character"],
    ["https://example.com/a b", "a space"],
    [`https://example.com/${"a".repeat(2029)}`, "longer than 2048 characters"],
    [`https://example.com/${"ü".repeat(500)}`, "once its special characters are encoded"],
  ])("%j is refused with a reason", (text, words) => {
    expect(refusalOf(text)).toContain(words);
  });

  test("may be exactly 2048 characters long", () => {
    expect(refusalOf(`https://example.com/${"a".repeat(2028)}`)).toBeNull();
  });

  test("is refused when it leads to this machine or a private network, however the host is written", () => {
    for (const host of [
      "localhost",
      "LOCALHOST",
      "localhost.",
      "api.localhost",
      "loc%61lhost",
      "127.0.0.1",
      "127.0.0.1.",
      "127.1",
      "0x7f.1",
      "0177.0.0.1",
      "2130706433",
      "1２7.0.0.1",
      "127。0。0。1",
      "%31%32%37.0.0.1",
      "0",
      "10.0.0.1",
      "169.254.169.254",
      "[::1]",
      "[::]",
      "[::ffff:10.0.0.1]",
      "[::ffff:7f00:1]",
      "[64:ff9b::10.0.0.1]",
      "[fd00:ec2::254]",
      "[fe80::1]",
    ]) {
      expect([host, refusalOf(`https://${host}/x`)]).toEqual([host, expect.stringContaining("leads to")]);
      expect([host, refusalOf(`https://${host}/x`, { allowHttp: false, allowPrivate: true })]).toEqual([host, null]);
    }
  });

  test("may be http only where that is allowed", () => {
    expect(refusalOf("http://example.com/", { allowHttp: true, allowPrivate: false })).toBeNull();
    expect(refusalOf("http://127.0.0.1/", { allowHttp: true, allowPrivate: false })).toContain("a loopback address");
    expect(refusalOf("ws://example.com/", { allowHttp: true, allowPrivate: true })).toContain("https:// or http://");
  });
});
