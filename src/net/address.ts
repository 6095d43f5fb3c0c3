/**
 * Decides which IP addresses a webhook may be posted to. An address is public only if the address itself and any IPv4
 * address inside it (mapped, translated, tunnelled) can be reached from the whole Internet; an address that is not
 * understood is not public. `requireWebhookUrl` reads a webhook URL as a customer typed it and explains what is wrong
 * with it. Names are not resolved here: the code that connects checks the resolved addresses with the same functions.
 */
import { isIP } from "node:net";

export type AddressKind =
  | "public"
  | "unspecified"
  | "loopback"
  | "private"
  | "shared"
  | "link_local"
  | "metadata"
  | "multicast"
  | "broadcast"
  | "benchmarking"
  | "documentation"
  | "reserved"
  /** Not an IP address in its usual notation. */
  | "invalid";

export interface WebhookUrlRules {
  allowHttp: boolean;
  allowPrivate: boolean;
}

/**
 * From IANA's special-purpose registries, and from the clouds' own documentation for metadata. The first matching range
 * counts.
 */
const IPV4_RANGES = rangesOf(32, [
  // Clouds serve credentials on these addresses, which are not (or only partly) inside a refused range:
  ["169.254.169.254/32", "metadata"],
  ["100.100.100.200/32", "metadata"], // Alibaba
  ["168.63.129.16/32", "metadata"], // Azure's agent; looks public
  ["192.0.0.192/32", "metadata"], // Oracle
  ["0.0.0.0/8", "unspecified"], // Linux connects 0.0.0.0 to itself
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "shared"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link_local"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "reserved"],
  ["192.0.2.0/24", "documentation"],
  ["192.88.99.0/24", "reserved"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["255.255.255.255/32", "broadcast"],
  ["240.0.0.0/4", "reserved"],
  ["0.0.0.0/0", "public"],
]);

/** Only 2000::/3 is allocated; addresses outside it are refused as reserved unless listed. */
const IPV6_RANGES = rangesOf(128, [
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["fd00:ec2::/32", "metadata"], // AWS: fd00:ec2::254, ::23 and neighbours
  ["fd20:ce::254/128", "metadata"], // Google
  ["fc00::/7", "private"],
  ["fec0::/10", "private"],
  ["fe80::/10", "link_local"],
  ["ff00::/8", "multicast"],
  ["2001:2::/48", "benchmarking"],
  ["2001::/23", "reserved"],
  ["2001:db8::/32", "documentation"],
  ["3fff::/20", "documentation"],
  ["2000::/3", "public"],
  ["::/0", "reserved"],
]);

/**
 * IPv6 ranges that contain an IPv4 address, `shift` bits from the right. A packet to such an address may end at the
 * IPv4 address inside, so a refused inner address refuses the whole. `reaches` is the result for a public inner
 * address: mapped and translated addresses are a way to reach a host; the old tunnels have no public use any more.
 */
const IPV4_CARRIERS: { range: Range; shift: bigint; inverted: boolean; reaches: AddressKind }[] = [
  { range: rangeOf(128, "::ffff:0:0/96"), shift: 0n, inverted: false, reaches: "public" },
  { range: rangeOf(128, "64:ff9b::/96"), shift: 0n, inverted: false, reaches: "public" }, // NAT64 (RFC 6052)
  { range: rangeOf(128, "::ffff:0:0:0/96"), shift: 0n, inverted: false, reaches: "reserved" }, // SIIT (RFC 2765)
  { range: rangeOf(128, "::/96"), shift: 0n, inverted: false, reaches: "reserved" }, // IPv4-compatible (RFC 4291)
  { range: rangeOf(128, "2002::/16"), shift: 80n, inverted: false, reaches: "reserved" }, // 6to4
  { range: rangeOf(128, "2001::/32"), shift: 64n, inverted: false, reaches: "reserved" }, // Teredo: its server
  { range: rangeOf(128, "2001::/32"), shift: 0n, inverted: true, reaches: "reserved" }, // Teredo: its client
];

const URL_LENGTH_MAX = 2048;

/** The kind of the address `ip`: dotted IPv4, or IPv6 with or without a zone and the brackets of a URL. */
export function classifyAddress(ip: string): AddressKind {
  const bare = ip.startsWith("[") && ip.endsWith("]") ? ip.slice(1, -1) : ip;
  const version = isIP(bare);
  if (version === 0) return "invalid";
  return version === 4 ? kindOf(ipv4Value(bare), IPV4_RANGES) : classifyIpv6(ipv6Value(bare));
}

/**
 * Reads a webhook URL. IP literals are checked here, because no lookup ever sees them; the URL parser has by then
 * turned `0x7f.1`, `2130706433` and `127.1` into dotted form. The refusal completes "The webhook address …".
 */
export function requireWebhookUrl(text: string, rules: WebhookUrlRules): { url: URL } | { refusal: string } {
  if (text.length > URL_LENGTH_MAX) return { refusal: `is longer than ${URL_LENGTH_MAX} characters` };
  // The URL parser would drop these silently, and the stored URL would differ from the one called.
  if (hasBlankOrControl(text)) return { refusal: "contains a space or a control character" };
  if (!URL.canParse(text)) return { refusal: "is not a complete URL such as https://example.com/webhook" };
  const url = new URL(text);
  if (url.protocol !== "https:" && !(rules.allowHttp && url.protocol === "http:")) {
    return { refusal: rules.allowHttp ? "must start with https:// or http://" : "must start with https://" };
  }
  if (url.username !== "" || url.password !== "") return { refusal: "must not contain a user name or password" };
  if (text.includes("#")) return { refusal: "must not contain a fragment (#…)" };
  if (url.href.length > URL_LENGTH_MAX) {
    return { refusal: `is longer than ${URL_LENGTH_MAX} characters once its special characters are encoded` };
  }
  const refusal = hostRefusal(url.hostname, rules.allowPrivate);
  return refusal === null ? { url } : { refusal };
}

/** The host of a URL as sockets expect it: an IPv6 literal without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

function hostRefusal(hostname: string, allowPrivate: boolean): string | null {
  const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  if (name === "") return "has no host";
  if (allowPrivate) return null;
  if (name === "localhost" || name.endsWith(".localhost")) return `leads to this machine itself (${hostname})`;
  const kind = classifyAddress(name);
  return kind === "invalid" || kind === "public" ? null : `leads to ${describeKind(kind)} (${hostname})`;
}

/** The kind with its article, for the end of a sentence: "a private address". */
export function describeKind(kind: AddressKind): string {
  const word = kind.replace("_", "-");
  return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word} address`;
}

function hasBlankOrControl(text: string): boolean {
  return /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]/u.test(text);
}

function classifyIpv6(value: bigint): AddressKind {
  const kind = kindOf(value, IPV6_RANGES);
  if (kind === "unspecified" || kind === "loopback") return kind;
  let reached: AddressKind | null = null;
  for (const { range, shift, inverted, reaches } of IPV4_CARRIERS) {
    if (!contains(range, value)) continue;
    const carried = (value >> shift) & 0xffff_ffffn;
    const inner = kindOf(inverted ? carried ^ 0xffff_ffffn : carried, IPV4_RANGES);
    if (inner !== "public") return inner;
    reached = reaches;
  }
  return reached ?? kind;
}

interface Range {
  /** The leading bits shared by all addresses of the range. */
  prefix: bigint;
  /** The number of bits after the prefix. */
  tail: bigint;
}

function kindOf(value: bigint, ranges: { range: Range; kind: AddressKind }[]): AddressKind {
  return ranges.find(({ range }) => contains(range, value))?.kind ?? "reserved";
}

function contains(range: Range, value: bigint): boolean {
  return value >> range.tail === range.prefix;
}

function rangesOf(width: 32 | 128, rows: [cidr: string, kind: AddressKind][]): { range: Range; kind: AddressKind }[] {
  return rows.map(([cidr, kind]) => ({ range: rangeOf(width, cidr), kind }));
}

function rangeOf(width: 32 | 128, cidr: string): Range {
  const slash = cidr.indexOf("/");
  const base = cidr.slice(0, slash);
  const tail = BigInt(width - Number(cidr.slice(slash + 1)));
  return { prefix: (width === 32 ? ipv4Value(base) : ipv6Value(base)) >> tail, tail };
}

/** `text` must be an address for which `isIP` returns 4. */
function ipv4Value(text: string): bigint {
  return text.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

/**
 * `text` must be an address for which `isIP` returns 6. A zone (`%eth0`) does not affect the address and is dropped.
 */
function ipv6Value(text: string): bigint {
  const [address = ""] = text.split("%");
  const [head = "", tail] = address.split("::");
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const zeros = new Array<bigint>(8 - before.length - after.length).fill(0n);
  return [...before, ...zeros, ...after].reduce((value, group) => (value << 16n) | group, 0n);
}

function groupsOf(text: string): bigint[] {
  if (text === "") return [];
  return text.split(":").flatMap((part) => {
    if (!part.includes(".")) return [BigInt(`0x${part}`)];
    const value = ipv4Value(part);
    return [value >> 16n, value & 0xffffn];
  });
}

/**
 * Describes in sentences what is wrong with a webhook URL and names the setting that forbids it, if any; null if
 * nothing is wrong.
 */
export function findWebhookUrlProblem(url: string, { allowHttp, allowPrivate }: WebhookUrlRules): string | null {
  const read = requireWebhookUrl(url, { allowHttp, allowPrivate });
  if (!("refusal" in read)) return null;
  const problem = `The webhook address ${read.refusal}.`;
  const lenient = requireWebhookUrl(url, { allowHttp: true, allowPrivate: true });
  if ("refusal" in lenient) return problem;
  // A setting of the server forbids the URL; the URL itself is valid.
  const setting = url.toLowerCase().startsWith("http:") && !allowHttp ? "allow_http" : "allow_private";
  return `${problem} For development, [webhooks] ${setting} = true lets it through.`;
}
