/**
 * Imports messy rows with known truth through an executable: `bun scripts/messy-import.ts EXECUTABLE [--seed N]
 * [--rows N]`. Prints the people who are missing or read wrongly, and the reasons of the refused. Exit code 1 for faults.
 */
import { readOptions } from "#test/support/options.ts";
import { importMessyRows } from "#test/transfer/messy/messy.ts";

const { values, positionals } = readOptions(
  {
    call: "bun scripts/messy-import.ts",
    about: "Imports messy rows and compares what is stored with the truth.",
    names: { called: "EXECUTABLE", about: "the executable; without: dist/waxwing" },
  },
  {
    seed: { type: "string", about: "repeats the run with this seed", default: "1" },
    rows: { type: "string", about: "how many rows", default: "2000" },
  },
);
const [executable = "dist/waxwing"] = positionals;
const report = importMessyRows({ executable, seed: Number(values.seed), rows: Number(values.rows) });
for (const fault of report.faults) console.log(fault);
console.table(report.reasons);
const count = (kind: string) => report.faults.filter((fault) => fault.includes(`): ${kind},`)).length;
console.log(
  `seed ${values.seed}: ${report.rows} rows, ${report.people} people, ${report.refused} refused; missing ${count("MISSING")}, ` +
    `wrong ${count("WRONG")}, other faults ${report.faults.length - count("MISSING") - count("WRONG")}`,
);
process.exit(report.faults.length > 0 ? 1 : 0);
