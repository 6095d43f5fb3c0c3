/** What the composer of the inbox makes of what is typed: the request, and what is wrong, at the field of the request. */
import { expect, test } from "bun:test";
import { limits } from "#src/domain/messages/kinds/limits.ts";
import { readSendMessage } from "#src/http/bodies/message.ts";
import {
  bodyOf,
  coordinatesIn,
  faultsOf,
  NO_CARD,
  NO_ROW,
  type PartName,
  type Parts,
  pathsOf,
  shownFaults,
} from "#src/web/features/inbox/composer-parts.ts";

const AROUND = { header: " Delivery ", footer: "" };
const TEXT = "When shall we come?";
const rows = (...titles: string[]) => titles.map((title) => ({ title, description: "" }));

const whole: Required<Parts> = {
  buttons: { ...AROUND, titles: [" Monday ", "Tuesday"] },
  list: {
    ...AROUND,
    button: "Choose",
    sections: [
      { title: "Monday", rows: [{ title: "Morning", description: "8 to 12" }, ...rows("Noon")] },
      { title: "Tuesday", rows: rows("Morning") },
    ],
  },
  link: { ...AROUND, title: "Track it", url: " https://shop.example.com/orders/10042 " },
  location: { latitude: "12,9716", longitude: "-77.5946", name: "Corner Shop", address: " " },
  contacts: {
    cards: [
      { ...NO_CARD, name: "Asha Rao", phone: "+44 20 7946 0210", email: "asha@example.com", company: "Corner Shop" },
      { ...NO_CARD, name: "Bob", phone: "1234", isOnWhatsApp: false },
    ],
  },
};
const names = Object.keys(whole) as PartName[];

const taken = (body: object) => readSendMessage({ to: "+442079460210", ...body }, "UTC");

test("what is typed becomes a request that the server takes, and nothing is wrong with it", () => {
  for (const name of names) {
    expect([name, faultsOf(name, whole, TEXT)]).toEqual([name, {}]);
    expect(taken(bodyOf(name, whole, TEXT, null)).to).toBe("+442079460210");
  }
  const around = { body: TEXT, header: "Delivery" };
  expect(bodyOf("buttons", whole, TEXT, null)).toEqual({
    interactive: {
      ...around,
      buttons: ["Monday", "Tuesday"].map((title) => ({ id: title, title })),
    },
  });
  expect(bodyOf("buttons", whole, TEXT, { type: "image", id: 7 })).toMatchObject({
    interactive: { header: { type: "image", id: 7 } },
  });
  expect(bodyOf("list", whole, TEXT, null)).toEqual({
    interactive: {
      ...around,
      list: {
        button: "Choose",
        sections: [
          {
            title: "Monday",
            rows: [
              { id: "Monday: Morning", title: "Morning", description: "8 to 12" },
              { id: "Monday: Noon", title: "Noon" },
            ],
          },
          { title: "Tuesday", rows: [{ id: "Tuesday: Morning", title: "Morning" }] },
        ],
      },
    },
  });
  expect(bodyOf("link", whole, TEXT, null)).toEqual({
    interactive: { ...around, link: { title: "Track it", url: "https://shop.example.com/orders/10042" } },
  });
  expect(bodyOf("location", whole, "", null)).toEqual({
    location: { latitude: 12.9716, longitude: -77.5946, name: "Corner Shop" },
  });
  expect(bodyOf("contacts", whole, "", null)).toEqual({
    contacts: [
      {
        name: { formatted_name: "Asha Rao" },
        phones: [{ phone: "+44 20 7946 0210", wa_id: "442079460210" }],
        emails: [{ email: "asha@example.com" }],
        org: { company: "Corner Shop" },
      },
      { name: { formatted_name: "Bob" }, phones: [{ phone: "1234" }] },
    ],
  });
});

test("what is wrong stands at a field that the form has", () => {
  const wrong: [PartName, Parts, string, string[]][] = [
    ["buttons", {}, " ", ["interactive.body", "interactive.buttons.0.title"]],
    ["buttons", { buttons: { ...AROUND, titles: ["Yes", "Yes "] } }, TEXT, ["interactive.buttons.1.title"]],
    ["list", {}, TEXT, ["interactive.list.button", "interactive.list.sections.0.rows.0.title"]],
    [
      "list",
      {
        list: {
          ...AROUND,
          button: "Choose",
          sections: [
            { title: "", rows: rows("One", "One") },
            { title: "Two", rows: [NO_ROW] },
          ],
        },
      },
      TEXT,
      [
        "interactive.list.sections.0.title",
        "interactive.list.sections.0.rows.1.title",
        "interactive.list.sections.1.rows.0.title",
      ],
    ],
    ["link", { link: { ...AROUND, title: "Go", url: "shop.example.com" } }, TEXT, ["interactive.link.url"]],
    ["location", {}, "", ["location.latitude", "location.longitude"]],
    [
      "location",
      { location: { latitude: "91", longitude: "1e2", name: "", address: "" } },
      "",
      ["location.latitude", "location.longitude"],
    ],
    ["contacts", {}, "", ["contacts.0.name.formatted_name"]],
    [
      "contacts",
      { contacts: { cards: [{ ...NO_CARD, name: "Bob", phone: "98765 40010" }] } },
      "",
      ["contacts.0.phones.0.phone"],
    ],
  ];
  for (const [name, parts, text, paths] of wrong) {
    expect([name, Object.keys(faultsOf(name, parts, text)).sort()]).toEqual([name, paths.toSorted()]);
    expect([name, paths.filter((path) => !pathsOf(name, parts).includes(path))]).toEqual([name, []]);
  }
  expect(shownFaults({ "interactive.buttons.1.id": ["Too long.", "Blank."] })).toEqual({
    "interactive.buttons.1.title": "Too long. Blank.",
  });
});

test("the longest texts that the form takes are taken by the server", () => {
  const long = (length: number, last = "x") => last.padStart(length, "w");
  const around = { header: long(limits.header), footer: long(limits.footer) };
  const parts: Parts = {
    buttons: { ...around, titles: ["a", "b", "c"].map((last) => long(limits.buttonTitle, last)) },
    list: {
      ...around,
      button: long(limits.listButton),
      sections: Array.from({ length: limits.sections }, (_, index) => ({
        title: long(limits.sectionTitle, String(index)),
        rows: [{ title: long(limits.rowTitle, String(index)), description: long(limits.rowDescription) }],
      })),
    },
    link: { ...around, title: long(limits.linkTitle), url: `https://${long(limits.linkUrl - 8)}` },
  };
  for (const name of ["buttons", "list", "link"] as const) {
    const text = long(name === "list" ? limits.listBody : limits.body);
    expect([name, faultsOf(name, parts, text)]).toEqual([name, {}]);
    expect(() => taken(bodyOf(name, parts, text, null))).not.toThrow();
    expect(() => taken(bodyOf(name, parts, `${text}x`, null))).toThrow();
  }
});

test("both coordinates are read from what a map copies", () => {
  expect(coordinatesIn(" 12.9716, -77.5946 ")).toEqual({ latitude: "12.9716", longitude: "-77.5946" });
  for (const text of ["12.9716", "12,9716", "12, 77", "a, b", ""])
    expect([text, coordinatesIn(text)]).toEqual([text, null]);
});
