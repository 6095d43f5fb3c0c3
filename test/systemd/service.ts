/**
 * The installed service under a live systemd, from a bare Debian to an uninstalled server: a part of `bun run test:systemd`.
 * Real time: about two minutes, most of it waiting for the watchdog.
 */
import { Box } from "./box.ts";
import { check, finish, Operator, until } from "./outcome.ts";
import { BASE, bringRelease } from "./preparation.ts";

const PHONE = "+919876543210";

await using box = new Box(BASE);
console.log(
  `a bare Debian runs after ${(await box.start()).toFixed(1)} s: ${(await box.run("systemctl", "--version")).out.split("\n")[0]}`,
);
const hasLimits = await box.enforceLimits();
console.log(`memory limits ${hasLimits ? "hold" : "do not hold here"} in the container`);

bringRelease(box);
const operator = new Operator((script) => box.shell(script));
const property = async (name: string) =>
  (await box.run("systemctl", "show", "waxwing", "--value", "-p", name)).out.trim();
const isReady = async () =>
  (await box.shell("curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/readyz")).out === "200";

console.log("\n# From a bare Debian to the first message");
await operator.types("sh release/install.sh --release /root/release --public-key /root/release/release-key.pem");
check("the unit is active when install.sh ends", (await property("ActiveState")) === "active");
const setUp = await operator.types(
  `waxwing setup --domain none --public-url https://wa.example.com --backup-directory none --alarms none --keep-messages '18 months' --business 'My shop' --country IN --timezone Asia/Kolkata --email ops@example.com --network simulator --phone +911244001100 --test-to ${PHONE}`,
);
check("setup sends a first message", setUp.out.includes(`${PHONE}: sent`), setUp.out);
const status = await operator.types("waxwing status");
check("status is green", status.code === 0 && status.out.includes("Nothing needs attention"), status.out);
check("the service runs as its own user", (await property("User")) === "waxwing");
check(
  "the configuration is readable for the service's group alone",
  (await box.shell("stat -c '%a %U %G' /etc/waxwing/waxwing.toml")).out === "640 root waxwing",
);

console.log("\n# The customer's software sends");
const key = (
  await operator.types('waxwing key create --workspace 1 --json | sed -n \'s/.*"key": *"\\([^"]*\\)".*/\\1/p\'')
).out.trim();
const sent = await operator.types(
  `template=$(waxwing template list --workspace 1 --json | sed -n 's/.*"name": *"\\([^"]*\\)".*/\\1/p' | head -1); curl -s -w ' %{http_code}' -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"to": "${PHONE}", "template": "'"$template"'"}' http://127.0.0.1:8080/api/v1/messages`,
);
check("POST /messages answers 201", sent.out.endsWith(" 201"), sent.out);
operator.report("from a bare Debian to the 201 of the customer's software");

console.log("\n# Readiness: systemctl waits until the server answers");
const restart = await box.shell(
  "systemctl restart waxwing && curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/readyz",
);
check(`restart returns when it is ready (${restart.seconds.toFixed(1)} s)`, restart.out === "200", restart.out);

console.log("\n# SIGHUP: systemctl reload keeps the process");
const pid = await property("MainPID");
await box.shell("systemctl reload waxwing; sleep 1");
check("the same process still answers", (await property("MainPID")) === pid && (await isReady()));

console.log("\n# Watchdog: a process that stands still is replaced");
// Otherwise 90 seconds.
await box.shell(
  "mkdir -p /run/systemd/system/waxwing.service.d && printf '[Service]\\nWatchdogSec=10\\n' > /run/systemd/system/waxwing.service.d/watchdog.conf && systemctl daemon-reload && systemctl restart waxwing",
);
await Bun.sleep(15_000);
check(
  "a process that turns is left alone for longer than the limit",
  (await property("NRestarts")) === "0",
  await property("NRestarts"),
);
const stopped = await property("MainPID");
await box.run("kill", "-STOP", stopped);
const replacedAfter = await until(
  "it is replaced",
  async () => {
    const now = await property("MainPID");
    return now !== "0" && now !== stopped && (await isReady());
  },
  60,
);
check(
  `SIGSTOP: another process answers ${replacedAfter.toFixed(0)} s later (limit 10 s, pause before a restart 5 s)`,
  Number(await property("NRestarts")) >= 1,
);
await box.shell("rm -r /run/systemd/system/waxwing.service.d; systemctl daemon-reload; systemctl restart waxwing");

