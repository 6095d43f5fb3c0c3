/**
 * Runs a command whose sockets may be of some families alone, as `RestrictAddressFamilies=` of a systemd unit makes it:
 * `bun test/support/allow-families.ts AF_INET,AF_UNIX COMMAND…`. On x86-64 and arm64 Linux.
 */
import { dlopen, ptr } from "bun:ffi";

const FAMILIES: Readonly<Record<string, number>> = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16 };
const SOCKET_CALL = process.arch === "arm64" ? 198 : 41;
const [PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER_MODE] = [22, 38, 2];
const [LOAD, JUMP_IF_EQUAL, RETURN] = [0x20, 0x15, 0x06];
const [ALLOW, EAFNOSUPPORT] = [0x7fff0000, 0x00050000 | 97];
/** Offsets in struct seccomp_data. */
const [CALL, FIRST_ARGUMENT] = [0, 16];

const [allowed = "", ...words] = process.argv.slice(2);
const families = allowed.split(",").map((name) => FAMILIES[name] ?? Number.NaN);
const filter: [code: number, ifTrue: number, ifFalse: number, value: number][] = [
  [LOAD, 0, 0, CALL],
  [JUMP_IF_EQUAL, 1, 0, SOCKET_CALL],
  [RETURN, 0, 0, ALLOW],
  [LOAD, 0, 0, FIRST_ARGUMENT],
  ...families.flatMap((family): typeof filter => [
    [JUMP_IF_EQUAL, 0, 1, family],
    [RETURN, 0, 0, ALLOW],
  ]),
  [RETURN, 0, 0, EAFNOSUPPORT],
];

const { symbols: libc } = dlopen("libc.so.6", {
  prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" },
  execvp: { args: ["ptr", "ptr"], returns: "int" },
});
const rules = new DataView(new ArrayBuffer(filter.length * 8));
for (const [index, [code, ifTrue, ifFalse, value]] of filter.entries()) {
  rules.setUint16(index * 8, code, true);
  rules.setUint8(index * 8 + 2, ifTrue);
  rules.setUint8(index * 8 + 3, ifFalse);
  rules.setUint32(index * 8 + 4, value, true);
}
const program = new DataView(new ArrayBuffer(16));
program.setUint16(0, filter.length, true);
program.setBigUint64(8, BigInt(ptr(rules.buffer)), true);
const isRefused =
  libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) !== 0 ||
  libc.prctl(PR_SET_SECCOMP, FILTER_MODE, ptr(program.buffer), 0, 0) !== 0;
if (isRefused) throw new Error("this system allows no filter of system calls");

const texts = words.map((word) => Buffer.from(`${word}\0`));
const vector = new BigUint64Array([...texts.map((text) => BigInt(ptr(text))), 0n]);
libc.execvp(ptr(texts[0] ?? Buffer.from("\0")), ptr(vector));
throw new Error(`${words[0]} cannot be run`);
