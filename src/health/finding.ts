/** The results of checking the set-up, as sentences, each with the next step if there is one. */
export interface Finding {
  level: "ok" | "warning" | "problem";
  /** What was checked: `token`, `callback`, `clock` … */
  check: string;
  numberId: number | null;
  message: string;
  /** Null if there is nothing to do. */
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
