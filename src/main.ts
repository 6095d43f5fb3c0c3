/** The program's entry: the command line's words to the command line, its exit code to the system. */
import { run } from "#src/cli/cli.ts";
import { processIo } from "#src/cli/process.ts";

const io = processIo();
io.exit(await run(process.argv.slice(2), io));
