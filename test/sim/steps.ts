/** The steps of a scenario: each with its weight and its effect on the world. */
import { credit, setPrice } from "#src/domain/billing/account.ts";
import { pauseBroadcast, resumeManually } from "#src/domain/broadcasts/pause.ts";
import { getBroadcast } from "#src/domain/broadcasts/read.ts";
import { reportLimit } from "#src/domain/numbers/portfolio.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { markReady, markUnready } from "#src/domain/numbers/readiness.ts";
import { updateNumber } from "#src/domain/numbers/update.ts";
import { decideByName } from "#src/domain/templates/decide.ts";
import { resume, suspend, updateWorkspace } from "#src/domain/workspaces/update.ts";
import type { Weather } from "./answers.ts";
import { controlThread, others } from "./thread-steps.ts";
import { PHONES, templates } from "./town.ts";
import type { RestoreWay, Wish, World } from "./world.ts";

export const RATE = 8_500;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export interface Step {
  name: string;
  weight: number;
  /** Also in scenarios of broadcasts alone. */
  isOfBroadcasts: boolean;
  /** Returns a description of what it did. */
  run(world: World): string;
}

/** A few recipients get most of the messages, so that events collide. */
function somebody({ random }: World): string {
  return random.pick(random.chance(0.8) ? PHONES.slice(0, 9) : PHONES);
}

function wish(world: World, token: string, path: string, body: Record<string, unknown>, isKeyed: boolean): Wish {
  const made: Wish = {
    token,
    path,
    body,
    idempotencyKey: isKeyed ? `key-${token}` : null,
    wishedAt: world.scheduler.now(),
    firstFinal: null,
  };
  if (isKeyed) world.wishes.push(made);
  return made;
}

function single(world: World): string {
  const { random } = world;
  const to = somebody(world);
  const token = world.newToken("S");
  const isText = random.chance(0.25);
  const content = isText ? { text: token } : { template: random.pick(templates), variables: [token, "you"] };
  const made = wish(world, token, "/api/v1/messages", { to, ...content }, random.chance(0.6));
  world.ask(made);
  // An impatient caller sends the same request twice at once.
  if (made.idempotencyKey !== null && random.chance(0.15)) world.ask(made);
  return `${token}: a single ${isText ? "text" : "template"} to ${to}${made.idempotencyKey === null ? "" : " under a key"}`;
}

function later(world: World): string {
  const { random, scheduler, network } = world;
  const to = somebody(world);
  const token = world.newToken("L");
  const inMs = random.weighted([
    [1, -MINUTE],
    [3, random.between(1, 20) * SECOND],
    [3, 10 * MINUTE],
    [2, HOUR],
    [1, 5 * HOUR],
  ]);
  const at = scheduler.now() + inMs;
  const body = {
    ...{ to, template: random.pick(templates), variables: [token, "you"], send_at: new Date(at).toISOString() },
    ...(random.chance(0.3) ? { cancel_on_reply: true } : {}),
  };
  network.notBefore(token, at);
  world.ask(wish(world, token, "/api/v1/messages", body, random.chance(0.6)));
  return `${token}: a message of ${body.template} to ${to} in ${inMs / 1000} s`;
}

function cancelLater(world: World): string {
  const rows = world.look("SELECT id, text FROM messages WHERE send_at IS NOT NULL ORDER BY id DESC LIMIT 12");
  if (rows.length === 0) return "no scheduled message to cancel";
  const { id, text } = world.random.pick(rows);
  const [token = ""] = /L\d+/.exec(String(text)) ?? [];
  world.call("POST", `/api/v1/messages/${id}/cancel`, {}, (answer) => {
    if (answer === null) return;
    if (![200, 404, 422].includes(answer.status)) world.complain(`cancel: ${answer.status} ${answer.text}`);
    if (answer.status === 200) world.network.forbid(token);
  });
  return `the scheduled message ${id} is cancelled`;
}

