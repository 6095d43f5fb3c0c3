"""Copies what people write into a PostgreSQL database, each message exactly once, whatever stops at which moment.

pip install "psycopg[binary]" && python mirror_postgres.py postgresql:///shop
"""

import os
import sys
import time

import psycopg
from waxwing import Waxwing, WaxwingConnectionError, WaxwingError

waxwing = Waxwing(os.environ["WAXWING_URL"], os.environ["WAXWING_KEY"])
db = psycopg.connect(sys.argv[1] if len(sys.argv) > 1 else "postgresql:///shop", autocommit=True)
db.execute("CREATE TABLE IF NOT EXISTS waxwing_position (id integer PRIMARY KEY CHECK (id = 1), cursor text)")
db.execute("INSERT INTO waxwing_position (id, cursor) VALUES (1, NULL) ON CONFLICT DO NOTHING")
db.execute("CREATE TABLE IF NOT EXISTS received (event_id text NOT NULL, phone text, text text)")


def apply(event):
    """What an event does in this database."""
    if event["type"] != "message.received":
        return
    data = event["data"]
    values = (event["id"], data["contact"]["phone"], data["message"]["text"])
    db.execute("INSERT INTO received (event_id, phone, text) VALUES (%s, %s, %s)", values)


def store(event, before, behind):
    """The effects of an event and the position behind it are one transaction: both are there, or neither is."""
    with db.transaction():
        apply(event)
        moved = db.execute(
            "UPDATE waxwing_position SET cursor = %s WHERE cursor IS NOT DISTINCT FROM %s", (behind, before)
        )
        # Another copy of this program may have been here first.
        if moved.rowcount != 1:
            raise RuntimeError("another program reads into this database")


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
