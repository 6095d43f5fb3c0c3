/** `/control/v1/clock`: shows the clock, moves it forward, freezes it. */
import { Type } from "@sinclair/typebox";
import { durationAfter, readDuration } from "#src/core/duration.ts";
import { formatInstant } from "#src/core/instant.ts";
import type { MovableClock } from "#src/core/movable-clock.ts";
import { Form } from "#src/core/schema.ts";
import { answerJson } from "../answer.ts";
import { declareCall, invalidField, readTime } from "./route.ts";

/** Ten years: more is a mistyped date, and would keep the server busy for hours. */
const MOVE_MAX_MS = 10 * 366 * 86_400_000;

const ClockBody = Form({
  advance: Type.Optional(Type.String()),
  now: Type.Optional(Type.String()),
  freeze: Type.Optional(Type.Boolean()),
});

export const clockRoutes = [
  declareCall("GET /clock", {}, ({ clock }) => answerJson(200, viewClock(clock))),
  declareCall("POST /clock", { body: ClockBody }, async ({ clock, body }) => {
    const { advance, now, freeze } = body;
    if (advance === undefined && now === undefined && freeze === undefined) {
      throw invalidField("advance", "Send one of `advance`, `now` and `freeze`.");
    }
    if (advance !== undefined && now !== undefined) throw invalidField("now", "Send either `advance` or `now`.");
    const target = readTarget(clock.now(), advance, now);
    if (freeze === true) await clock.freeze();
    // A clock that stood still keeps standing while it is moved, so that the answer's time is exactly the target.
    if (advance !== undefined) await clock.moveTo(targetOf(clock, advance));
    else if (target !== null) await clock.moveTo(target);
    if (freeze === false) await clock.unfreeze();
    return answerJson(200, viewClock(clock));
  }),
];

function viewClock(clock: MovableClock) {
  return { now: formatInstant(clock.now(), "UTC"), frozen: clock.isFrozen };
}

/** Throws `invalid_request`. Null: the clock is not moved. */
function readTarget(from: number, advance: string | undefined, now: string | undefined): number | null {
  if (advance !== undefined) {
    const duration = readDuration(advance);
    if (duration === null) throw invalidField("advance", 'This is not a duration such as "90s", "25h" or "18 months".');
    return requireNear("advance", from, durationAfter(from, duration));
  }
  if (now === undefined) return null;
  const target = readTime("now", now);
  // Times are shown in whole seconds, and what was shown can be sent.
  if (target < from - (from % 1_000)) {
    throw invalidField("now", `The clock never goes back, except by a reset. It is ${formatInstant(from, "UTC")}.`);
  }
  return requireNear("now", from, target);
}

function requireNear(field: string, from: number, target: number): number {
  if (target - from > MOVE_MAX_MS) throw invalidField(field, "The clock moves by at most ten years at once.");
  return target;
}

/** Read again where the clock may have moved on meanwhile. */
function targetOf(clock: MovableClock, advance: string): number {
  const duration = readDuration(advance);
  return duration === null ? clock.now() : durationAfter(clock.now(), duration);
}