function again(world: World): string {
  const fresh = world.wishes.filter((one) => world.isFresh(one)).slice(-12);
  if (fresh.length === 0) return "nothing to ask again";
  const asked = world.random.pick(fresh);
  world.ask(asked);
  return `${asked.token} is asked for again`;
}

function broadcast(world: World): string {
  const { random, town, scheduler } = world;
  const token = world.newToken("B");
  const isBirthday = random.chance(0.12);
  const isGroup = !isBirthday && random.chance(0.25);
  const count = random.weighted([
    [8, random.between(1, 6)],
    [3, random.between(7, 14)],
    [1, 24],
  ]);
  const people = Array.from({ length: count }, () => somebody(world));
  const inMs = random.weighted([
    [5, null],
    [1, 30 * SECOND],
    [1, HOUR],
  ]);
  const audience = isBirthday
    ? { group: town.groups.birthdays }
    : isGroup
      ? { group: town.groups.list }
      : { to: count === 24 ? PHONES : people };
  const body = {
    name: token,
    template: random.pick(templates),
    variables: [token, { field: "name", fallback: "you" }],
    ...audience,
    ...(inMs === null ? {} : { send_at: new Date(scheduler.now() + inMs).toISOString() }),
  };
  world.ask(wish(world, token, "/api/v1/broadcasts", body, random.chance(0.5)));
  const to = isBirthday ? "birthdays" : isGroup ? "the list" : `${count} numbers`;
  return `${token}: a broadcast of ${body.template} to ${to}${inMs === null ? "" : ` in ${inMs / 1000} s`}`;
}

function someBroadcast(world: World, states: string): number | null {
  const rows = world.look(`SELECT id FROM broadcasts WHERE status IN (${states}) ORDER BY id`);
  return rows.length === 0 ? null : Number(world.random.pick(rows).id);
}

const OPEN = "'scheduled', 'queueing', 'running', 'paused'";

function cancel(world: World): string {
  const id = someBroadcast(world, OPEN);
  if (id === null) return "no broadcast to cancel";
  world.call("POST", `/api/v1/broadcasts/${id}/cancel`, {}, (answer) => {
    if (answer !== null && ![200, 409, 422].includes(answer.status)) world.complain(`cancel: ${answer.text}`);
  });
  return `broadcast ${id} is cancelled`;
}

function pause(world: World): string {
  const id = someBroadcast(world, OPEN);
  if (id === null) return "no broadcast to pause";
  world.command((tx) => pauseBroadcast(tx, getBroadcast(tx, id), "manual", "paused by hand"));
  return `broadcast ${id} is paused by hand`;
}

function resumeOne(world: World): string {
  const id = someBroadcast(world, "'paused'");
  if (id === null) return "no broadcast to resume";
  world.command((tx) => resumeManually(tx, getBroadcast(tx, id)));
  return `broadcast ${id} is resumed by hand`;
}

function inbound(world: World): string {
  const { random, scheduler, town, network } = world;
  const from = somebody(world);
  const text = random.weighted([
    [3, "STOP"],
    [4, "START"],
    [4, "Hello there"],
  ]);
  const id = world.newToken("wamid.in-");
  const at = scheduler.now() - random.pick([0, 0, 0, 5 * SECOND, HOUR]);
  network.write(town.number, { from, text, id, at }, () => void world.told.inbounds.add(id));
  return `${from} writes ${text}`;
}

function optOut(world: World): string {
  const phone = somebody(world);
  world.call("POST", `/api/v1/contacts/${encodeURIComponent(phone)}/opt-out`, {}, (answer) => {
    if (answer === null) return;
    if (answer.status !== 200) world.complain(`opt-out: ${answer.status} ${answer.text}`);
    // The phone may be a number variant of a contact that is known under another number.
    const { data } = JSON.parse(answer.text) as { data: { phone: string } };
    world.told.optOuts.add(data.phone);
  });
  return `${phone} is opted out by the API`;
}

