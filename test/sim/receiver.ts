/** The customer's receiver of events: it accepts them, refuses them or stays silent, and remembers their contents. */
import type { PostResult, WebhookPoster } from "#src/net/post.ts";
import type { Life } from "./process.ts";
import type { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

export type Mood = "takes" | "fails" | "silent" | "gone" | "mixed";

export interface ReceiverOptions {
  scheduler: Scheduler;
  random: SeededRandom;
  timeoutMs: number;
  /** Whether this event is on the disk. */
  isStored(id: string): boolean;
  complain(what: string): void;
  note(what: string, more?: string): void;
}

export class OutsideReceiver {
  mood: Mood = "takes";
  /** The content of each event, by id. */
  readonly #told = new Map<string, string>();
  readonly #options: ReceiverOptions;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  connect(life: Life): WebhookPoster {
    const { scheduler, random, timeoutMs, note } = this.#options;
    return {
      close: () => undefined,
      post: ({ body }) =>
        new Promise((resolve) => {
          if (life.isDead) return;
          const mood =
            this.mood === "mixed" ? random.pick(["takes", "takes", "fails", "silent", "gone"] as const) : this.mood;
          this.#receiveCallback(body);
          const durationMs = mood === "silent" ? timeoutMs : random.between(1, 400);
          scheduler.later(durationMs, () => {
            if (life.isDead) return;
            note(`webhook ${mood}`, body);
            resolve(resultOf(mood, durationMs));
          });
        }),
    };
  }

  #receiveCallback(body: string): void {
    const { complain, isStored } = this.#options;
    const { id } = JSON.parse(body) as { id: string };
    const before = this.#told.get(id);
    if (before === undefined) {
      this.#told.set(id, body);
      if (!isStored(id)) complain(`event ${id} was told although it is not on the disk`);
    } else if (before !== body) complain(`event ${id} was told in other words the second time`);
  }
}

function resultOf(mood: Exclude<Mood, "mixed">, durationMs: number): PostResult {
  switch (mood) {
    case "takes":
      return { kind: "answered", status: 200, body: "", durationMs };
    case "fails":
      return { kind: "answered", status: 500, body: "broken", durationMs };
    case "silent":
      return { kind: "failed", reason: "timeout", message: "It did not answer in time.", durationMs };
    case "gone":
      return { kind: "failed", reason: "connection", message: "The connection was refused.", durationMs };
  }
}
