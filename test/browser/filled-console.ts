/**
 * A console in which every screen has something to show: people, templates, broadcasts in several states, conversations,
 * imports, failures. For programs that take pictures of it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import type { Scenario } from "#test/support/browser-scenario.ts";
import { kindCases } from "#test/support/message-kinds.ts";

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
  const components = [
    { type: "HEADER", format: "TEXT", text: "Fresh today" },
    { type: "BODY", text: "Hi {{1}}, the bread is out of the oven.", example: { body_text: [["Anna"]] } },
    { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Keep me two" }] },
  ];
  await prepare("POST", "/template-drafts", {
    content: { name: "fresh_bread", language: "en_US", category: "MARKETING", components },
  });
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
  await fillConversations(scenario);
  await fillRest(scenario);
  await Bun.sleep(1_500);
}

const TALKER = "+919876511050";
const QUIET = ["+919876511200", "+919876511210"];

/** Every kind of message in both directions, notes, states, a draft, quick replies, a blocked person. */
async function fillConversations({ app, command, prepare, read }: Scenario): Promise<void> {
  for (const phone of QUIET) {
    await prepare("POST", `/simulator/phones/${phone}/write`, { text: "Is it red?", number: 1 });
  }
  for (const { body } of Object.values(kindCases)) {
    await prepare("POST", "/messages", { to: "+919876511020", from: "+911244001100", ...body });
  }
  const kinds: Readonly<Record<string, object | null>> = {
    image: null,
    video: null,
    audio: null,
    document: null,
    sticker: null,
    order: { order: { items: [{ id: "blue-1", quantity: 2, price: 12.5 }], currency: "INR" } },
    interactive: { form: { name: "flow", values: { flow_token: "a-token", people: "2" } } },
    contacts: { contacts: [{ name: "Asha Rao", phone: "+919876540011" }] },
    unsupported: { unsupported: { reason: "A poll." } },
  };
  for (const [type, members] of Object.entries(kinds)) {
    const file = join(app.directory, `${type}.json`);
    if (members !== null) writeFileSync(file, JSON.stringify(members));
    const more = members === null ? [] : ["--file", file];
    await command(`simulate inbound --workspace 1 --from ${TALKER} --type ${type}`, ...more);
  }
  await prepare("POST", "/conversations/2/notes", { text: "Her daughter's birthday is on Friday, she said." });
  await prepare("PATCH", "/conversations/2", { assignee: "asha@example.com" });
  for (const [index, state] of ["snoozed", "done"].entries()) {
    const { data } = await read<{ data: { id: number; phone: string }[] }>("/inbox");
    const { id } = data.find(({ phone }) => phone === QUIET[index]) ?? {};
    await prepare("PATCH", `/conversations/${id}`, { state });
  }
  await prepare("POST", "/quick-replies", { name: "Opening hours", text: "We are open from nine to six." });
  await prepare("POST", "/quick-replies", { name: "Thanks", text: "Thank you, {{first_name}}!" });
  await prepare("PUT", "/inbox/5/draft", { content: { text: "On Sunday" }, key: "draft-1", replaces: null, age_ms: 0 });
}

/** Possible duplicates, broadcasts that are over, deliveries that fail. */
async function fillRest({ prepare }: Scenario): Promise<void> {
  const birthday = "1990-02-28";
  await prepare("PUT", "/contacts/442079460210", { name: "Asha Rao", email: "asha@example.com", add_tags: ["vip"] });
  await prepare("PUT", "/contacts/442079460211", { name: "Asha R.", email: "ASHA@example.com" });
  await prepare("PUT", "/contacts/442079460212", { name: "Dev Mehta", birthday });
  await prepare("PUT", "/contacts/442079460213", { name: "Dev Mehta", birthday });
  const offer = { template: "diwali_offer", language: "en_US", from: "+911244001101" };
  const variables = { header: [], body: [{ field: "first_name", fallback: "there" }] };
  const send_at = new Date(Date.now() + 72 * 3_600_000).toISOString();
  await prepare("POST", "/broadcasts", { ...offer, send_at, name: "Cancelled offer", group: 2, variables });
  await prepare("POST", "/broadcasts/4/cancel");
  await prepare("POST", "/broadcasts/3/pause");
  await prepare("PUT", "/numbers/1/profile", {
    about: "Open until six",
    description: "Fresh bread and cakes.",
    address: "14 Lake Road, Pune",
    email: "hello@shop.example",
    websites: ["https://shop.example"],
    vertical: "RETAIL",
  });
  // Nothing listens there.
  await prepare("PUT", "/webhook", { url: "http://127.0.0.1:9/hook" });
  await prepare("POST", `/simulator/phones/${TALKER}/write`, { text: "And on Monday?", number: 1 });
}
