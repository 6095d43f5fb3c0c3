/** What `waxwing config check` says about one key. */
export interface ConfigFinding {
  level: "ok" | "warning" | "problem";
  /** `section.key` */
  key: string;
  message: string;
  next: string | null;
}
