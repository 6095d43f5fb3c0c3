/** The columns of files that other programs export are known by their names, without a mapping. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { guessColumns, nameOfTarget } from "#src/transfer/columns.ts";
import { CallingWorkshop } from "#test/cli/spawn.ts";

/** The header as the program writes it, and the target of each column that is one. */
const EXPORTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  HubSpot: {
    "Record ID": "-",
    ...{ "First Name": "first_name", "Last Name": "last_name", Email: "email" },
    ...{ "Phone Number": "phone", "Mobile Phone Number": "phone", "WhatsApp Phone Number": "phone" },
    ...{ "Marketing contact status": "consent", "Unsubscribed from all email": "consent" },
    ...{ City: "city", "State/Region": "state", "Postal Code": "postal_code", "Country/Region": "country" },
    ...{ "Associated Company": "company", "Date of birth": "birthday", "Create Date": "-" },
  },
  WAHA: { id: "-", number: "phone", name: "name", pushname: "-", isGroup: "-", isBlocked: "consent" },
  "Google Contacts": {
    ...{ "First Name": "first_name", "Last Name": "last_name", "Organization Name": "company", Birthday: "birthday" },
    ...{ Labels: "tags", "E-mail 1 - Value": "email", "Phone 1 - Label": "-", "Phone 1 - Value": "phone" },
    ...{ "Phone 2 - Value": "phone", "Address 1 - City": "city", "Address 1 - Region": "state" },
    ...{ "Address 1 - Postal Code": "postal_code", "Address 1 - Country": "country" },
  },
  "Google Contacts before 2024": {
    ...{ Name: "name", "Given Name": "first_name", "Family Name": "last_name", "Group Membership": "tags" },
    ...{ "Phone 1 - Type": "-", "Phone 1 - Value": "phone", "Organization 1 - Name": "company" },
  },
  Outlook: {
    ...{ "First Name": "first_name", "Last Name": "last_name", Company: "company", "Business City": "city" },
    ...{ "Home City": "-", "Mobile Phone": "phone", "Home Phone": "phone", "Business Phone": "phone" },
    ...{ "Car Phone": "phone", "E-mail Address": "email", Birthday: "birthday", Categories: "tags" },
  },
  "Outlook in German": {
    ...{ Vorname: "first_name", Nachname: "last_name", Mobiltelefon: "phone", "E-Mail-Adresse": "email" },
    ...{ "Telefon geschäftlich": "phone", Kategorien: "tags", Geburtstag: "birthday" },
  },
  "Outlook in French": {
    ...{ Prénom: "first_name", "Tél. mobile": "phone", "Tél. bureau": "phone", "Adresse de messagerie": "email" },
  },
  Shopify: {
    ...{ "Customer ID": "-", "First Name": "first_name", Email: "email", "Accepts Email Marketing": "consent" },
    ...{ "Default Address City": "city", "Default Address Zip": "postal_code", "Default Address Phone": "phone" },
    ...{ "Default Address Country Code": "country", Phone: "phone", "Accepts SMS Marketing": "consent", Tags: "tags" },
  },
  Mailchimp: {
    ...{ "Email Address": "email", "First Name": "first_name", "Phone Number": "phone", "SMS Phone Number": "phone" },
    ...{ Birthday: "birthday", MEMBER_RATING: "-", OPTIN_TIME: "-", UNSUB_TIME: "consent", TAGS: "tags" },
  },
  Wati: {
    Name: "name",
    "Country Code": "country",
    Phone: "phone",
    "Allow Broadcast": "consent",
    "Allow SMS": "consent",
  },
  "lists of WhatsApp groups": { "Saved Name": "name", "Formatted Phone": "phone", "Phone Number": "phone" },
};

for (const [program, columns] of Object.entries(EXPORTS)) {
  test(`${program}: each column is known`, () => {
    const header = Object.keys(columns);
    const { targets } = guessColumns(header, new Map(), []);
    expect(Object.fromEntries(header.map((name, at) => [name, nameOfTarget(targets[at] ?? null)]))).toEqual({
      ...columns,
    });
  });
}

/** The headers under which people of the nine languages keep a mobile number, a name and a city. */
const HEADERS: readonly (readonly [phone: string, name: string, city: string])[] = [
  ["WhatsApp number", "Full name", "City"],
  ["Número de celular", "Nombre completo", "Ciudad"],
  ["Telefone celular", "Nome completo", "Cidade"],
  ["Numéro de portable", "Nom complet", "Ville"],
  ["Handynummer", "Vollständiger Name", "Wohnort"],
  ["Telefono cellulare", "Nominativo", "Città"],
  ["Nomor handphone", "Nama lengkap", "Kota"],
  ["मोबाइल नं", "पूरा नाम", "शहर"],
  ["رقم الواتساب", "الاسم الكامل", "المدينة"],
];

test.each(HEADERS)("%s, %s, %s are known", (phone, name, city) => {
  const header = [phone, name, city];
  const { targets } = guessColumns(header, new Map(), []);
  expect(targets.map((target) => nameOfTarget(target))).toEqual(["phone", "name", "city"]);
});

test("an aniversário is the birthday in Portuguese, and an aniversario an anniversary", () => {
  expect(guessColumns(["Telefone", "Aniversário"], new Map(), []).targets[1]).toEqual({
    to: "profile",
    field: "birthday",
  });
  expect(guessColumns(["Telefone", "Data de aniversário"], new Map(), []).targets[1]).toEqual({
    to: "profile",
    field: "birthday",
  });
  expect(guessColumns(["Teléfono", "Aniversario"], new Map(), []).targets[1]).toEqual({
    to: "profile",
    field: "anniversary",
  });
});

test("of a log of messages the person is who the direction says, never the business itself", async () => {
  using workshop = new CallingWorkshop();
  const place = ["--country", "IN", "--timezone", "Asia/Kolkata"];
  const { id } = await workshop.json<{ id: number }>(["workspace", "create", "--name", "Shop", ...place]);
  const path = workshop.path("log.csv");
  const rows = [
    "From,To,Body,Status,Direction",
    "whatsapp:+14155238886,whatsapp:+919812340001,Hello,read,outbound-api",
    "whatsapp:+919812340002,whatsapp:+14155238886,Hi,received,inbound",
    "whatsapp:+14155238886,whatsapp:+919812340002,Thanks,read,outbound-reply",
    "whatsapp:+14155238886,,Lost,failed,outbound-api",
  ];
  writeFileSync(path, rows.join("\n"));
  const words = ["contact", "import", "--workspace", String(id), path];
  expect(await workshop.json<object>(words)).toMatchObject({ created: 2, repeated: 1, failed: 1 });
  const { stdout } = await workshop.run(["contact", "export", "--workspace", String(id)]);
  expect(stdout).not.toContain("+14155238886");

  // Without the direction it is unknown which end is the business.
  writeFileSync(path, rows.map((row) => row.slice(0, row.lastIndexOf(","))).join("\n"));
  const { code, stderr } = await workshop.run(words);
  expect(code).toBe(1);
  expect(stderr).toContain("No column contains the phone number");
  expect(await workshop.json<object>([...words, "--map", "To=phone"])).toMatchObject({ unchanged: 2, failed: 1 });
});
