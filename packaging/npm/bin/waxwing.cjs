#!/usr/bin/env node
// Runs the executable of this platform's package with the same arguments, streams and signals.
const { spawn } = require("node:child_process");
const { executable } = require("../executable.cjs");

let program;
try {
  program = executable();
} catch (error) {
  console.error(`waxwing: ${error.message}`);
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// The terminal sends Ctrl-C to both; the executable decides when it has stopped.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.once("error", (error) => {
  console.error(`waxwing: ${program} cannot be run: ${error.message}`);
  process.exit(1);
});
child.once("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
