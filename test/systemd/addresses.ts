/**
 * What the shipped unit lets the server listen on and find out: every address, wrong DNS, a closed port, a renewal that
 * fails. A part of `bun run test:systemd`, in a network of its own (`run.ts`). Real time: about two minutes.
 */
import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startPebble } from "#test/support/pebble.ts";
import { Box } from "./box.ts";
import { check, finish, Operator, until } from "./outcome.ts";
import { BASE, bringRelease } from "./preparation.ts";

const DOMAIN = "wa.example.com";
/** No machine of this network has it. */
const ELSEWHERE = "203.0.113.9";
const DNS_PORT = 53;
const HTTP_PORT = 80;

await using pebble = await startPebble(HTTP_PORT, DNS_PORT);
await using box = new Box(BASE, "127.0.0.1");
console.log(`a bare Debian runs after ${(await box.start()).toFixed(1)} s`);
bringRelease(box);
// Pebble's own name is not a question for its name server.
box.write("etc/hosts", "127.0.0.1 localhost\n");
const operator = new Operator((script) => box.shell(script));
await operator.types("sh release/install.sh --release /root/release --public-key /root/release/release-key.pem");
const shipped = readFileSync(join(box.root, "etc/waxwing/waxwing.toml"), "utf8");

const property = async (name: string) =>
  (await box.run("systemctl", "show", "waxwing", "--value", "-p", name)).out.trim();
const reaches = async (url: string) =>
  (await box.shell(`curl -gks -o /dev/null -w '%{http_code}' ${url}/healthz`)).out === "200";
const conditions = async (): Promise<{ id: string; says: string }[]> =>
  JSON.parse((await box.shell("waxwing status --json")).out).conditions;
const has = async (id: string, says: string) =>
  (await conditions()).some((one) => one.id === id && one.says.includes(says));
const logged = async (event: string) =>
  Number((await box.shell(`journalctl -u waxwing -o cat --no-pager | grep -c 'event=${event}'`)).out);
const isIssued = async (times: number) => (await logged("certificate.issued")) === times;

/** Starts the service anew with these lines in place of its `[server]` and `[acme]`. */
async function configure(lines: string): Promise<void> {
  const others = shipped.split(/^(?=\[)/m).filter((part) => !/^\[(?:server|acme)\]/.test(part));
  box.write("etc/waxwing/waxwing.toml", [lines, "", ...others].join("\n"));
  await box.shell("systemctl reset-failed waxwing; systemctl restart waxwing");
}

for (const listen of [":8080", "[::]:8080", "0.0.0.0:8080"]) {
  console.log(`\n# listen = "${listen}"`);
  await configure(`[server]\nlisten = "${listen}"`);
  const found = [await reaches("http://127.0.0.1:8080"), await reaches("http://[::1]:8080")];
  check("IPv4 answers", found[0] === true);
  check(`IPv6 ${listen.startsWith("0") ? "does not answer" : "answers"}`, found[1] === !listen.startsWith("0"));
  check("it was not started again", (await property("NRestarts")) === "0", await property("NRestarts"));
}

console.log("\n# A domain, and DNS does not know it");
box.write("etc/waxwing/pebble.pem", readFileSync(pebble.caFile, "utf8"));
pebble.address = null;
await configure(
  `[server]\ndomain = "${DOMAIN}"\n[acme]\ndirectory = "${pebble.directory}"\nca_file = "/etc/waxwing/pebble.pem"`,
);
await until("status says why", () => has("certificate_missing", DOMAIN), 60);
check("HTTPS answers meanwhile", (await reaches("https://127.0.0.1")) && (await reaches("https://[::1]")));
check("it was not started again", (await property("NRestarts")) === "0");
check("the log says it once", (await logged("certificate.failed")) === 1);
check("no step failed by a fault", (await logged("certificate.step_failed")) === 0);

console.log("\n# DNS leads to a closed port");
pebble.address = ELSEWHERE;
await operator.types("systemctl reload waxwing");
await until("status says why, and where DNS leads", () => has("certificate_missing", ELSEWHERE), 60);

console.log("\n# DNS is corrected");
pebble.address = "127.0.0.1";
const correctedAfter = await until("a certificate comes without a hand", () => isIssued(1), 200);
console.log(`     ${correctedAfter.toFixed(0)} s after DNS was corrected`);
check("no condition is left", !(await conditions()).some(({ id }) => id.startsWith("certificate")));

console.log("\n# A renewal that fails");
await box.shell("systemctl stop waxwing");
{
  using database = new Database(join(box.root, "var/lib/waxwing/waxwing.db"));
  database.run("UPDATE certificates SET renew_at = 1, ordered_at = ordered_at - 7200000");
}
await box.shell("chown waxwing:waxwing /var/lib/waxwing/waxwing.db*");
pebble.address = ELSEWHERE;
await box.shell("systemctl start waxwing");
await until("status says why", () => has("certificate_not_renewed", "could not be renewed"), 60);
check("the certificate is still in use", await reaches("https://127.0.0.1"));
pebble.address = "127.0.0.1";
await operator.types("systemctl reload waxwing");
await until("it is renewed", () => isIssued(2), 60);
check("no condition is left", !(await conditions()).some(({ id }) => id.startsWith("certificate")));

finish();
