/**
 * What must be true of the database after every step: what was acknowledged outside is there; rows, counters, money and
 * events agree; and every invariant of `waxwing check` holds. Temporary triggers of the connection record the
 * transitions of messages, so that each event can be compared with its transition, and check every row that becomes
 * `sending` in the same transaction: a condition that forbids it at that moment is a fault, even if it is lifted a
 * statement later.
 */

import type { Statement } from "better-sqlite3";
import type { Client } from "#src/db/driver.ts";
import { invariants } from "#src/health/invariants.ts";

/** What the world outside was told and relies on. */
export class Acknowledged {
  readonly messages = new Set<number>();
  readonly broadcasts = new Set<number>();
  readonly optOuts = new Set<string>();
  readonly inbounds = new Set<string>();
  readonly credits = new Set<string>();

  copy(): Acknowledged {
    const copy = new Acknowledged();
    for (const id of this.messages) copy.messages.add(id);
    for (const id of this.broadcasts) copy.broadcasts.add(id);
    for (const phone of this.optOuts) copy.optOuts.add(phone);
    for (const id of this.inbounds) copy.inbounds.add(id);
    for (const ref of this.credits) copy.credits.add(ref);
    return copy;
  }
}

const FINISHED = "b.status IN ('completed', 'cancelled', 'failed')";

/** Counters that differ from the rows of their broadcast. */
const WRONG_COUNTERS = `SELECT b.id, b.status, f.*, m.* FROM broadcast_counters f JOIN broadcasts b ON b.id = f.broadcast_id
  LEFT JOIN (SELECT broadcast_id AS id_of_rows,
      sum(status IN ('pending', 'queued')) AS waiting, sum(status = 'sending') AS leaving,
      sum(status IN ('sent', 'delivered', 'read')) AS gone, sum(status IN ('delivered', 'read')) AS there,
      sum(status = 'read') AS seen, sum(status = 'failed') AS lost, sum(status = 'skipped') AS out,
      sum(money = 'charged') AS paid, sum(money = 'released' AND status = 'sent') AS revived
    FROM messages WHERE broadcast_id IS NOT NULL GROUP BY broadcast_id) m ON m.id_of_rows = b.id
  WHERE b.purged_at IS NULL AND (
    f.is_finished <> (${FINISHED})
    OR f.pending <> CASE WHEN ${FINISHED} THEN 0 ELSE coalesce(waiting, 0) END
    OR f.skipped <> coalesce(out, 0) + CASE WHEN ${FINISHED} THEN coalesce(waiting, 0) ELSE 0 END
    OR f.sending <> coalesce(leaving, 0) OR f.sent <> coalesce(gone, 0) OR f.delivered <> coalesce(there, 0)
    OR f.read <> coalesce(seen, 0) OR f.failed <> coalesce(lost, 0)
    OR f.charged <> f.rate * f.delivered OR coalesce(paid, 0) <> f.delivered
    OR (f.settled_at IS NOT NULL AND f.held <> 0)
    OR (f.settled_at IS NULL AND f.is_held
        AND f.held NOT BETWEEN f.rate * (f.pending + f.sending + f.sent - f.delivered - coalesce(revived, 0))
          AND f.rate * (f.pending + f.sending + f.sent - f.delivered)))`;

/**
 * A message with a template that the network may have, or a single one between two attempts, dispatched in the 24 hours
 * before an instant.
 */
const counts = (message: string, at: string): string =>
  `${message}.type = 'template' AND ${message}.status NOT IN ('pending', 'skipped')
    AND (${message}.status <> 'queued' OR ${message}.broadcast_id IS NULL)
    AND (${message}.status <> 'failed' OR ${message}.outcome_unknown = 1) AND ${message}.dispatched_at > ${at} - 86400000`;

/**
 * People who never wrote, and were never passed to us: whether others were in an open window when they were sent to is not
 * stored.
 */
const NEVER_WROTE =
  "SELECT phone FROM contacts WHERE phone IS NOT NULL AND last_message_at IS NULL AND window_opened_at IS NULL";

/**
 * Who is counted under the network's limit, and who was sent to. A server whose clock is set back has already forgotten whom
 * it had not sent to for a day before.
 */
