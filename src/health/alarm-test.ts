/** A test alarm through each channel, so that an operator knows before the first real one whether alarms arrive. */
import type { Channels } from "./alarm-channels.ts";

export interface TestedChannel {
  channel: string;
  /** Null: the receiver accepted the alarm. */
  failure: string | null;
}

/** `at`: milliseconds. In the order of the channels; empty if none is configured. */
export function testAlarms({ channels }: Pick<Channels, "channels">, at: number): Promise<TestedChannel[]> {
  return Promise.all(
    Object.entries(channels).map(async ([channel, send]): Promise<TestedChannel> => {
      const test = { id: "alarm_test", severity: "warning", subject: "test alarm", ...WORDS, since: at } as const;
      const key = `alarm_test-${channel}-${at}`;
      try {
        await send({ key, channel, state: "began", condition: test, at, attempts: 0, dueAt: at });
        return { channel, failure: null };
      } catch (error) {
        return { channel, failure: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
}

const WORDS = {
  says: "This is a test alarm that an operator asked for. Nothing is wrong.",
  next: "Nothing needs to be done: alarms of this server arrive here.",
} as const;
