/**
 * The program that tests start as processes: the sources, or the executable that `TEST_EXECUTABLE` names. The whole suite
 * (`./install.sh test`) names the one that it has built: it starts in a third of the time, and users have no other.
 */
import { join, resolve } from "node:path";
import { checkout } from "./source.ts";

const built = process.env.TEST_EXECUTABLE;

/** The first words of a command. */
export const program: readonly string[] =
  built === undefined ? [process.execPath, join(checkout, "src/main.ts")] : [resolve(built)];