console.log("\n# Killed: systemd starts it again, and the message is still there");
await box.run("kill", "-KILL", await property("MainPID"));
await until("it is back after SIGKILL", isReady, 30);
check(
  "the message has not been lost",
  (await box.shell("waxwing status >/dev/null; waxwing message show 1 --json")).out.includes(PHONE),
);

if (hasLimits) {
  console.log("\n# MemoryMax: with the documented 256 MB");
  await box.shell(
    "systemctl set-property --runtime waxwing MemoryMax=256M MemorySwapMax=0; systemctl restart waxwing; sleep 3",
  );
  const current = Number(await property("MemoryCurrent")) / 1e6;
  check(
    `it runs with MemoryMax=256M (now ${current.toFixed(0)} MB)`,
    (await isReady()) && (await property("MemoryMax")) === "268435456",
    await property("MemoryMax"),
  );
  await box.shell(
    "systemctl set-property --runtime waxwing MemoryMax=24M; systemctl restart --no-block waxwing; sleep 12",
  );
  check(
    "with 24 MB it is killed: the limit is real",
    Number(await property("NRestarts")) >= 1 || (await property("Result")) !== "success",
    await property("Result"),
  );
  await box.shell("systemctl set-property --runtime waxwing MemoryMax=80%; systemctl restart waxwing");
  await until("it is back with room", isReady, 30);
}

console.log("\n# A start on a full disk");
await box.shell(
  "systemctl stop waxwing; mkdir /root/kept; cp -a /var/lib/waxwing/. /root/kept/; mount -t tmpfs -o size=24m,mode=0700 tmpfs /var/lib/waxwing; cp -a /root/kept/. /var/lib/waxwing/; chown waxwing:waxwing /var/lib/waxwing",
);
await box.shell("head -c 100M /dev/zero > /var/lib/waxwing/filler; df -h /var/lib/waxwing");
const full = await box.shell(
  "timeout 20 systemctl start waxwing; sleep 6; systemctl show waxwing --value -p ActiveState -p NRestarts; curl -s -o /dev/null -w ' healthz %{http_code}' http://127.0.0.1:8080/healthz; curl -s -o /dev/null -w ' readyz %{http_code}' http://127.0.0.1:8080/readyz",
);
console.log(`     full: ${full.out.replaceAll("\n", " ")}`);
const reason = (await box.shell("journalctl -u waxwing -n 12 -o cat --no-pager")).out;
check("the log says that the disk is full", reason.includes("disk is full"), reason);
const told = await box.shell("waxwing status");
check("status names the disk", /disk/.test(told.out) && told.code === 1, told.out);
await box.shell("rm /var/lib/waxwing/filler");
const freed = await until("it is ready again once there is room, without a hand", isReady, 60);
console.log(`     ready ${freed.toFixed(0)} s after there was room`);
await box.shell("systemctl stop waxwing; umount /var/lib/waxwing; systemctl start waxwing");

console.log("\n# Uninstall");
const uninstalled = await box.shell("sh release/install.sh --uninstall");
check(
  "the service and the executable are gone",
  (
    await box.shell(
      "test ! -e /usr/local/bin/waxwing && test ! -e /etc/systemd/system/waxwing.service && ! systemctl is-active --quiet waxwing",
    )
  ).code === 0,
);
check(
  "data, configuration and user stay, and the script names them",
  ["/var/lib/waxwing", "/etc/waxwing", "waxwing"].every((name) => uninstalled.out.includes(name)) &&
    (await box.shell("test -e /var/lib/waxwing/waxwing.db && id waxwing")).code === 0,
  uninstalled.out,
);
console.log(uninstalled.out.replaceAll(/^/gm, "     "));
const again = await box.shell(
  "sh release/install.sh --release /root/release --public-key /root/release/release-key.pem && waxwing message show 1 --json",
);
check("installed again, it has the same data", again.out.includes(PHONE), again.out);

finish();
