/** Whether an operator would be told: the warning without a channel, `alarm test`, and what `setup` asks about alarms. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { firstOperator } from "#test/support/console.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { startTestServer } from "#test/support/server.ts";
import { CallingWorkshop, SHOP, Workshop } from "./spawn.ts";

setDefaultTimeout(60_000);

type Shown = { conditions: { id: string }[] };

async function warnings(workshop: CallingWorkshop): Promise<string[]> {
  const { conditions } = JSON.parse((await workshop.run(["status", "--json"])).stdout) as Shown;
  const { findings } = JSON.parse((await workshop.run(["doctor", "--json"])).stdout);
  const found = (findings as { id: string | null }[]).map(({ id }) => `doctor ${id}`);
  return [...conditions.map(({ id }) => `status ${id}`), ...found].filter((one) => one.endsWith(" alarms_off"));
}

test("status and doctor warn until a channel is set, or refused by hand", async () => {
  for (const [alerts, expected] of [
    ["", ["status alarms_off", "doctor alarms_off"]],
    // Silence is noticed elsewhere, but no operator is told what is wrong.
    ['ping_url = "http://127.0.0.1:9/"', ["status alarms_off", "doctor alarms_off"]],
    ['webhook = "http://127.0.0.1:9/"', []],
    ['email_to = ["ops@example.com"]\nsmtp_url_file = "smtp"', []],
    ["none = true", []],
  ] as const) {
    using workshop = new CallingWorkshop(`[alerts]\n${alerts}\n`);
    await workshop.json(["workspace", "create", ...SHOP]);
    expect([alerts, await warnings(workshop)]).toEqual([alerts, [...expected]]);
  }
});

test("the console's Health warns of it", async () => {
  const found = async (none: boolean): Promise<unknown[]> => {
    await using app = await startTestServer({ config: { alerts: { none } } });
    const operator = await firstOperator(app);
    const { findings } = (await operator.get("/system/health")).body.data;
    return (findings as { id: string }[]).filter(({ id }) => id === "alarms_off");
  };
  expect(await found(true)).toEqual([]);
  expect(await found(false)).toMatchObject([{ level: "warning", next: expect.stringContaining("none = true") }]);
});

test("a channel and none = true contradict each other, with the key and the line", async () => {
  using workshop = new CallingWorkshop('[alerts]\nnone = true\nwebhook = "http://127.0.0.1:9/"\n');
  const ran = await workshop.run(["config", "check"]);
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining("waxwing.toml:2: alerts.none is true")]);
});

test("alarm test says for each channel whether the test alarm arrived", async () => {
  await using receiver = startReceiver();
  const webhook = `webhook = "${receiver.url}"`;
  const mail = 'email_to = ["ops@example.com"]\nsmtp_url_file = "smtp"';
  using good = new CallingWorkshop(`[server]\npublic_url = "https://wa.example.com"\n[alerts]\n${webhook}\n`);
  expect(JSON.parse((await good.run(["alarm", "test", "--json"])).stdout)).toEqual({
    ok: true,
    channels: [{ channel: "webhook", arrived: true, reason: null }],
  });
  expect(receiver.received.map(({ event }) => event)).toMatchObject([
    { id: "alarm_test", state: "began", severity: "warning", server: "https://wa.example.com" },
  ]);

  using half = new CallingWorkshop(`[alerts]\n${webhook}\n${mail}\n`);
  const ran = await half.run(["alarm", "test"]);
  expect([ran.code, ran.stdout.split("\n")[0]]).toEqual([1, "webhook: arrived"]);
  expect(ran.stdout).toMatch(/^email: did not arrive: /m);

  receiver.respond = () => new Response("no", { status: 500 });
  const refused = await good.run(["alarm", "test"]);
  expect([refused.code, refused.stdout.trim()]).toEqual([
    1,
    "webhook: did not arrive: “The receiver answered HTTP 500.”",
  ]);

  using none = new CallingWorkshop("[alerts]\nnone = true\n");
  const without = await none.run(["alarm", "test"]);
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining("no alarm is configured")]);
});

test("setup takes a channel or its refusal, tests the channel, and keeps what is there", async () => {
  await using receiver = startReceiver();
  using workshop = new Workshop("# mine\n");
  const alerts = () => parse(readFileSync(workshop.path("waxwing.toml"), "utf8")).alerts;
  const setup = async (...words: string[]) => (await workshop.run(["setup", ...words])).stdout;

  expect(await setup()).toContain("configuration: unchanged");
  await setup("--alarms", "none");
  expect(alerts()).toEqual({ none: true });

  expect(await setup("--alarm-webhook", receiver.url)).toContain("alarms: webhook: the test alarm arrived");
  expect([alerts(), receiver.received.length]).toEqual([{ webhook: receiver.url }, 1]);
  await setup("--alarms", "webhook");
  expect([alerts(), receiver.received.length]).toEqual([{ webhook: receiver.url }, 1]);

  const missing = await workshop.run(["setup", "--alarms", "email"]);
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("an alarm needs --alarm-email")]);
  const told = await setup("--alarm-email", "ops@example.com, boss@example.com", "--smtp-url-file", "smtp");
  expect(told).toContain("webhook: the test alarm arrived; email: ");
  expect(alerts()).toEqual({
    ...{ webhook: receiver.url, email_to: ["ops@example.com", "boss@example.com"] },
    smtp_url_file: "smtp",
  });

  await setup("--alarms", "none");
  expect(alerts()).toEqual({ none: true, smtp_url_file: "smtp" });
});
