/** The program's entry point: passes the arguments to the command line and exits with its exit code. */
import { run } from "#src/cli/cli.ts";
import { fitEngine } from "#src/cli/fit-engine.ts";
import { processIo } from "#src/cli/process.ts";

fitEngine(process.argv.slice(2));
const io = processIo();
io.exit(await run(process.argv.slice(2), io));
