/**
 * A memory and processor limit for one process, as the service's unit sets it: a control group below this process's own,
 * in either version. Null where groups cannot be made: then only what the process takes is measured.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Limits extends Disposable {
  /** How the limit is enforced. */
  says: string;
  /** In front of a command that shall run under the limits. */
  wrap: (command: readonly string[]) => string[];
  peakMegabytes: () => number;
  /** Processes that the system killed for want of memory. */
  kills: () => number;
}

const ROOT = "/sys/fs/cgroup";

/** `cores`: 1 for one core. */
export function limit(name: string, memoryMegabytes: number, cores: number): Limits | null {
  try {
    return existsSync(join(ROOT, "cgroup.controllers"))
      ? unified(name, memoryMegabytes, cores)
      : legacy(name, memoryMegabytes, cores);
  } catch {
    return null;
  }
}

function ownGroup(controller: string): string {
  const line = readFileSync("/proc/self/cgroup", "utf8")
    .split("\n")
    .find((one) => (controller === "" ? one.startsWith("0::") : one.split(":")[1]?.split(",").includes(controller)));
  if (line === undefined) throw new Error(`there is no controller ${controller}`);
  return line.split(":").slice(2).join(":");
}

function wrapper(groups: readonly string[]) {
  const joins = groups.map((group) => `echo $$ > '${group}/cgroup.procs'`).join(" && ");
  return (command: readonly string[]) => ["/bin/sh", "-c", `${joins} && exec "$0" "$@"`, ...command];
}

function read(file: string): string {
  return readFileSync(file, "utf8");
}

function legacy(name: string, megabytes: number, cores: number): Limits {
  const [memory, cpu] = ["memory", "cpu"].map((one) => join(ROOT, one, ownGroup(one), name)) as [string, string];
  const groups = [memory, cpu];
  for (const group of groups) mkdirSync(group);
  const bytes = String(megabytes * 1024 * 1024);
  writeFileSync(join(memory, "memory.limit_in_bytes"), bytes);
  const withSwap = join(memory, "memory.memsw.limit_in_bytes");
  if (existsSync(withSwap)) writeFileSync(withSwap, bytes);
  writeFileSync(join(cpu, "cpu.cfs_quota_us"), String(Math.round(cores * 100_000)));
  return {
    says: `control groups, version 1: memory.limit_in_bytes ${megabytes} MiB, cpu.cfs_quota_us for ${cores} core`,
    wrap: wrapper(groups),
    peakMegabytes: () => Number(read(join(memory, "memory.max_usage_in_bytes"))) / 1024 / 1024,
    kills: () => Number(/oom_kill (\d+)/.exec(read(join(memory, "memory.oom_control")))?.[1] ?? 0),
    [Symbol.dispose]: () => {
      for (const group of groups) rmdirSync(group);
    },
  };
}

function unified(name: string, megabytes: number, cores: number): Limits {
  const parent = join(ROOT, ownGroup(""));
  appendFileSync(join(parent, "cgroup.subtree_control"), "+memory +cpu");
  const group = join(parent, name);
  mkdirSync(group);
  writeFileSync(join(group, "memory.max"), String(megabytes * 1024 * 1024));
  writeFileSync(join(group, "memory.swap.max"), "0");
  writeFileSync(join(group, "cpu.max"), `${Math.round(cores * 100_000)} 100000`);
  return {
    says: `control groups, version 2: memory.max ${megabytes} MiB, cpu.max for ${cores} core`,
    wrap: wrapper([group]),
    peakMegabytes: () => Number(read(join(group, "memory.peak"))) / 1024 / 1024,
    kills: () => Number(/oom_kill (\d+)/.exec(read(join(group, "memory.events")))?.[1] ?? 0),
    [Symbol.dispose]: () => rmdirSync(group),
  };
}
