/** `waxwing version`: the exact versions in use, for bug reports. */

import { commit, version } from "#src/core/version.ts";
import { openClient } from "#src/db/driver.ts";
import { type Command, command } from "./command.ts";
import { list } from "./output.ts";

export const commands: readonly Command[] = [
  command({
    group: null,
    name: "version",
    summary: "Print the versions of Waxwing, Bun and SQLite",
    needsNoData: true,
    run: () => {
      const shown = { version, commit: commit === "" ? null : commit, bun: Bun.version, sqlite: sqliteVersion() };
      const name = `waxwing ${version}`;
      return Promise.resolve({
        json: shown,
        text: `${name}\n${list({ commit: shown.commit ?? undefined, bun: shown.bun, sqlite: shown.sqlite })}`,
      });
    },
  }),
];

function sqliteVersion(): string {
  const client = openClient(":memory:", {});
  try {
    return String(client.prepare("SELECT sqlite_version()").pluck().get());
  } finally {
    client.close();
  }
}
