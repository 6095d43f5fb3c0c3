/**
 * One command of `waxwing move` that is killed before its nth output, which is its nth step: nothing runs after a
 * SIGKILL, no `finally` and no handler. Arguments: n, then the command line.
 */
import { run } from "#src/cli/cli.ts";
import { processIo } from "#src/cli/process.ts";

const [limit = "0", ...argv] = process.argv.slice(2);
let steps = 0;
const io = processIo();
const step = (print: (text: string) => void) => (text: string) => {
  steps += 1;
  if (steps === Number(limit)) process.kill(process.pid, "SIGKILL");
  print(text);
};
process.exit(await run(argv, { ...io, root: null, out: step(io.out), err: step(io.err) }));