const WRONG_PEOPLE = `SELECT coalesce(r.person, m.to_phone) AS person, r.last_at, m.at FROM
    (SELECT person, last_at FROM portfolio_recipients WHERE last_at > @latest - 86400000) r FULL JOIN
    (SELECT to_phone, max(dispatched_at) AS at FROM messages WHERE ${counts("messages", "@latest")} GROUP BY to_phone) m
      ON m.to_phone = r.person
  WHERE (r.person IS NULL) <> (m.to_phone IS NULL) AND coalesce(r.person, m.to_phone) IN (${NEVER_WROTE})
    AND (SELECT person_limit FROM portfolios) IS NOT NULL`;

const PARTS: readonly { name: string; sql: string }[] = [
  { name: "messages that were forbidden to leave", sql: "SELECT * FROM temp.faults LIMIT 5" },
  { name: "figures that are not what the rows say", sql: WRONG_COUNTERS },
  { name: "people under the network's limit who are not those that were sent to", sql: WRONG_PEOPLE },
  {
    name: "messages that are not found by the network's id",
    sql: `SELECT id FROM messages WHERE network_message_id IS NOT NULL
      EXCEPT SELECT message_id FROM network_ids EXCEPT SELECT message_id FROM recent_network_ids`,
  },
  {
    name: "single messages that are not found by their contact",
    sql: `SELECT id FROM messages WHERE broadcast_id IS NULL AND contact_id IS NOT NULL AND dispatched_at IS NOT NULL
      AND id <= (SELECT contact_messages_until FROM instance)
      AND (contact_id, dispatched_at, id) NOT IN (SELECT contact_id, dispatched_at, message_id FROM contact_messages)`,
  },
  {
    name: "as many events of opt-outs as opt-outs",
    sql: `SELECT opted, told FROM (SELECT
        (SELECT count(*) FROM consent_log WHERE became = 'opted_out' AND was <> 'opted_out') AS opted,
        (SELECT count(*) FROM events WHERE type = 'contact.opted_out') AS told) WHERE opted <> told`,
  },
  {
    name: "as many events of lifted opt-outs as were lifted",
    sql: `SELECT lifted, told FROM (SELECT
        (SELECT count(*) FROM consent_log WHERE was = 'opted_out' AND became <> 'opted_out') AS lifted,
        (SELECT count(*) FROM events WHERE type = 'contact.opted_in') AS told) WHERE lifted <> told`,
  },
  {
    name: "as many events of inbounds as inbounds",
    sql: `SELECT had, told FROM (SELECT (SELECT count(*) FROM inbounds) AS had,
        (SELECT count(*) FROM events WHERE type = 'message.received') AS told) WHERE had <> told`,
  },
  {
    name: "one event for each settled broadcast",
    sql: `SELECT coalesce(f.broadcast_id, e.id) AS id, e.told FROM
        (SELECT broadcast_id FROM broadcast_counters WHERE settled_at IS NOT NULL) f FULL JOIN
        (SELECT body ->> '$.data.broadcast.id' AS id, count(*) AS told FROM events
          WHERE type = 'broadcast.finished' GROUP BY 1) e ON e.id = f.broadcast_id
      WHERE e.told IS NOT 1 OR f.broadcast_id IS NULL`,
  },
  {
    name: "one event for each state that a message entered",
    sql: `SELECT coalesce(a.id, e.id) AS message, coalesce(a.became, e.became) AS became, a.times, e.told FROM
        (SELECT message_id AS id, iif(became = 'skipped', 'cancelled', became) AS became, count(*) AS times FROM temp.moves
          WHERE became IN ('sent', 'delivered', 'read', 'failed', 'skipped') GROUP BY 1, 2) a FULL JOIN
        (SELECT body ->> '$.data.message.id' AS id, substr(type, 9) AS became, count(*) AS told FROM events
          WHERE seq > (SELECT seq FROM temp.begun) AND type LIKE 'message.%'
            AND type NOT IN ('message.received', 'message.scheduled')
          GROUP BY 1, 2) e ON e.id = a.id AND e.became = a.became
      WHERE a.times IS NOT e.told`,
  },
  {
    name: "one answer for each message that the network took, and its own",
    sql: `SELECT a.send_token, count(*) AS answers FROM provider_requests a LEFT JOIN messages m ON m.send_token = a.send_token
      WHERE a.outcome = 'accepted' GROUP BY a.send_token
      HAVING count(*) <> 1 OR a.answer IS NOT a.send_token OR m.network_message_id IS NULL`,
  },
  {
    name: "moves that no message may make",
    sql: `SELECT * FROM temp.moves WHERE was || ' ' || became NOT IN (
        'sending sent', 'sending delivered', 'sending read', 'sending failed', 'sending queued', 'queued sending',
        'queued sent', 'queued delivered', 'queued read', 'queued failed', 'sent delivered', 'sent read', 'sent failed',
        'delivered read', 'failed sent', 'failed delivered', 'failed read',
        'pending sending', 'sending pending', 'pending failed', 'pending skipped', 'pending sent', 'pending delivered',
        'pending read', 'skipped sent', 'skipped delivered', 'skipped read') LIMIT 5`,
  },
  {
    name: "scheduled messages that are not due at their time",
    sql: `SELECT m.id, m.send_at, o.due_at FROM messages m JOIN scheduled_messages s ON s.message_id = m.id
        JOIN outbox o ON o.kind = 'send_message' AND o.subject = m.id
      WHERE m.send_at > @latest AND o.due_at <> m.send_at AND NOT s.is_restored LIMIT 5`,
  },
  {
    name: "moves that the network's health may not make",
    sql: `SELECT * FROM temp.health_moves WHERE was || ' ' || became NOT IN (
        'well slow', 'slow down', 'slow recovering', 'down recovering', 'recovering well', 'recovering slow') LIMIT 5`,
  },
  {
    name: "an outage that two good probes did not end",
    sql: "SELECT number_id, good_probes FROM network_health WHERE state = 'down' AND good_probes >= 2",
  },
  {
    name: "an outage that ended without two good probes or a person",
    sql: `SELECT * FROM temp.health_moves WHERE was = 'down' AND good_probes = 0
      AND changed_at NOT IN (SELECT at FROM temp.resumes) LIMIT 5`,
  },
];