function status(world: World): string {
  const { random, network, town } = world;
  const kind = random.pick(["sent", "delivered", "delivered", "read", "failed"] as const);
  if (random.chance(0.2)) {
    const sendToken = `wx1.0simtown.${"0".repeat(10)}.${world.newToken("x").padStart(26, "0")}`;
    const outbound = { sender: senderOf(town), to: somebody(world), recipientNetworkUserId: null, sendToken };
    network.report({ ...outbound, content: { type: "text", body: "" } }, kind, 0);
    return `a status of something unknown: ${kind}`;
  }
  if (network.taken.length === 0) return "nothing to report on";
  const { outbound } = random.pick(network.taken.slice(-20));
  network.report(outbound, kind, random.below(50));
  return `one more status: ${kind} of ${outbound.sendToken}`;
}

function senderOf({ number }: World["town"]) {
  const { phone, phoneNumberId, accountId } = number;
  return { phone, phoneNumberId, accountId, accessToken: null };
}

function changeWeather(world: World): string {
  const weather = world.random.weighted<Weather>([
    [6, "fair"],
    [5, "mixed"],
    [1, "crowded"],
    [1, "away"],
    [2, "silent"],
    [1, "hostile"],
    [1, "sick"],
    [0.5, "strange"],
  ]);
  world.network.weather = weather;
  return `the network is ${weather}`;
}

function time(world: World): string {
  const ms = world.random.weighted([
    [6, world.random.between(1, 900)],
    [4, world.random.between(1_000, 9_000)],
    [3, world.random.between(MINUTE, 3 * MINUTE)],
    [1.5, 11 * MINUTE],
    [0.8, 31 * MINUTE],
    [0.4, 2 * HOUR],
    [0.1, 13 * HOUR],
  ]);
  if (!world.scheduler.run(ms)) world.complain(`too much happens in ${ms} ms`);
  return `${ms} ms pass`;
}

function crash(world: World): string {
  const { random } = world;
  const awayMs = random.weighted([
    [4, random.below(2_000)],
    [2, 20 * MINUTE],
    [0.7, 3 * HOUR],
    [0.3, 13 * HOUR],
  ]);
  const at = random.pick(["turn", "turn", "commit", "before", "after"] as const);
  const left = at === "turn" ? random.between(1, 60) : random.between(1, 6);
  world.doom({ at, left }, awayMs);
  return `the server will die (${at} ${left}), for ${awayMs} ms`;
}

const administration: readonly (readonly [number, (world: World) => string])[] = [
  [
    2,
    (world) => {
      world.command((tx) => suspend(tx, world.town.workspaceId, "unpaid"));
      return "the workspace is suspended";
    },
  ],
  [
    7,
    (world) => {
      world.command((tx) => resume(tx, world.town.workspaceId));
      return "the workspace is resumed";
    },
  ],
  [
    2,
    (world) => {
      world.command((tx) => markUnready(tx, world.town.number.id, "switched off"));
      return "the number is switched off";
    },
  ],
  [
    7,
    (world) => {
      world.command((tx) => markReady(tx, world.town.number.id));
      return "the number is ready";
    },
  ],
  [
    5,
    (world) => {
      const name = world.random.pick(templates);
      const to = world.random.weighted([
        [12, "APPROVED"],
        [2, "PAUSED"],
        [0.5, "REJECTED"],
        [0.3, "DISABLED"],
      ] as const);
      world.command((tx) => decideByName(tx, world.town.workspaceId, name, "en_US", to, null));
      return `the template ${name} is ${to}`;
    },
  ],
  [
    4,
    (world) => {
      if (!world.isCharged) return "not charged";
      const ref = world.newToken("credit-");
      const amount = world.random.pick([-4, -1, 1, 3, 20]) * RATE;
      world.command(
        (tx) => credit(tx, world.town.workspaceId, { amount, note: null, ref }),
        () => void world.told.credits.add(ref),
      );
      return `a credit of ${amount}`;
    },
  ],
  [
    1,
    (world) => {
      if (!world.isCharged) return "not charged";
      const rate = world.random.pick([RATE, 2 * RATE, 0]);
      world.command((tx) => setPrice(tx, world.town.workspaceId, "USD", rate));
      return `the price is ${rate}`;
    },
  ],
  [
    2,
    (world) => {
      const dailyCap = world.random.pick([null, null, 1, 3, 6]);
      world.command((tx) => updateWorkspace(tx, world.town.workspaceId, { dailyCap }));
      return `the daily cap is ${dailyCap}`;
    },
  ],
  [
    3,
    (world) => {
      const limit = world.random.pick(["unlimited", "2", "5", "10", "10"]);
      world.command((tx) => reportLimit(tx, getNumber(tx, world.town.number.id), limit));
      return `the network's limit is ${limit} people`;
    },
  ],
  [
    1,
    (world) => {
      const throughput = world.random.pick([2, 10, 1_000]);
      world.command((tx) => updateNumber(tx, getNumber(tx, world.town.number.id), { throughput }));
      return `the number sends ${throughput} a second`;
    },
  ],
];

