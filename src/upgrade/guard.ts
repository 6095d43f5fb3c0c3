/**
 * What holds if the upgrade command is killed: which process it is, and a shell script that the service runs before each
 * start, as root. While the command lives, the script does nothing. Once it is gone, a new executable that cannot even
 * start is replaced by the old one, which the new one could not do itself.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Journal, UpgradeFacts } from "./journal.ts";
import { reportPath } from "./server-report.ts";

/** Starts of the new executable without the command, until the old one is put back. */
const STARTS_MAX = 3;

/** The start time tells a process from a later one with the same id. Null: not running, or unknown to this system. */
function startTimeOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A process that has ended and is not yet reaped by its parent.
    return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

/** False if another upgrade command is running. */
export function claimCommand(journal: Journal): boolean {
  const path = join(journal.directory, "command");
  if (existsSync(path)) {
    const [pid = "", startTime = ""] = readFileSync(path, "utf8").trim().split(" ");
    if (Number(pid) !== process.pid && startTimeOf(Number(pid)) === startTime) return false;
  }
  journal.write("command", `${process.pid} ${startTimeOf(process.pid) ?? "-"}\n`);
  return true;
}

export function writeGuard(journal: Journal, { database, nonce }: UpgradeFacts): void {
  const script = `#!/bin/sh
# Written by waxwing upgrade, and removed when the upgrade is over. The service runs this before each start: if the
# command was killed and the new executable does not start, the old one is put back.
cd ${quoted(journal.directory)} || exit 0
read -r phase <phase || exit 0
case $phase in trial | go | undo) ;; *) exit 0 ;; esac
read -r pid start <command || exit 0
case $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -d ' ' -f 1,20) in
  "Z $start" | "X $start") ;;
  *" $start") exit 0 ;;
esac
if [ "$phase" != undo ]; then
  echo start >>starts
  if [ "$(wc -l <starts)" -le ${STARTS_MAX} ]; then exit 0; fi
  if grep -qs '"nonce":"${nonce}","state":"live"' ${quoted(reportPath(database))}; then exit 0; fi
  echo undo >.phase && mv -f .phase phase
fi
if [ -e old ]; then ln -f old next && mv -f next ${quoted(journal.executable)}; fi
sync
`;
  journal.write("guard", script);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
