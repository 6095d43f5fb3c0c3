/** What a look at the set-up found, in words, with the next step where there is one. */
export interface Finding {
  level: "ok" | "warning" | "problem";
  /** What was looked at: `token`, `callback`, `clock` … */
  check: string;
  numberId: number | null;
  message: string;
  /** Null where nothing is to be done. */
  next: string | null;
}

export class Findings {
  readonly all: Finding[] = [];

  ok(check: string, numberId: number | null, message: string): void {
    this.all.push({ level: "ok", check, numberId, message, next: null });
  }

  warn(check: string, numberId: number | null, message: string, next: string): void {
    this.all.push({ level: "warning", check, numberId, message, next });
  }

  problem(check: string, numberId: number | null, message: string, next: string): void {
    this.all.push({ level: "problem", check, numberId, message, next });
  }
}
