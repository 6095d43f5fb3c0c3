/** What keeps the people of a broadcast waiting, as the console says it. */
import { type Static, Type } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { Instant, OneOf } from "#src/core/schema.ts";
import type { Wait } from "#src/domain/broadcasts/forecast.ts";
import { OptionalText } from "./fragments.ts";

export const WaitView = Type.Object({
  kind: OneOf(["quiet_hours", "network_limit", "in_quiet_hours"]),
  people: Type.Integer(),
  until: Instant(),
  hours: OptionalText,
});

export function viewWait({ kind, people, until, hours }: Wait, timezone: string): Static<typeof WaitView> {
  return { kind, people, until: formatInstant(until, timezone), hours };
}
