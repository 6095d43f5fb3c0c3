/** A disk that was mounted read-only, and a directory of another user: each command names it, and what to do about it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { program } from "#test/support/program.ts";
import { SHOP, Workshop } from "./spawn.ts";

const NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
const missing =
  process.platform !== "linux" || process.getuid?.() !== 0
    ? "needs root on Linux"
    : (["mount", "setpriv", "unshare"].find((name) => Bun.which(name) === null) ?? mayMount());

/** Null, or why there can be no file system of the test's own: in some containers root may mount nothing. */
function mayMount(): string | null {
  const { exitCode } = Bun.spawnSync(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]);
  return exitCode === 0 ? null : "needs the right to mount";
}

describe.skipIf(missing !== null)(
  `a disk that cannot be written${missing === null ? "" : ` (skipped: ${missing})`}`,
  () => {
    let workshop: Workshop;
    let disk: string;
    const mounted = (...options: string[]): boolean =>
      Bun.spawnSync(["mount", ...options, disk], { stderr: "inherit" }).exitCode === 0;

    beforeAll(async () => {
      workshop = new Workshop();
      disk = workshop.path("disk");
      mkdirSync(disk);
      expect(mounted("-t", "tmpfs", "-o", "size=200m", "tmpfs")).toBe(true);
      await workshop.json(["--data", join(disk, "data"), "workspace", "create", ...SHOP]);
      await workshop.json(["--data", join(disk, "data"), "backup", workshop.path("good.db")]);
      workshop.write("people.csv", "phone,name\n+442079460210,Asha\n");
    });
    afterAll(() => {
      Bun.spawnSync(["umount", disk]);
      workshop[Symbol.dispose]();
    });

    /** `data` exists, `new` does not. */
    const commands: [name: string, data: string, words: (place: Workshop) => string[]][] = [
      ["serve", "data", () => ["serve", "--listen", "127.0.0.1:0"]],
      ["serve, a first start", "new", () => ["serve", "--listen", "127.0.0.1:0"]],
      ["setup", "new", () => ["setup", "--business", "Shop", "--country", "GB", "--timezone", "Europe/London"]],
      ["backup", "data", (place) => ["backup", place.path("disk/out.db")]],
      ["contact import", "data", (place) => ["contact", "import", "--workspace", "1", place.path("people.csv")]],
      ["restore", "data", (place) => ["restore", place.path("good.db")]],
      ["restore, a new machine", "new", (place) => ["restore", place.path("good.db")]],
      ["workspace list", "data", () => ["workspace", "list"]],
    ];

    test.each(commands)("%s on a read-only file system", async (_, data, words) => {
      expect(mounted("-o", "remount,ro")).toBe(true);
      try {
        const { code, stderr } = await workshop.run(["--data", join(disk, data), ...words(workshop)]);
        expect({ code, stderr }).toEqual({
          code: 1,
          stderr: expect.stringContaining(`the file system at ${disk} is read-only`),
        });
        expect(stderr).toContain(`mount -o remount,rw ${disk}`);
        expect(stderr).not.toContain("another directory with --data");
        expect(stderr).not.toContain("internal error");
      } finally {
        expect(mounted("-o", "remount,rw")).toBe(true);
      }
    });

    test.each(commands.filter(([name]) => name !== "setup"))(
      "%s by a user who may not write there",
      async (_, data, words) => {
        for (const path of [workshop.directory, disk, join(disk, "data")]) chmodSync(path, 0o755);
        const child = Bun.spawn([...NOBODY, ...program, "--data", join(disk, data), ...words(workshop)], {
          cwd: workshop.directory,
          env: { PATH: process.env.PATH ?? "", TMPDIR: "/tmp" },
          stdin: "ignore",
          stdout: "ignore",
          stderr: "pipe",
        });
        const stderr = await new Response(child.stderr).text();
        expect(await child.exited).toBe(1);
        expect(stderr).toMatch(/belongs to root\n {2}next: run this as root\n/);
      },
    );
  },
);
