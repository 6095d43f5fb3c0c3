/**
 * The words and turns that comments, texts and pages must not use, each with what to write. `prose.test.ts` enforces
 * them. Only turns that are wrong wherever they stand are listed; identifiers have their own rule (`house-rules.ts`).
 */
export interface ProseRule {
  pattern: RegExp;
  write: string;
}

export const proseRules: ProseRule[] = [
  { pattern: /\bwhoever\b/i, write: "the subject's name: the caller, the operator, a client" },
  {
    pattern: /\bnobody (?=[a-z]+ [a-z])|(?<=[a-z,;:] )nobody\b(?! --|\\r)/i,
    write: "no + the subject's name: no caller, no worker",
  },
  { pattern: /\bsomebody (?=[a-z])|(?<=[a-z,;:] )somebody\b/i, write: "the subject's name: a person, another user" },
  // The noun in one word is that of the test control: a conversation goes from one sender to another.
  { pattern: /\bhand(ed|s|ing)?[- ]overs?\b/i, write: "dispatch, send" },
  // "Give back" is a button.
  {
    pattern: /\b([Tt]ake|[Tt]akes|[Tt]aken|[Tt]ook|give|[Gg]ives|[Gg]iven|[Gg]ave) back\b/,
    write: "requeue, release, roll back",
  },
  { pattern: /\b(nudge|nudges|nudged|rouse|rouses|roused|wakes|woken)\b/i, write: "notify" },
  { pattern: /\blanes?\b/i, write: "queue, queue key" },
  { pattern: /\brescue(s|d)?\b/i, write: "reclaim" },
  { pattern: /\btall(y|ies)\b/i, write: "counters" },
  { pattern: /\bdeeds?\b/i, write: "audit entry" },
  { pattern: /\bwithdr(aw|awn|ew)\b/i, write: "discard, revoke" },
  { pattern: /\btid(y|ies|ied)\b/i, write: "clean up" },
  { pattern: /\bjudg(e|es|ed|ing)\b/i, write: "evaluate, verify" },
  { pattern: /\blook(s|ed|ing)? over\b/i, write: "inspect, verify" },
  // `--rehearse` is an option of `waxwing restore`.
  { pattern: /(?<!--)\brehears(e|es|ed|al|als)\b/i, write: "restore drill" },
  { pattern: /\bspellings?\b/i, write: "number variant, form" },
  { pattern: /\b(left|leaves?|leaving) (it |them )?out\b/i, write: "skipped, omitted" },
  { pattern: /\b(goes|go|going|went) on\b/i, write: "continue, resume" },
  { pattern: /\b(?<!time)stamps?\b/i, write: "backup metadata, marker" },
  { pattern: /\blately\b/i, write: "recently" },
  { pattern: /\bobstacles?\b/i, write: "blocker" },
  { pattern: /\bsaved search(es)?\b/i, write: "dynamic group" },
  { pattern: /\bthrown? away\b/i, write: "delete, discard" },
  { pattern: /\bwritten down\b/i, write: "recorded, stored" },
  { pattern: /\bwhat became of\b/i, write: "the outcome of" },
  { pattern: /\bthe one before\b/i, write: "the previous one" },
  { pattern: /\bby itself\b/i, write: "automatically" },
  { pattern: /(?<!spaces )\bin a row\b(?! with)/i, write: "consecutive" },
  { pattern: /\bobey(s|ed)?\b/i, write: "apply, follow" },
  { pattern: /\bbeg(in|ins|an|un) anew\b/i, write: "reset, start with empty state" },
  { pattern: /\bby memory\b/i, write: "in memory" },
  { pattern: /\b(is|are|was|were) dear(er)?\b/i, write: "expensive" },
  {
    pattern: /(?<!there )\b(is|are|was|were) no (network|event|object|key|failure|file|page)\b/i,
    write: "is not a …, or the positive",
  },
];
