"""Keeps contacts in step: sends the customers of a CSV file, and fetches what changed since the last run.

python sync.py customers.csv contacts.json
"""

import csv
import json
import os
import sys
from datetime import datetime, timedelta, timezone

from waxwing import Waxwing

customers, file = (sys.argv[1:] + ["customers.csv", "contacts.json"][len(sys.argv) - 1 :])[:2]
waxwing = Waxwing(os.environ["WAXWING_URL"], os.environ["WAXWING_KEY"])
known = {"since": None, "contacts": {}}
if os.path.exists(file):
    with open(file, encoding="utf-8") as saved:
        known = json.load(saved)
# Asked first, so that a change during this run is fetched by the next one.
started_at = (datetime.now(timezone.utc) - timedelta(minutes=1)).isoformat(timespec="seconds")

with open(customers, encoding="utf-8", newline="") as rows:
    for row in csv.DictReader(rows):
        waxwing.put_contact(row["phone"], {"name": row["name"], "city": row["city"]})

count = 0
for contact in waxwing.iterate_contacts(updated_since=known["since"]):
    consent = contact["consent"]["status"]
    known["contacts"][contact["phone"]] = {"name": contact["name"], "city": contact["city"], "consent": consent}
    count += 1
known["since"] = started_at
with open(file + ".new", "w", encoding="utf-8") as saved:
    json.dump(known, saved, indent=2, ensure_ascii=False)
os.replace(file + ".new", file)
print(f"{count} contacts changed, {len(known['contacts'])} known")
