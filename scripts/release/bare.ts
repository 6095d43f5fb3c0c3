/**
 * A bare machine: a directory that holds a few programs, the libraries that they load, and nothing else. A program in it
 * runs with that directory as its root, without the environment of this machine, as a user without rights.
 */
import { cpSync, existsSync, globSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a container runtime gives a program: `/proc`, `/dev`, a `/tmp`, and a user. The directory is the next word. */
export const IN_CONTAINER = [
  ...["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c"],
  `cd "$1" && mkdir -p proc dev tmp && mount -t proc proc proc && mount --rbind /dev dev && mount -t tmpfs tmpfs tmp &&
   shift && exec env -i PATH=/usr/bin:/bin HOME=/tmp "$(command -v chroot)" --userspec=65532:65532 . "$@"`,
  "sh",
];

/** Which paths of this machine a language is. The first is its program. */
export const languages = {
  node: () => {
    const node = programPath("node");
    const modules = join(dirname(realpathSync(programPath("npm"))), "../..");
    return { program: node, paths: [node, join(modules, "npm")], libraries: [] };
  },
  python: () => {
    const text = "import sys, sysconfig; print(sys.base_prefix, sysconfig.get_path('stdlib'), sys.version_info[1])";
    const [prefix = "", library = "", minor = ""] = output(["python3", "-c", text]).trim().split(" ");
    const program = join(prefix, `bin/python3.${minor}`);
    return { program, paths: [program, library], libraries: globSync(join(library, "lib-dynload/*.so")) };
  },
} as const;

/** Makes the machine in an empty directory; returns the path, in it, of the language's program. */
export function makeBareMachine(
  root: string,
  language: keyof typeof languages,
  executables: readonly string[],
): string {
  const { program, paths, libraries } = languages[language]();
  const tools = ["sh", "env"].map(programPath);
  // What the server's driver loads at its start, and the Debian package depends on.
  const [, driven = ""] = /libstdc\+\+\.so\.6 .*=> (\S+)/.exec(output(["ldconfig", "-p"])) ?? [];
  const loaded = `${driven} (0x0)\n${output(["ldd", program, ...tools, ...executables, ...libraries, driven])}`;
  // A library without a path is the kernel's own.
  const found = [...loaded.matchAll(/(?:=> )?(\/[^\s:]+) \(0x/g)].map(([, path]) => path ?? "");
  for (const path of new Set([...paths, ...tools, ...found])) {
    const place = join(root, path);
    mkdirSync(dirname(place), { recursive: true });
    if (!existsSync(place)) cpSync(realpathSync(path), place, { recursive: true, verbatimSymlinks: true });
  }
  for (const [name, path] of [
    ["sh", programPath("sh")],
    ["env", programPath("env")],
  ] as const) {
    for (const folder of ["bin", "usr/bin"]) {
      mkdirSync(join(root, folder), { recursive: true });
      if (!existsSync(join(root, folder, name))) cpSync(realpathSync(path), join(root, folder, name));
    }
  }
  mkdirSync(join(root, "etc"), { recursive: true });
  writeFileSync(join(root, "etc/hosts"), "127.0.0.1 localhost\n");
  writeFileSync(join(root, "etc/passwd"), "user:x:65532:65532::/tmp:/bin/sh\n");
  return program;
}

function programPath(name: string): string {
  const path = Bun.which(name);
  if (path === null) throw new Error(`${name} is not here`);
  return path;
}

function output(command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { stdin: "ignore" });
  if (exitCode !== 0) throw new Error(`${command.slice(0, 3).join(" ")}: exit ${exitCode}\n${stderr}`);
  return stdout.toString();
}
