/** Steps of other senders on the number, and of the staff who take a conversation over or give it back. */
import { type PlayedReport, reportCallback } from "#src/networks/simulator/reports.ts";
import { PHONES } from "./town.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;

/** The few people who get most of the messages, so that events collide. */
const FEW = PHONES.slice(0, 9);

export function others(world: World): string {
  const { random, scheduler, network, town } = world;
  const from = random.pick(FEW);
  const at = scheduler.now() - random.pick([0, 0, SECOND, 5 * SECOND, HOUR, 25 * HOUR]);
  const report = random.weighted<PlayedReport>([
    [4, { type: "standby", text: "Hello, agent" }],
    [1, { type: "standby", text: "STOP" }],
    [5, { type: "echo", text: "We are open" }],
    [3, { type: "handover", handover: "control_passed" }],
    [2, { type: "handover", handover: "control_taken" }],
    [2, { type: "handover", handover: "control_taken", role: "business_app" }],
  ]);
  const networkMessageId = world.newToken("wamid.other-");
  network.tell(reportCallback(town.number, { from, networkMessageId, at, name: null }, report));
  return `another sender: ${report.type} ${report.handover ?? report.text} with ${from}`;
}

export function controlThread(world: World): string {
  const rows = world.look("SELECT id FROM conversations ORDER BY id DESC LIMIT 12");
  if (rows.length === 0) return "no conversation to take over";
  const { id } = world.random.pick(rows);
  const action = world.random.pick(["take", "take", "release", "pass"] as const);
  world.call("POST", `/api/v1/conversations/${id}/thread`, { body: { action } }, (answer) => {
    if (answer === null) return;
    if (![200, 404, 422, 429, 502, 503].includes(answer.status))
      world.complain(`${action}: ${answer.status} ${answer.text}`);
  });
  return `${action} of conversation ${id}`;
}
