"""Copies what people write into a SQLite database, each message exactly once, whatever stops at which moment.

python mirror.py shop.db
"""

import os
import sqlite3
import sys
import time

from waxwing import Waxwing, WaxwingConnectionError, WaxwingError

waxwing = Waxwing(os.environ["WAXWING_URL"], os.environ["WAXWING_KEY"])
# The program says itself where a transaction begins and ends.
db = sqlite3.connect(sys.argv[1] if len(sys.argv) > 1 else "shop.db", isolation_level=None, timeout=5)
db.executescript("""
    CREATE TABLE IF NOT EXISTS waxwing_position (id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT);
    INSERT OR IGNORE INTO waxwing_position (id, cursor) VALUES (1, NULL);
    CREATE TABLE IF NOT EXISTS received (event_id TEXT NOT NULL, phone TEXT, text TEXT);
""")


def apply(event):
    """What an event does in this database."""
    if event["type"] != "message.received":
        return
    data = event["data"]
    values = (event["id"], data["contact"]["phone"], data["message"]["text"])
    db.execute("INSERT INTO received (event_id, phone, text) VALUES (?, ?, ?)", values)


def store(event, before, behind):
    """The effects of an event and the position behind it are one transaction: both are there, or neither is."""
    db.execute("BEGIN IMMEDIATE")
    try:
        apply(event)
        moved = db.execute("UPDATE waxwing_position SET cursor = ? WHERE cursor IS ?", (behind, before))
        # Another copy of this program may have been here first.
        if moved.rowcount != 1:
            raise RuntimeError("another program reads into this database")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


while True:
    (cursor,) = db.execute("SELECT cursor FROM waxwing_position").fetchone()
    events = waxwing.iterate_events(after=cursor, wait=30)
    try:
        for event in events:
            store(event, cursor, events.cursor)
            cursor = events.cursor
    except (WaxwingConnectionError, WaxwingError) as error:
        # The position is older than the events that are kept, or the server was restored from a backup: a person decides.
        if isinstance(error, WaxwingError) and error.status < 500 and error.status != 429:
            raise
        print(f"no answer, trying again: {error}", file=sys.stderr)
        time.sleep(0.5)
