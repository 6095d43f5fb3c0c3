/**
 * A console in which every screen has something to show: people, templates, broadcasts in several states, conversations,
 * imports, failures. For programs that take pictures of it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import type { Scenario } from "#test/support/browser-scenario.ts";

const FIRST = ["Asha", "Ravi", "Meera", "Vikram", "Zoë", "Farhan", "Lakshmi", "Arjun", "Nadia", "Tenzin"];
const LAST = ["Rao", "Khan", "Iyer", "Singh", "Das", "Fernandes", "Bose", "Subramaniam-Krishnan"];
const CITIES = ["Pune", "Mumbai", "Bengaluru", "Goa", "Kolkata"];

export async function fillConsole(scenario: Scenario, receiverUrl: string): Promise<void> {
  const { app, command, prepare, template } = scenario;
  await command("number add --workspace 1 --phone +911244001100 --name", "Corner Shop", "--network", "simulator");
  await command("number add --workspace 1 --phone +911244001101 --name Wholesale --network simulator");
  await command("workspace update 1 --currency INR --rate 0.85");
  await prepare("POST", "/billing/credit", { amount: "500", note: "November", ref: "INV-2026-11" });
  await prepare("POST", "/fields", {
    label: "Loyalty tier",
    key: "loyalty_tier",
    kind: "choice",
    choices: ["gold", "silver"],
  });
  await prepare("POST", "/fields", { label: "Last order", key: "last_order_on", kind: "date", choices: [] });
  const rows = Array.from({ length: 120 }, (_, row) =>
    [
      `+9198765${11_010 + row * 10}`,
      `${FIRST[row % FIRST.length]} ${LAST[row % LAST.length]}`,
      FIRST[row % FIRST.length],
      CITIES[row % CITIES.length],
      row % 3 === 0 ? "gold" : "new;autumn",
      row % 2 === 0 ? "Regulars" : "Wholesale buyers",
    ].join(","),
  );
  const trouble = ["0002", "0002", "0001", "0003", "0004", "0008", "0008"].map(
    (end, index) => `+919876${60 + index}${end},Somebody,,Goa,,Regulars`,
  );
  writeFileSync(
    join(app.directory, "people.csv"),
    ["phone,name,first_name,city,tags,groups", ...rows, ...trouble].join("\n"),
  );
  await command("contact import --workspace 1 --consent opted_in people.csv");
  const buttons = ["See what is new", "Stop promotions"].map((text) => ({ type: "QUICK_REPLY", text }));
  await template({
    name: "diwali_offer",
    text: "Hi {{1}}, our Diwali offer is here: 20% off everything until Sunday. Show this message at the till.",
    more: [
      { type: "HEADER", format: "TEXT", text: "Diwali at Corner Shop" },
      { type: "FOOTER", text: "Reply STOP to opt out." },
      { type: "BUTTONS", buttons },
    ],
  });
  await template({ name: "order_ready", category: "UTILITY", text: "Your order {{1}} is ready. Come by until eight." });
  await template({ name: "big_sale", text: "Buy now and save!!!", status: "PENDING" });
  await prepare("POST", "/templates/3/decide", {
    status: "REJECTED",
    reason: "promotional text in a utility template",
  });
  await template({ name: "feedback", text: "How was it?", status: "PENDING" });
  const filter = { field: "city", is: "Goa" };
  await prepare("POST", "/groups", { name: "People in Goa", filter });
  await prepare("PUT", "/webhook", { url: receiverUrl });
  const { key } = await prepare<{ key: string }>("POST", "/keys", { name: "Web shop" });
  await prepare("POST", "/keys", { name: "Till" });
  const { id } = await prepare<{ id: number }>("POST", "/keys", { name: "Old app" });
  await prepare("POST", `/keys/${id}/revoke`);
  const send = (to: string, variable: string) =>
    fetch(`${app.url}/api/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ to, from: "+911244001100", template: "order_ready", variables: [variable] }),
    });
  await send("+919876511010", "#1042");
  await send("+919876500008", "#1043");
  await send("+919876500002", "#1044");
  await send("+919876511020", "#1045");
  const said = [
    ["+919876511020", "Do you have the blue one in size 42? My daughter saw it in your window last week."],
    ["+919876511030", "Thank you!"],
    ["+919876511040", "Please stop"],
    ["+919876511040", "STOP"],
    ["+919876511050", "Are you open on Sunday?"],
    ["+919876511020", "And in red?"],
  ] as const;
  for (const [phone, text] of said) {
    await prepare("POST", `/simulator/phones/${phone}/write`, { text, number: 1 });
    await Bun.sleep(50);
  }
  const offer = { template: "diwali_offer", language: "en_US", from: "+911244001100" };
  const variables = { header: [], body: [{ field: "first_name", fallback: "there" }] };
  await prepare("POST", "/broadcasts", { ...offer, name: "Diwali offer", group: 1, variables });
  for (let turn = 0; turn < 200; turn += 1) {
    const { data } = await scenario.read<{ data: { status: string } }>("/broadcasts/1");
    if (data.status === "completed") break;
    await Bun.sleep(100);
  }
  const later = { send_at: new Date(Date.now() + 48 * 3_600_000).toISOString() };
  await prepare("POST", "/broadcasts", { ...offer, ...later, name: "Sunday reminder", group: 2, variables });
  await prepare("PUT", "/numbers/2", { name: "Wholesale", throughput: 1 });
  await prepare("POST", "/broadcasts", {
    ...offer,
    from: "+911244001101",
    name: "Wholesale list",
    group: 2,
    variables,
  });
  await prepare("POST", "/drafts", { ...offer, name: "New year", group: 1, variables });
  const file = [
    "Mobile;Name;Ort;Level",
    ...rows.map((row) => row.split(",").slice(0, 4).join(";")),
    "12;Nobody;;",
    "abc;X;;",
  ];
  const headers = { "sec-fetch-site": "same-origin", "content-type": "application/octet-stream" };
  for (const name of ["customers-november.csv", "till-export.csv"]) {
    const data = Buffer.from(file.join("\n"));
    await scenario.context.request.post(`${app.url}/console/api/w/1/imports?name=${name}`, { data, headers });
  }
  await prepare("POST", "/imports/2/check", { map: { Level: "tags" }, opt_in: true, proof: "Signed at the till" });
  await prepare("POST", "/people", { email: "mina@example.com", role: "owner" });
  await prepare("POST", "/people", { email: "a.very.long.name.of.somebody@wholesale.example.com", role: "member" });
  await command("workspace create --name Wholesale --country IN --timezone Asia/Kolkata");
  await prepare("POST", "/../../system/backups");
  // Closes the 24-hour window of one conversation.
  const client = openClient(join(app.directory, "waxwing.db"), { timeout: 5_000 });
  client.prepare("UPDATE contacts SET last_message_at = last_message_at - 90000000 WHERE id = 3").run();
  client.close();
  await Bun.sleep(1_500);
}
