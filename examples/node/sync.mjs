// Keeps contacts in step: sends the customers of a CSV file, and fetches what changed since the last run.
// node sync.mjs customers.csv contacts.json
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Waxwing } from "waxwing-client";

const [customers = "customers.csv", file = "contacts.json"] = process.argv.slice(2);
const waxwing = new Waxwing({ baseUrl: process.env.WAXWING_URL, key: process.env.WAXWING_KEY });
const known = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { since: null, contacts: {} };
// Asked first, so that a change during this run is fetched by the next one.
const startedAt = new Date(Date.now() - 60_000).toISOString();

for (const line of readFileSync(customers, "utf8").trim().split("\n").slice(1)) {
  const [phone, name, city] = line.split(",");
  await waxwing.putContact(phone, { name, city });
}

let count = 0;
for await (const contact of waxwing.iterateContacts(known.since === null ? {} : { updated_since: known.since })) {
  known.contacts[contact.phone] = { name: contact.name, city: contact.city, consent: contact.consent.status };
  count += 1;
}
known.since = startedAt;
writeFileSync(`${file}.new`, JSON.stringify(known, null, 2));
renameSync(`${file}.new`, file);
console.log(`${count} contacts changed, ${Object.keys(known.contacts).length} known`);