/** The contacts of the person to whom a message goes. */
const OF_THE_PERSON = `(SELECT id FROM contacts WHERE id = NEW.contact_id
  OR identity_id = (SELECT identity_id FROM contacts WHERE id = NEW.contact_id))`;

/** What opens the window of the person, in the last 24 hours: their own words, and a conversation that was passed to us. */
const HAS_WRITTEN = `(EXISTS (SELECT 1 FROM inbounds WHERE contact_id IN ${OF_THE_PERSON} AND origin <> 'history'
      AND received_at > NEW.dispatched_at - 86400000)
    OR EXISTS (SELECT 1 FROM echoes WHERE contact_id IN ${OF_THE_PERSON} AND origin = 'control_pass'
      AND details ->> '$.control_pass.to' = 'escalation' AND sent_at > NEW.dispatched_at - 86400000))`;

/** Why a row may not become `sending` now: each with the condition that forbids it, on `NEW`. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ["the person has opted out", "EXISTS (SELECT 1 FROM contacts WHERE id = NEW.contact_id AND consent = 'opted_out')"],
  [
    "another sender has the thread",
    // A message takes it from Meta's Business Agent.
    `NEW.type = 'text' AND EXISTS (SELECT 1 FROM numbers WHERE id = NEW.number_id AND shared_since IS NOT NULL)
       AND (SELECT owner = 'other' AND coalesce(owner_role, '') <> 'ai_agent' AND wrote_at > NEW.dispatched_at - 86400000
         FROM conversations WHERE number_id = NEW.number_id AND contact_id IN ${OF_THE_PERSON}
         ORDER BY coalesce(owner_at, 0) DESC LIMIT 1)`,
  ],
  [
    "the window is closed",
    // Of the first attempt: the others follow within seconds.
    `NEW.type = 'text' AND NEW.created_at = NEW.dispatched_at AND NOT ${HAS_WRITTEN}`,
  ],
  ["the workspace is suspended", "EXISTS (SELECT 1 FROM workspaces WHERE suspended_at IS NOT NULL)"],
  [
    "the network is down for the number",
    `(NEW.broadcast_id IS NOT NULL OR NEW.send_at IS NOT NULL)
       AND EXISTS (SELECT 1 FROM network_health WHERE number_id = NEW.number_id AND state = 'down')`,
  ],
  [
    "another message is in flight while the network is in trouble",
    `NEW.broadcast_id IS NOT NULL AND EXISTS (SELECT 1 FROM network_health h JOIN messages m ON m.number_id = h.number_id
       WHERE h.number_id = NEW.number_id AND h.state IN ('slow', 'recovering') AND m.status = 'sending'
         AND m.broadcast_id IS NOT NULL AND m.outcome_unknown = 0 AND m.id <> NEW.id AND m.dispatched_at > h.changed_at)`,
  ],
  ["it is not due", "NEW.send_at > NEW.dispatched_at"],
  ["the number is not ready", "EXISTS (SELECT 1 FROM numbers WHERE id = NEW.number_id AND NOT ready)"],
  [
    "the broadcast does not run",
    "EXISTS (SELECT 1 FROM broadcasts WHERE id = NEW.broadcast_id AND status <> 'running')",
  ],
  [
    "the template is not approved",
    `EXISTS (SELECT 1 FROM broadcasts b JOIN templates t ON t.name = b.template_name
       WHERE b.id = NEW.broadcast_id AND t.status <> 'APPROVED')`,
  ],
  [
    "the day has passed",
    `EXISTS (SELECT 1 FROM broadcasts WHERE id = NEW.broadcast_id AND day_ends_at <= NEW.dispatched_at)`,
  ],
  [
    "a status has told that everybody of this broadcast would be refused",
    // By which messages had left when the broadcast was resumed, not by time: the wall clock may have been set back
    // since.
    `EXISTS (SELECT 1 FROM messages gone
       WHERE gone.broadcast_id = NEW.broadcast_id AND gone.status = 'failed' AND gone.error_code IN ('131042', '132015')
         AND gone.send_token NOT IN (SELECT send_token FROM before_resume))`,
  ],
  [
    "the limit of people is used up",
    `NEW.broadcast_id IS NOT NULL AND NEW.to_phone IN (${NEVER_WROTE})
       AND NOT EXISTS (SELECT 1 FROM messages own
         WHERE own.to_phone = NEW.to_phone AND own.id <> NEW.id AND ${counts("own", "NEW.dispatched_at")})
       AND (SELECT count(DISTINCT m.to_phone) FROM messages m
         WHERE m.to_phone IN (${NEVER_WROTE}) AND ${counts("m", "NEW.dispatched_at")})
         > (SELECT person_limit FROM portfolios)`,
  ],
  [
    "the same person was sent to under another number",
    `NEW.broadcast_id IS NOT NULL AND EXISTS (SELECT 1 FROM contacts own JOIN contacts other
         ON other.identity_id = own.identity_id AND other.id <> own.id
       JOIN messages sent ON sent.contact_id = other.id AND sent.broadcast_id = NEW.broadcast_id
       JOIN broadcasts b ON b.id = NEW.broadcast_id
       WHERE own.id = NEW.contact_id AND b.day_starts_at IS NULL
         AND (sent.status IN ('sending', 'sent', 'delivered', 'read') OR (sent.status = 'failed' AND sent.outcome_unknown)))`,
  ],
];

/** Records the transitions that the checks need; nothing of it is in the file. */
export function watchMoves(client: Client): void {
  const faults = FORBIDDEN.map(
    ([what, condition]) => `INSERT INTO faults SELECT NEW.id, '${what}' WHERE ${condition};`,
  );
  client.exec(`
    CREATE TEMP TABLE moves (message_id INTEGER, was TEXT, became TEXT);
    CREATE TEMP TABLE begun (seq INTEGER);
    CREATE TEMP TABLE faults (message_id INTEGER, what TEXT);
    CREATE TEMP TABLE health_moves (was TEXT, became TEXT, good_probes INTEGER, changed_at INTEGER);
    CREATE TEMP TABLE resumes (at INTEGER);
    CREATE TEMP TABLE before_resume (send_token TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TEMP TRIGGER broadcast_resumes AFTER UPDATE OF status ON main.broadcasts
    WHEN OLD.status = 'paused' AND NEW.status IN ('running', 'queueing', 'scheduled') BEGIN
      INSERT OR IGNORE INTO before_resume SELECT send_token FROM main.messages
      WHERE broadcast_id = NEW.id AND dispatched_at IS NOT NULL;
    END;
    CREATE TEMP TRIGGER resume_times AFTER UPDATE OF resumed_at ON main.broadcast_counters
    WHEN NEW.resumed_at IS NOT NULL BEGIN
      INSERT INTO resumes VALUES (NEW.resumed_at);
    END;
    CREATE TEMP TRIGGER health_moves AFTER UPDATE OF state ON main.network_health WHEN OLD.state <> NEW.state BEGIN
      INSERT INTO health_moves VALUES (OLD.state, NEW.state, OLD.good_probes, NEW.changed_at);
    END;
    CREATE TEMP TRIGGER message_moves AFTER UPDATE OF status ON main.messages
    WHEN OLD.status <> NEW.status AND NEW.origin = 'api' BEGIN
      INSERT INTO moves VALUES (NEW.id, OLD.status, NEW.status);
    END;
    CREATE TEMP TRIGGER message_leaves AFTER UPDATE OF status ON main.messages
    WHEN OLD.status <> 'sending' AND NEW.status = 'sending' BEGIN ${faults.join("\n")} END;
    CREATE TEMP TRIGGER message_begins AFTER INSERT ON main.messages
    WHEN NEW.status = 'sending' AND NEW.origin = 'api' BEGIN ${faults.join("\n")} END;`);
}

