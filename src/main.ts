/** The program's entry point: passes the arguments to the command line and exits with its exit code. */
import { run } from "#src/cli/cli.ts";
import { processIo } from "#src/cli/process.ts";

const io = processIo();
io.exit(await run(process.argv.slice(2), io));
