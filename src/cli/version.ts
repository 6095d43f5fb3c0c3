/** `waxwing version`: the exact versions in use, for bug reports. */

import { commit, version } from "#src/core/version.ts";
import { type Client, DriverUnusable, openClient } from "#src/db/driver.ts";
import { type Command, command } from "./command.ts";
import { list } from "./output.ts";

export const commands: readonly Command[] = [
  command("version", { summary: "Print the versions of Waxwing, Bun and SQLite", needsNoData: true }, {}, () => {
    const shown = { version, commit: commit === "" ? null : commit, bun: Bun.version, sqlite: sqliteVersion() };
    const name = `waxwing ${version}`;
    return Promise.resolve({
      json: shown,
      text: `${name}\n${list({ commit: shown.commit ?? undefined, bun: shown.bun, sqlite: shown.sqlite })}`,
    });
  }),
];

/** Null where the driver cannot be unpacked: the version is asked for while looking for the reason. */
function sqliteVersion(): string | null {
  let client: Client;
  try {
    client = openClient(":memory:", {});
  } catch (error) {
    if (error instanceof DriverUnusable) return null;
    throw error;
  }
  try {
    return String(client.prepare("SELECT sqlite_version()").pluck().get());
  } finally {
    client.close();
  }
}
