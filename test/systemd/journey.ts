/**
 * Two machines, one after the other: from a bare Debian to HTTPS, a first message and backups off-site; then the machine
 * burns down in the middle of a broadcast, and another one takes its place with what was kept apart: the recovery sheet and two
 * secrets. A part of `bun run test:systemd`, in a network of its own (`run.ts`). Real time: about four minutes.
 */
import { readFileSync } from "node:fs";
import { Box, type Ran } from "./box.ts";
import { check, finish, Operator, until, withoutSecrets } from "./outcome.ts";
import { BASE, bringRelease } from "./preparation.ts";
import { ACCOUNT_ID, APP_SECRET, BUCKET, MAIL, makeWorld, PHONE_NUMBER_ID, STORE, STORE_KEY } from "./world.ts";

const DOMAIN = "wa.example.com";
const FIRST = "+919876500000";
const STOPPED = "+919800000007";
const PEOPLE = 1_000;
const SENT_AT_BACKUP = 150;
const SENT_AT_THE_END = 400;

/** What the real internet has and these machines do not: its authorities, and Meta at its address. */
const ELSEWHERE = `
[acme]
directory = "DIRECTORY"
ca_file = "/etc/waxwing/pebble.pem"

[whatsapp]
graph_url = "GRAPH"
`;

const startedAt = performance.now();
const say = (text: string) => console.log(`\n# ${text} (${((performance.now() - startedAt) / 60_000).toFixed(1)} min)`);

await using world = await makeWorld(DOMAIN);
const people = Array.from({ length: PEOPLE }, (_, index) => `+9198${String(index).padStart(8, "0")}`);

/** A bare Debian with a download. Returns how its operator installs it. */
async function bareMachine(): Promise<{ box: Box; operator: Operator; install: () => Promise<Ran> }> {
  const box = new Box(BASE, "127.0.0.1");
  console.log(`a bare Debian runs after ${(await box.start()).toFixed(1)} s`);
  bringRelease(box);
  const operator = new Operator((script) => box.shell(script));
  const install = () =>
    operator.types("sh release/install.sh --release /root/release --public-key /root/release/release-key.pem");
  return { box, operator, install };
}

/** So that the machine trusts Pebble, as every machine trusts a public authority. */
async function trustPebble(box: Box): Promise<void> {
  box.write("etc/waxwing/pebble.pem", readFileSync(world.pebble.caFile, "utf8"));
  box.write("root/root.pem", await world.pebble.root());
}

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member; a missing member fails the check.
  body: any;
}