function jump(world: World): string {
  const ms = world.random.pick([-3 * HOUR, -90 * SECOND, -5 * SECOND, 5 * SECOND, 10 * MINUTE, 2 * HOUR]);
  world.scheduler.jump(ms);
  return `the clock is set by ${ms / 1000} s`;
}

function copy(world: World): string {
  if (world.backup === null || world.random.chance(0.3)) {
    world.takeBackup();
    return "a backup is made";
  }
  // Whether a start still lies ahead is decided by the clock: after it was set back, a copy without the replaced file
  // is misled. And every copy of one backup advances its ids by the same amount, so the second would give out the ids
  // of the first.
  const way =
    world.scheduler.wasSetBack || world.backup.isRestored
      ? "with_replaced"
      : world.random.weighted<RestoreWay>([
          [4, "with_replaced"],
          [1, "with_gap"],
          [1, "copied_by_hand"],
        ]);
  world.restore(way);
  return `the backup is restored: ${way}`;
}

function receive(world: World): string {
  world.receiver.mood = world.random.pick(["takes", "takes", "mixed", "fails", "silent", "gone"] as const);
  return `the receiver ${world.receiver.mood}`;
}

export const steps: readonly Step[] = [
  { name: "single", weight: 14, isOfBroadcasts: false, run: single },
  { name: "later", weight: 7, isOfBroadcasts: false, run: later },
  { name: "cancel_later", weight: 3, isOfBroadcasts: false, run: cancelLater },
  { name: "again", weight: 8, isOfBroadcasts: false, run: again },
  { name: "broadcast", weight: 12, isOfBroadcasts: true, run: broadcast },
  { name: "cancel", weight: 2, isOfBroadcasts: true, run: cancel },
  { name: "pause", weight: 2, isOfBroadcasts: true, run: pause },
  { name: "resume", weight: 5, isOfBroadcasts: true, run: resumeOne },
  { name: "inbound", weight: 8, isOfBroadcasts: true, run: inbound },
  { name: "others", weight: 6, isOfBroadcasts: false, run: others },
  { name: "thread", weight: 3, isOfBroadcasts: false, run: controlThread },
  { name: "opt_out", weight: 1, isOfBroadcasts: true, run: optOut },
  { name: "status", weight: 5, isOfBroadcasts: true, run: status },
  { name: "weather", weight: 4, isOfBroadcasts: true, run: changeWeather },
  { name: "receiver", weight: 2, isOfBroadcasts: false, run: receive },
  { name: "time", weight: 12, isOfBroadcasts: true, run: time },
  { name: "crash", weight: 4, isOfBroadcasts: true, run: crash },
  {
    name: "administration",
    weight: 8,
    isOfBroadcasts: true,
    run: (world) => world.random.weighted(administration)(world),
  },
  { name: "clock", weight: 0.8, isOfBroadcasts: false, run: jump },
  { name: "copy", weight: 1.5, isOfBroadcasts: false, run: copy },
];
