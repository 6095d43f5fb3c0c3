/** The examples of CONTRIBUTING.md, applied to a copy of the sources as the page says. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { checkout } from "#test/support/source.ts";
import { type Change, checkTypes, withChangedCopy } from "#test/support/type-check.ts";

const page = readFileSync(`${checkout}/CONTRIBUTING.md`, "utf8");

/** The code blocks below a heading, without their indentation. */
function blocksBelow(heading: string): string[] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [text = ""] = section.split(/\n## /);
  return [...text.matchAll(/^( *)```(?:ts|tsx)\n([\s\S]*?)^ *```/gm)].map(([, indent = "", code = ""]) =>
    code.replaceAll(new RegExp(`^${indent}`, "gm"), "").trimEnd(),
  );
}

function before(place: string, text: string): (source: string) => string {
  return (source) => source.replace(place, `${text}\n${place}`);
}

function after(place: string, text: string): Change {
  return (source) => source.replace(place, `${place}\n${text}`);
}

test("the examples of a log line and of a console column compile, and the log line's test passes", async () => {
  const [event = "", line = "", ownTest = ""] = blocksBelow("Add a log line");
  const [column = "", expectation = ""] = blocksBelow("Add a column to the console");
  const [, key, sentence] = /^"(.*)": "(.*)",$/.exec(event) ?? [];
  const tests = "test/flow/webhooks-retry.test.ts";
  const changes = {
    "src/core/log-events.ts": before('  "delivery.attempt_failed"', event),
    "docs/operations.md": before("| `delivery.attempt_failed`", `| \`${key}\` | ${sentence} |`),
    "src/webhooks/deliver.ts": before("  const { webhook, eventType } = plan;", line),
    [tests]: (source: string) => `${source}\n${ownTest}\n`,
    "src/web/features/messages/messages.tsx": before("          {\n            head: strings.cost", column),
    "test/browser/phone.test.ts": after('await scenario.go("messages");', expectation),
  };
  await withChangedCopy(changes, async (directory) => {
    expect([...(await checkTypes(directory, ".")), ...(await checkTypes(directory, "src/web"))]).toEqual([]);
    const run = Bun.spawn(
      [process.execPath, "test", "--timeout", "60000", "-t", "logged once|log event", tests, "test/log-events.test.ts"],
      {
        cwd: directory,
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    const report = await new Response(run.stderr).text();
    expect([report, await run.exited]).toEqual([expect.stringContaining(" 4 pass"), 0]);
    expect(report).toContain("(pass) a delivery that the receiver accepts is logged once");
  });
}, 400_000);
