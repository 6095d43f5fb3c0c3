/** The program's entry: the command line's words to the command line, its exit code to the system. */
import { run } from "./cli/cli.ts";
import { processIo } from "./cli/process.ts";

const io = processIo();
io.exit(await run(process.argv.slice(2), io));
