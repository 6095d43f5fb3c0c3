/**
 * Shows that the simulation finds bugs: bugs inserted on purpose, each into a temporary copy of the project, on which
 * the simulation runs until it finds the bug. A replacement that no longer fits the source throws.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

interface Mutant {
  name: string;
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
}

export const mutants: readonly Mutant[] = [
  {
    name: "a single message that is dispatched again is found by its contact at its first time only",
    file: "src/domain/messages/contact-messages.ts",
    find: "  indexEntry(tx).run({ contactId, dispatchedAt: after.dispatchedAt, messageId });\n",
    replace: "",
  },
  {
    name: "the move of entries to their index ends before its last step",
    file: "src/server/batch-indexer.ts",
    find: "step < move.steps",
    replace: "step < move.steps - 1",
  },
  {
    name: "a lost guard: a failure is recorded although a status was faster",
    file: "src/domain/messages/record-outcome.ts",
    find: 'if (before.status !== "sending" && before.status !== "queued") return before;',
    replace: "",
  },
  {
    name: "an outcome recorded before the send",
    file: "src/sending/send-message.ts",
    find: "    const outcome = await networks[sender.network].send(outbound, options.timeoutMs);",
    replace: `    const early = { kind: "accepted", networkMessageId: outbound.sendToken, recipientId: null, recipientNetworkUserId: null } as const;
    await record((tx) => void recordAccepted(tx, requireMessage(tx, message.id), early));
    const outcome = await networks[sender.network].send(outbound, options.timeoutMs);`,
  },
  {
    name: "consent not read again when a recipient is claimed",
    file: "src/domain/broadcasts/claim.ts",
    find: "const consentCode = consentSkip(contact);",
    replace: "const consentCode = null as SkipCode | null;",
  },
  {
    name: "a hold not released when a single message is discarded",
    file: "src/domain/messages/record-outcome.ts",
    find: 'if (discarded.money === "held") release(tx, discarded.workspaceId, discarded.id, discarded.rate);',
    replace: "",
  },
  {
    name: "a key released after dispatch, at the start after a crash",
    file: "src/domain/messages/in-doubt.ts",
    find: "    } else {\n      reschedule(",
    replace: "    } else {\n      releaseKeyOfMessage(tx, message.id);\n      reschedule(",
  },
  {
    name: "consent not read again before a further attempt",
    file: "src/domain/messages/record-outcome.ts",
    find: "requireNotOptedOut(tx, workspace, { contact, phone: null, networkUserId: null });",
    replace: "",
  },
  {
    name: "recipients that a crash left open are sent again",
    file: "src/domain/broadcasts/recover.ts",
    find: "for (const message of open) leaveInDoubt(tx, message, expireAt);",
    replace:
      'for (const message of open) tx.db.update(messages).set({ status: "queued" }).where(eq(messages.id, message.id)).run();',
  },
  {
    name: "an unknown outcome is tried again",
    file: "src/domain/broadcasts/record-outcome.ts",
    find: "leaveInDoubt(tx, message, tx.now + inDoubtAfterMs);",
    replace: "requeue(tx, broadcast, message);",
  },
  {
    name: "a broadcast's own state is not read again",
    file: "src/domain/broadcasts/claim.ts",
    find: 'if (broadcast.status !== "running") return nothingClaimed;',
    replace: "",
  },
  {
    name: "a status that comes twice is told twice",
    file: "src/domain/messages/message.ts",
    find: 'return RANK[reported] > RANK[current] ? "enter" : "fill_in";',
    replace: 'return RANK[reported] >= RANK[current] ? "enter" : "fill_in";',
  },
  {
    name: "a status that speaks of everybody stops nothing",
    file: "src/domain/messages/breaker.ts",
    find: "counters.reportedRefusal ?? (affectsEveryone(failure) ? failure : null)",
    replace: "counters.reportedRefusal",
  },
  {
    name: "a network that is down stops no broadcast",
    file: "src/domain/broadcasts/eligibility.ts",
    find: "if (down !== null) return",
    replace: "if (down === undefined) return",
  },
  {
    name: "a recipient whom the network refuses is sent to without end",
    file: "src/domain/broadcasts/record-outcome.ts",
    find: "networkRefusals: message.networkRefusals + 1,",
    replace: "networkRefusals: 0,",
  },
  {
    name: "a network in trouble gets as many messages at a time as a healthy one",
    file: "src/sending/send-window.ts",
    find: "if (isProbing || isOneAtATime(this.#findHealth())) return 1 - this.inFlight;",
    replace: "if (isProbing) return 1 - this.inFlight;",
  },
  {
    name: "a number's queue runs again every millisecond while it may not send",
    file: "src/sending/number-queue.ts",
    find: "if (this.#freeSlots() <= 0) return null;",
    replace: "if (this.#freeSlots() <= 0) return 1;",
  },
  {
    name: "the limit of people of the network is ignored",
    file: "src/domain/broadcasts/claim.ts",
    find: 'return room > 0 ? "taken" : "none";',
    replace: 'return room >= 0 ? "taken" : "none";',
  },
  {
    name: "people who are sent to are not counted under the network's limit",
    file: "src/domain/broadcasts/claim.ts",
    find: "if (limited !== null) addPeople(tx, limited, workspace.id, context.people);",
    replace: "",
  },
  {
    name: "a message that proved to be refused keeps its room under the network's limit",
    file: "src/domain/messages/portfolio-limit.ts",
    find: "if (known !== undefined) deletePerson(tx).run({ portfolioId, person });",
    replace: "",
  },
  {
    name: "a message in doubt gives its room under the network's limit back",
    file: "src/domain/messages/contact-message-statements.ts",
    find: "AND (messages.status <> 'failed' OR messages.outcome_unknown = 1)",
    replace: "AND messages.status <> 'failed'",
  },
  {
    name: "a single message does not count under the network's limit",
    file: "src/domain/messages/accept.ts",
    find: "addPerson(tx, plan.sender, toPhone, plan.contact);",
    replace: "",
  },
  {
    name: "a broadcast that waits for room does not see a raised limit",
    file: "src/domain/broadcasts/wait.ts",
    find: "return sender !== undefined && hasRoom(tx, sender);",
    replace: "return sender === undefined;",
  },
  {
    name: "one good probe ends an outage",
    file: "src/domain/numbers/network-health.ts",
    find: "const GOOD_PROBES = 2;",
    replace: "const GOOD_PROBES = 1;",
  },
  {
    name: "the first success after trouble brings full speed back",
    file: "src/domain/numbers/network-health.ts",
    find: 'return { ...reset, state: "recovering", changedAt: now, recoveredAt: now, successes: 0 };',
    replace: "return { ...wellHealth(health.numberId), recoveredAt: now };",
  },
  {
    name: "an unlisted code stops singles",
    file: "src/domain/messages/breaker.ts",
    find: '  if (failure.scope === "unlisted") return recordUnlisted(tx, message, "answer", failure);\n  if (!isNetworkFailure(failure)) return false;\n',
    replace: '  if (failure.scope !== "unlisted" && !isNetworkFailure(failure)) return false;\n',
  },
  {
    name: "good probes never end an outage",
    file: "src/domain/numbers/network-health.ts",
    find: "if (goodProbes < GOOD_PROBES) write",
    replace: "if (goodProbes >= 0) write",
  },
  {
    name: "a recipient in doubt is never given up",
    file: "src/domain/messages/in-doubt.ts",
    find: 'return message?.status === "sending" ? recordFailure(tx, messageId, interrupted) : message;',
    replace: "return message;",
  },
  {
    name: "a move of the network's ids that forgets half of them",
    file: "src/server/batch-indexer.ts",
    find: "step < move.steps",
    replace: "step < move.steps / 2",
  },
  {
    name: "a scheduled message is sent a minute before its time",
    file: "src/domain/messages/scheduled.ts",
    find: "  const { sendAt, cancelOnReply } = later;\n",
    replace: "  const { cancelOnReply } = later;\n  const sendAt = later.sendAt - 60_000;\n",
  },
  {
    name: "a scheduled message that a crash left in doubt is sent again",
    file: "src/domain/messages/in-doubt.ts",
    find: "  const open = listOpen(tx, afterId, RECLAIM_BATCH);\n",
    replace: `  const open = listOpen(tx, afterId, RECLAIM_BATCH).filter(({ id, numberId, sendAt, workspaceId }) => {
    if (sendAt === null) return true;
    tx.db.$client.prepare("UPDATE messages SET status = 'pending', dispatched_at = NULL WHERE id = ?").run(id);
    reschedule(tx, { kind: "send_message", subject: id, queueKey: 1_000_000_000_000 + numberId, dueAt: tx.now });
    return workspaceId === 0;
  });
`,
  },
  {
    name: "a cancelled message is only said to be cancelled",
    file: "src/domain/messages/scheduled.ts",
    find: "  const cancelled = enter(tx, message, changes);\n",
    replace: "  const cancelled: Message | undefined = { ...message, ...changes };\n",
  },
  {
    name: "the time of a scheduled message moves with the clock",
    file: "src/jobs/shift-delays.ts",
    find: "kind NOT IN ('start_broadcast', 'send_message', 'end_snooze')",
    replace: "kind NOT IN ('start_broadcast', 'end_snooze')",
  },
  {
    name: "a scheduled message that the network did not accept is forgotten",
    file: "src/domain/messages/scheduled.ts",
    find: '  reschedule(tx, { kind: "send_message", subject: id, queueKey: queueOfNumber(message.numberId), dueAt });\n',
    replace: "",
  },
  {
    name: "a scheduled message is sent to a person who opted out since",
    file: "src/domain/messages/plan.ts",
    find: "  requireNotOptedOut(tx, workspace, recipient);\n",
    replace: "  if (due === null) requireNotOptedOut(tx, workspace, recipient);\n",
  },
  {
    name: "a message is sent on both paths",
    file: "src/sending/number-queue.ts",
    find: "      outcome = await networks[sender.network].send(outbound, timeoutMs);\n",
    replace: `      outcome = await networks[sender.network].send(outbound, timeoutMs);
      if (outcome.kind === "accepted" && outbound.path === "marketing")
        outcome = await networks[sender.network].send({ ...outbound, path: "general" }, timeoutMs);
`,
  },
  {
    name: "an unknown outcome of the endpoint for marketing leads to a fallback",
    file: "src/domain/messages/send-path.ts",
    find: 'return outcome.kind === "refused" && outcome.isWrongPath === true;',
    replace: 'return outcome.kind === "unknown" || (outcome.kind === "refused" && outcome.isWrongPath === true);',
  },
  {
    name: "a fallback is not on disk when the message is sent again",
    file: "src/domain/messages/send-path.ts",
    find: "  setFellBack(tx).run({ id: message.id });\n",
    replace: "",
  },
  {
    name: "a fallback does not go back to the queue before its next attempt",
    file: "src/domain/broadcasts/record-outcome.ts",
    find: '  if (message.status === "sending") changePath(tx, message, refused);\n  requeue(tx, broadcast, message);\n',
    replace: '  if (message.status === "sending") changePath(tx, message, refused);\n',
  },
  {
    name: "the window is opened by an echo",
    file: "src/domain/inbound/record-echo.ts",
    find: '  if (echo === undefined || origin === "history") return;\n',
    replace: `  if (echo === undefined || origin === "history") return;
  tx.db.$client.prepare("UPDATE contacts SET window_opened_at = ? WHERE id = ?").run(echo.sentAt, contact.id);
`,
  },
  {
    name: "a free message goes into a thread of another sender",
    file: "src/domain/messages/plan.ts",
    find: "  return requireOwnThread(tx, sender, contact, take);\n",
    replace: "  return requireOwnThread(tx, { ...sender, sharedSince: null }, contact, take);\n",
  },
  {
    name: "a delivery whose attempt failed loses its job",
    file: "src/domain/webhooks/attempt.ts",
    find: "  postpone(tx, outboxId, next);",
    replace: "  finish(tx, outboxId);",
  },
];

const PARTS = [
  "src",
  "docs",
  "examples",
  "migrations",
  "test/sim",
  "test/support/options.ts",
  "package.json",
  "tsconfig.json",
];

/** Returns how many of the mutants (of those whose name contains `only`) were not found. */
export function runMutants(rounds: number, seed: number, only = ""): number {
  let missed = 0;
  for (const mutant of mutants.filter(({ name }) => name.includes(only))) {
    const output = runOne(mutant, rounds, seed);
    const found = /round (\d+) of \d+ broke something.*\n(.*)/.exec(output);
    if (found === null) missed += 1;
    const told = found === null ? `NOT FOUND in ${rounds} rounds` : `found in round ${found[1]}: ${found[2]}`;
    console.log(`${mutant.name}\n  ${told.slice(0, 200)}`);
  }
  return missed;
}

function runOne(mutant: Mutant, rounds: number, seed: number): string {
  const root = resolve(import.meta.dir, "../..");
  const copy = mkdtempSync(join(tmpdir(), "waxwing-mutant-"));
  try {
    for (const part of PARTS) cpSync(join(root, part), join(copy, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    mutate(join(copy, mutant.file), mutant);
    const command = [process.execPath, "test/sim/run.ts", "--seed", String(seed), "--rounds", String(rounds)];
    const { stdout, stderr, exitCode } = Bun.spawnSync(command, { cwd: copy });
    const output = stdout.toString();
    // A copy that does not even run has found nothing.
    if (exitCode !== 0 && !output.includes("broke something")) {
      throw new Error(`the copy with "${mutant.name}" does not run: ${output}${stderr.toString()}`);
    }
    return output;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

export function mutate(path: string, { name, find, replace }: Mutant): void {
  const source = readFileSync(path, "utf8");
  const parts = source.split(find);
  if (parts.length !== 2) {
    throw new Error(`"${name}" stands ${parts.length - 1} times in ${path}; it has to stand there once`);
  }
  writeFileSync(path, parts.join(replace));
}
