/**
 * The program's entry point: passes the arguments to the command line and exits with its exit code. A process that starts
 * itself once more has loaded nothing but what decides that.
 */
import { fitEngine } from "#src/cli/fit-engine.ts";

fitEngine(process.argv.slice(2));
const [{ run }, { processIo }] = await Promise.all([import("#src/cli/cli.ts"), import("#src/cli/process.ts")]);
const io = processIo();
io.exit(await run(process.argv.slice(2), io));
