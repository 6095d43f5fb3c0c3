/** `waxwing alarm test`: whether alarms arrive. */
import { hostname } from "node:os";
import { quoted } from "#src/core/foreign-text.ts";
import { createChannels } from "#src/health/alarm-channels.ts";
import { testAlarms } from "#src/health/alarm-test.ts";
import { type Command, command } from "./command.ts";
import { CommandFailure } from "./failure.ts";
import type { Report } from "./output.ts";

export const commands: readonly Command[] = [
  command(
    "alarm test",
    {
      summary: "Send a test alarm through each channel of [alerts], and say which arrived",
      details:
        "A webhook that answers 200 to 299 has received it, and a mail server that accepts it has taken it: look into the mailbox\ntoo. Changes nothing, and needs no running server; the ping address is not called.\nExit code 1 if a channel failed, or none is configured.",
    },
    {},
    async ({ io, loadConfig }): Promise<Report> => {
      const { alerts, server } = loadConfig();
      const channels = createChannels({ clock: io.clock, alerts, server: server.publicUrl ?? hostname() });
      const tested = await testAlarms(channels, io.clock.now());
      if (tested.length === 0)
        throw new CommandFailure(
          "no_alarm_channel",
          "no alarm is configured",
          "set webhook or email_to in the [alerts] section of the configuration",
        );
      const ok = tested.every(({ failure }) => failure === null);
      const json = {
        ok,
        channels: tested.map(({ channel, failure }) => ({ channel, arrived: failure === null, reason: failure })),
      };
      const text = tested
        .map(({ channel, failure }) =>
          failure === null ? `${channel}: arrived` : `${channel}: did not arrive: ${quoted(failure)}`,
        )
        .join("\n");
      return { json, text, exitCode: ok ? 0 : 1 };
    },
  ),
];
