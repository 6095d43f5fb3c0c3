/** The findings of `waxwing config check` and `waxwing doctor`, and how they are printed. */
import { visible } from "#src/core/shown-text.ts";
import type { Finding } from "#src/health/connection-rule.ts";
import { lines } from "./output.ts";

type Said = Pick<Finding, "level" | "says" | "next">;

/** About one key of the configuration. */
export interface ConfigFinding extends Said {
  /** `section.key` */
  key: string;
}

export function ok(key: string, says: string): ConfigFinding {
  return { level: "ok", key, says, next: null };
}

export function warning(key: string, says: string, next: string): ConfigFinding {
  return { level: "warning", key, says, next };
}

export function problem(key: string, says: string, next: string | null): ConfigFinding {
  return { level: "problem", key, says, next };
}

const LEVEL_LABELS = { ok: "ok     ", warning: "warning", problem: "PROBLEM" } as const;

/** What to print, with the number of problems at the end. `about`: what a finding is about. */
export function describeFindings<One extends Said>(findings: readonly One[], about: (finding: One) => string): string {
  const problems = findings.filter(({ level }) => level === "problem").length;
  return lines(
    findings.map((one) => [
      `${LEVEL_LABELS[one.level]}  ${about(one)}: ${visible(one.says)}`,
      one.next !== null && `         next: ${visible(one.next)}`,
    ]),
    "",
    problems === 0 ? "No problems found." : `${problems} ${problems === 1 ? "problem" : "problems"}.`,
  );
}