let key = "";
/** The customer's software, from outside. */
async function call(method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<Answer> {
  const response = await fetch(`https://${DOMAIN}/api/v1${path}`, {
    method,
    tls: { ca: await world.pebble.root() },
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const single = (index: number) => ({ to: `+9197000000${10 + index}`, template: "news", variables: ["Anna"] });

async function certificate(box: Box): Promise<string> {
  const asked = `openssl s_client -connect ${DOMAIN}:443 -servername ${DOMAIN} -CAfile /root/root.pem -verify_return_error </dev/null 2>/dev/null | openssl x509 -noout -serial`;
  return (await box.shell(asked)).out;
}

const first = await bareMachine();
await using machineA = first.box;

say("Bare Debian, released file, setup");
await first.install();
const configured = `${machineA.root}/etc/waxwing/waxwing.toml`;
machineA.write(
  "etc/waxwing/waxwing.toml",
  readFileSync(configured, "utf8") +
    ELSEWHERE.replace("DIRECTORY", world.pebble.directory).replace("GRAPH", world.graph.url),
);
await trustPebble(machineA);
const secretFile = (name: string, text: string) =>
  `printf %s '${text}' | install -m 640 -g waxwing /dev/stdin /etc/waxwing/${name}`;
await first.operator.types(secretFile("store-secret", STORE_KEY));
await first.operator.types(secretFile("mail", MAIL));
await first.operator.types(`printf %s 'token-of-the-test' > token; printf %s '${APP_SECRET}' > app-secret`);
await first.operator.types(
  `printf '\\n[alerts]\\nemail_to = ["ops@example.com"]\\nsmtp_url_file = "/etc/waxwing/mail"\\n' >> /etc/waxwing/waxwing.toml`,
);
const setUp = await first.operator.types(
  `waxwing setup --domain ${DOMAIN} --backup-directory none --keep-messages '18 months' --remote-endpoint ${STORE} --remote-bucket ${BUCKET} --remote-prefix shop --remote-access-key ${STORE_KEY} --remote-secret-key-file /etc/waxwing/store-secret --business 'My shop' --country IN --timezone Asia/Kolkata --email ops@example.com --network whatsapp --phone +49301234567 --phone-number-id ${PHONE_NUMBER_ID} --account-id ${ACCOUNT_ID} --token-file token --app-secret-file app-secret --test-to ${FIRST}`,
);
console.log(withoutSecrets(setUp.out).replaceAll(/^/gm, "     "));
check("setup sends a first message", setUp.out.includes(`${FIRST}: sent`), setUp.out);
const status = await first.operator.types("waxwing status");
check("status is green", status.out.includes("Nothing needs attention"), status.out);
const recoveryKey = /AGE-SECRET-KEY-1[A-Z0-9]+/.exec(setUp.out)?.[0] ?? "";
const sheet = await first.operator.types(
  `printf %s '${recoveryKey}' > recovery-key; waxwing backup recovery-sheet --recovery-key-file recovery-key; rm recovery-key`,
);
first.operator.report("from a bare Debian to a green status, with HTTPS, alarms, backups off-site and a printed sheet");
console.log(withoutSecrets(sheet.out).replaceAll(/^/gm, "     | "));

say("HTTPS");
const waited = await until(
  "Pebble's certificate is in use",
  async () => (await certificate(machineA)).startsWith("serial="),
  30,
);
const serial = await certificate(machineA);
console.log(`     ${waited.toFixed(1)} s later`);
check(`Pebble's certificate is in use: ${serial}`, serial.startsWith("serial="), serial);
const redirect = await machineA.shell(
  `curl -s -o /dev/null -w '%{http_code} %{redirect_url}' http://${DOMAIN}/console`,
);
check("HTTP leads to HTTPS", redirect.out === `308 https://${DOMAIN}/console`, redirect.out);
const page = await machineA.shell(
  `curl -s -o /dev/null -w '%{http_code}' --cacert /root/root.pem https://${DOMAIN}/console`,
);
check("the console is there for a browser", page.out === "200", page.out);

say("Customers, a broadcast, a backup off-site");
key = String(JSON.parse((await first.operator.types("waxwing key create --workspace 1 --json")).out || "{}").key ?? "");
machineA.write("root/people.csv", ["phone", ...people].join("\n"));
const imported = await first.operator.types(
  "waxwing contact import people.csv --workspace 1 --consent opted_in --json",
);
check(
  `${PEOPLE} people are imported`,
  imported.out.includes(`"created": ${PEOPLE}`) || imported.code === 0,
  imported.out,
);
check("a person writes STOP", (await world.hear("STOP", STOPPED)) === 200);
const answers: Answer[] = [];
for (const index of [0, 1, 2]) answers.push(await call("POST", "/messages", single(index), `key-${index}`));
check(
  "three messages are accepted",
  answers.every((one) => one.status === 201),
  answers,
);
const order = (name: string, to: readonly string[], more = {}) =>
  call("POST", "/broadcasts", { name, template: "news", variables: [name], to, ...more });
const later = new Date(Date.now() + 3_600_000).toISOString();
const running = await order("running", people);
const scheduled = await order("scheduled", people.slice(0, 20), { send_at: later });
check("a broadcast runs and another is scheduled", running.status === 202 && scheduled.status === 202, [
  running,
  scheduled,
]);
const sentNow = () => world.graph.accepted.length;
await until("some are sent", () => sentNow() >= SENT_AT_BACKUP, 60);
const sending = await first.operator.types("waxwing backup send");
const atBackup = sentNow();
check(
  `an archive is in the store, with ${atBackup} messages at the network`,
  world.stored().length === 1,
  world.stored(),
);
console.log(sending.out.replaceAll(/^/gm, "     "));
await until("more are sent", () => sentNow() >= Math.max(SENT_AT_THE_END, atBackup + 100), 60);
first.operator.report("customers and a backup");

say("The machine burns down");
await machineA.destroy();
const atTheEnd = sentNow();
const goneAt = performance.now();
check(`${atTheEnd} of ${PEOPLE + 4} messages were at the network`, atTheEnd > atBackup && atTheEnd < PEOPLE, atTheEnd);

say("Another machine, with the sheet and two secrets");
const second = await bareMachine();
await using machineB = second.box;
/** The lines of the sheet that are commands, as they stand there. */
const printed = sheet.out.split("\n").flatMap((line) => /^ {3}((?:waxwing|systemctl|cp) .*)$/.exec(line)?.[1] ?? []);
const commandOf = (begin: string): string => {
  const found = printed.find((line) => line.startsWith(begin));
  check(`the sheet has the command ${begin}`, found !== undefined, printed);
  return found ?? "false";
};
await second.install();
await trustPebble(machineB);
await second.operator.types(commandOf("systemctl stop"));
await second.operator.types(`printf %s '${recoveryKey}' > recovery-key; printf %s '${STORE_KEY}' > secret`);
const listed = await second.operator.types(commandOf("waxwing backup list --remote"));
console.log(listed.out.replaceAll(/^/gm, "     "));
const archive = /s3:\/\/\S+/.exec(listed.out)?.[0] ?? "";
const restored = await second.operator.types(commandOf("waxwing restore").replace(/s3:\/\/\S+/, archive));
console.log(restored.out.replaceAll(/^/gm, "     "));
const time = /waxwing\.toml\.restored-(\d{8}T\d{6}Z)/.exec(restored.out)?.[1] ?? "";
await second.operator.types(commandOf("cp ").replace("TIME", time));
await second.operator.types(secretFile("store-secret", STORE_KEY));
await second.operator.types(secretFile("mail", MAIL));
await second.operator.types(commandOf("systemctl start"));
const ready = await until(
  "the other machine answers",
  async () => (await machineB.shell(`curl -s --cacert /root/root.pem https://${DOMAIN}/readyz`)).code === 0,
  60,
);
console.log(
  `     ready ${ready.toFixed(0)} s after the start, ${((performance.now() - goneAt) / 1000).toFixed(0)} s after the fire`,
);
const after = await second.operator.types(`${commandOf("waxwing status")}; true`);
console.log(after.out.replaceAll(/^/gm, "     "));
await second.operator.types("waxwing broadcast list --workspace 1");

say("What the other machine knows");
check("it has the certificate of the first, without asking again", (await certificate(machineB)) === serial);
const states = await Promise.all([running, scheduled].map(({ body }) => call("GET", `/broadcasts/${body.data.id}`)));
check(
  "both broadcasts are on hold",
  states.every(({ body }) => body.data?.status === "paused"),
  states,
);
const repeated: Answer[] = [];
for (const index of [0, 1, 2]) repeated.push(await call("POST", "/messages", single(index), `key-${index}`));
check(
  "callers who repeat a request get the kept answer",
  repeated.every(({ body }, index) => body.data?.id === answers[index]?.body.data.id),
  repeated,
);
const refused = await call("PUT", `/contacts/${STOPPED}`, { consent: "opted_in" });
check("who said STOP has said STOP", refused.status === 422 && refused.body.error?.code === "opted_out", refused);
const fresh = await call("POST", "/messages", single(5));
check("it sends", fresh.status === 201, fresh);

say("The broadcast continues");
await until(
  "an e-mail says that a broadcast waits for a person",
  () => world.mails.some(({ to, text }) => to[0] === "ops@example.com" && /broadcast/i.test(text)),
  90,
);
console.log((world.mails.at(0)?.text ?? "no mail").replaceAll("\r", "").replaceAll(/^/gm, "     | "));
await second.operator.types(`waxwing broadcast resume ${running.body.data.id} --fail-unknown`);
await second.operator.types(`waxwing broadcast resume ${scheduled.body.data.id}`);
interface Recipient {
  to: string;
  status: string;
  reason: string | null;
}
async function recipientsOf(id: number): Promise<Recipient[]> {
  const recipients: Recipient[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const { body }: Answer = await call(
      "GET",
      `/broadcasts/${id}/recipients?limit=100${after === "" ? "" : `&after=${after}`}`,
    );
    recipients.push(...body.data);
    after = body.meta.next ?? null;
  }
  return recipients;
}
// What was on its way in the moment of the backup is in doubt for ten minutes, and the broadcast is not completed before.
await until(
  "no recipient is left to be sent to",
  async () => (await recipientsOf(running.body.data.id)).every(({ status }) => status !== "queued"),
  90,
);
second.operator.report("from a bare Debian to the broadcast that continues");
check(
  "the scheduled one waits for its time",
  (await call("GET", `/broadcasts/${scheduled.body.data.id}`)).body.data?.status === "scheduled",
);

say("Nobody twice, nothing lost");
await until("the network has told all that it knows", world.isTold, 90);
const reached = new Map<string, number>();
for (const { to } of world.graph.accepted) reached.set(to ?? "", (reached.get(to ?? "") ?? 0) + 1);
const twice = [...reached].filter(([, count]) => count > 1);
check(`${reached.size} people got a message, none of them two`, twice.length === 0, twice);
check("who said STOP got none", !reached.has(STOPPED));
const recipients = await recipientsOf(running.body.data.id);
const named = new Set(recipients.map(({ to }) => to));
check(
  `each of the ${PEOPLE} is in its report`,
  people.every((one) => named.has(one)),
  named.size,
);
const reasons = Map.groupBy(recipients, ({ status, reason }) => `${status}${reason === null ? "" : `: ${reason}`}`);
for (const [reason, some] of reasons) console.log(`     ${String(some.length).padStart(5)} ${reason}`);
const wronglySent = recipients.filter(({ to, status }) => ["sent", "delivered"].includes(status) && !reached.has(to));
check("a person who is reported as sent to was sent to", wronglySent.length === 0, wronglySent.slice(0, 3));
const silent = recipients.filter(
  ({ to, status, reason }) => !reached.has(to) && reason === null && status !== "sending",
);
check("a person who got none is reported with the reason, or as in doubt", silent.length === 0, silent.slice(0, 3));
const checked = await second.operator.types("waxwing check");
console.log(checked.out.replaceAll(/^/gm, "     "));
const before = world.stored().length;
await second.operator.types("waxwing backup send");
check("its own backups go to the store, beside the old one", world.stored().length === before + 1, world.stored());
const log = (
  await machineB.shell("journalctl -u waxwing -o cat --no-pager | grep -E 'level=(ERROR|error)|ERROR' || true")
).out;
check("no error in its log", log === "", log);
second.operator.report("afterwards");
console.log(`     ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes in all`);
finish();
