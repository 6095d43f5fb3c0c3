/** The states of a planned move: every case of an admission, and every way through two machines, a file and a code. */
import { expect, test } from "bun:test";
import { type Admission, admit, type FileUse, hashCode, judgeCancel, judgeMoveOut } from "#src/backup/move/states.ts";

const TOKENS = [null, "mine", "other"] as const;
const UNUSED: FileUse = { kind: "unused" };

test("a file is used once, with its code and in time; everything else becomes a copy, and a wrong code nothing", () => {
  let cases = 0;
  for (const use of [UNUSED, { kind: "used", at: 1, by: "mine" }, { kind: "used", at: 1, by: "other" }] as FileUse[]) {
    for (const code of ["none", "right", "wrong"] as const) {
      for (const now of [0, 99, 100, 101]) {
        for (const interruptedToken of TOKENS) {
          for (const presentToken of TOKENS) {
            cases++;
            const admission = admit({ use, expiresAt: 100, code, now, interruptedToken, presentToken });
            expect(admission).toEqual(expected(use, code, now, interruptedToken, presentToken));
          }
        }
      }
    }
  }
  expect(cases).toBe(3 * 3 * 4 * 3 * 3);
});

/** As behaviour says it, in another order of questions. */
function expected(
  use: FileUse,
  code: "none" | "right" | "wrong",
  now: number,
  interrupted: string | null,
  present: string | null,
): Admission {
  if (code === "wrong") return { kind: "refused", because: "wrong_code" };
  const by = use.kind === "used" ? use.by : null;
  if (by !== null && present === by) return { kind: "done" };
  if (code === "none") return { kind: "copy", because: "no_code" };
  if (by !== null && interrupted === by) return { kind: "continue" };
  if (by !== null) return { kind: "copy", because: "used" };
  return now >= 100 ? { kind: "copy", because: "expired" } : { kind: "successor" };
}

test("a code is read as people type it, and any other letter makes another one", () => {
  expect(hashCode("ABCD-efgh 1234")).toBe(hashCode("abcdefgh1234"));
  expect(hashCode("abcdefgh1235")).not.toBe(hashCode("abcdefgh1234"));
});

type Site = "none" | "sends" | "held" | "closed" | "beside";
interface World {
  original: Site;
  /** Databases that came out of the file, on two machines. */
  sites: readonly [Site, Site];
  /** Null: there is no file. */
  file: "unused" | "used by 0" | "used by 1" | null;
  hasCode: boolean;
  isLate: boolean;
}

/** Every next state, with kills between the steps; the judgements are those of the code. */
function next(world: World): World[] {
  const worlds: World[] = [{ ...world, isLate: true }];
  const out = judgeMoveOut(world.original === "closed" ? "moved_out" : world.original === "held" ? "copy" : "open");
  if (out.kind === "close" && world.file === null) {
    // Killed before the end; after the file; after closing, before the code was shown; and not killed.
    worlds.push({ ...world, file: "unused" });
    worlds.push({ ...world, file: "unused", original: "closed" });
    worlds.push({ ...world, file: "unused", original: "closed", hasCode: true, isLate: false });
  }
  if (judgeCancel(world.original === "closed" ? "moved_out" : "open").kind === "copy")
    worlds.push({ ...world, original: "held" });
  if (world.file === null) return worlds;
  for (const place of [0, 1] as const) {
    for (const code of world.hasCode ? (["none", "right"] as const) : (["none"] as const)) {
      worlds.push(...movesIn(world, place, code));
    }
  }
  return worlds;
}

function movesIn(world: World, place: 0 | 1, code: "none" | "right"): World[] {
  const site = world.sites[place];
  const own = `used by ${place}` as const;
  const by = world.file?.startsWith("used") ? world.file : null;
  const admission = admit({
    use: by === null ? UNUSED : { kind: "used", at: 0, by },
    expiresAt: 100,
    code,
    now: world.isLate ? 200 : 0,
    interruptedToken: site === "beside" ? own : null,
    presentToken: site === "sends" ? own : null,
  });
  const put = (value: Site, file = world.file): World => {
    const sites: [Site, Site] = [...world.sites];
    sites[place] = value;
    return { ...world, sites, file };
  };
  // A database with workspaces is in the way.
  if (admission.kind === "done" || admission.kind === "refused" || site === "sends" || site === "held") return [];
  if (admission.kind === "copy") return [put("held")];
  if (admission.kind === "continue") return [put("sends")];
  return [put("beside"), put("beside", own), put("sends", own)];
}

test("whatever happens in which order, killed or not, at most one database sends without a hold", () => {
  const start: World = { original: "sends", sites: ["none", "none"], file: null, hasCode: false, isLate: false };
  const seen = new Set([JSON.stringify(start)]);
  const queue = [start];
  for (let world = queue.pop(); world !== undefined; world = queue.pop()) {
    const sending = [world.original, ...world.sites].filter((site) => site === "sends");
    if (sending.length > 1) throw new Error(`two send: ${JSON.stringify(world)}`);
    for (const one of next(world)) {
      const key = JSON.stringify(one);
      if (!seen.has(key)) {
        seen.add(key);
        queue.push(one);
      }
    }
  }
  expect(seen.size).toBeGreaterThan(40);
});