/** Restarts the recording: a process begins. */
export function recountMoves(client: Client): void {
  client.exec(`DELETE FROM temp.moves; DELETE FROM temp.begun; DELETE FROM temp.faults;
    DELETE FROM temp.health_moves; DELETE FROM temp.resumes;
    INSERT INTO temp.begun SELECT coalesce(max(seq), 0) FROM main.events`);
}

const prepared = new WeakMap<Client, Checks>();

/** Of a check: the time by a clock that was never set forward, and the latest that the wall clock has shown. */
interface Instants {
  now: number;
  latest: number;
}

export class Checks {
  readonly #cheap;
  readonly #thorough: { name: string; find: (at: Instants) => unknown[] }[];

  /** Prepared once for each connection. */
  static of(client: Client): Checks {
    const known = prepared.get(client) ?? new Checks(client);
    prepared.set(client, known);
    return known;
  }

  private constructor(client: Client) {
    this.#cheap = client.prepare(`SELECT
      (SELECT count(*) FROM messages WHERE id IN (SELECT value FROM json_each(@messages))),
      (SELECT count(*) FROM broadcasts WHERE id IN (SELECT value FROM json_each(@broadcasts))),
      (SELECT count(DISTINCT c.phone) FROM contacts c JOIN consent_log l ON l.contact_id = c.id AND l.became = 'opted_out'
        WHERE c.phone IN (SELECT value FROM json_each(@optOuts))),
      (SELECT count(*) FROM json_each(@inbounds) j WHERE
        EXISTS (SELECT 1 FROM inbounds WHERE workspace_id = 1 AND network_message_id = j.value)
        OR EXISTS (SELECT 1 FROM callbacks WHERE done_at IS NULL AND instr(body, '"' || j.value || '"') > 0)),
      (SELECT count(*) FROM ledger_entries WHERE ref IN (SELECT value FROM json_each(@credits)))`);
    this.#cheap.raw();
    this.#thorough = [
      ...PARTS.map(({ name, sql }) => {
        const statement = client.prepare(sql);
        const given = ({ latest }: Instants) => ({
          ...(sql.includes("@latest") ? { latest } : {}),
        });
        return { name, find: (at: Instants) => allOf(statement, given(at)) };
      }),
      ...invariants.map(({ name, sql }) => {
        const statement = client.prepare(`SELECT id FROM (${sql}) LIMIT 5`).pluck();
        const given = (now: number) => ({
          ...(sql.includes("@now") ? { now } : {}),
          ...(sql.includes("@from") ? { from: 0, to: Number.MAX_SAFE_INTEGER } : {}),
        });
        return {
          name: `waxwing check: ${name}`,
          find: ({ now }: Instants) => allOf(statement, given(now)),
        };
      }),
    ];
  }

  /** Finds acknowledged rows that are missing. */
  findLost(told: Acknowledged): string[] {
    const all = [told.messages, told.broadcasts, told.optOuts, told.inbounds, told.credits] as const;
    const [messages, broadcasts, optOuts, inbounds, credits] = all.map((one) => JSON.stringify([...one]));
    const found = this.#cheap.get({ messages, broadcasts, optOuts, inbounds, credits }) as number[];
    const names = ["messages", "broadcasts", "opt-outs", "inbounds", "credits"];
    return all.flatMap((one, index) =>
      found[index] === one.size ? [] : [`${one.size} ${names[index]} were acknowledged, ${found[index]} are there`],
    );
  }

  findBroken(at: Instants): string[] {
    return this.#thorough.flatMap(({ name, find }) => {
      const found = find(at);
      return found.length === 0 ? [] : [`${name}: ${JSON.stringify(found)}`];
    });
  }
}

/** A statement without parameters takes no values. */
function allOf(statement: Statement, values: Record<string, number>): unknown[] {
  return Object.keys(values).length === 0 ? statement.all() : statement.all(values);
}
