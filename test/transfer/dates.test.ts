/** Dates in a file: a month that is named has one reading, and only dates that exist decide which part comes first. */
import { expect, test } from "bun:test";
import { type DateOrder, readDateCell } from "#src/transfer/date-cell.ts";
import { DateSurvey } from "#src/transfer/date-survey.ts";

const NOW = Date.parse("2026-11-27T12:00:00Z");
const orders: readonly DateOrder[] = ["dmy", "mdy", "ymd", "unclear"];
const read = (cell: string, order: DateOrder) => readDateCell(cell, order, NOW, false);

/** May, where every language has a name of its own, and December. */
const months: readonly [string, number][] = [
  ...(["May", "mayo", "maio", "मई", "Mei", "مايو", "mai", "Mai", "maggio"] as const).map((name) => [name, 5] as const),
  ...["Dec", "December", "diciembre", "dezembro", "décembre", "Dezember", "dicembre"].map(
    (name) => [name, 12] as const,
  ),
].map(([name, month]) => [name, month]);

test.each(months)("a day of %s has one reading in every order", (name, month) => {
  const two = String(month).padStart(2, "0");
  for (const order of orders) {
    for (const cell of [`5 ${name} 1976`, `${name} 5, 1976`, `5-${name}-1976`, `5. ${name} 1976`, `5 ${name} 76`]) {
      expect([cell, order, read(cell, order)]).toEqual([cell, order, { date: `1976-${two}-05` }]);
    }
    expect([order, read(`5 ${name}`, order)]).toEqual([order, { date: `--${two}-05` }]);
    expect([order, read(`31 ${name} 1976`, order)]).toEqual([order, { date: `1976-${two}-31` }]);
  }
});

function orderOf(cells: readonly string[], country: string): DateOrder {
  const survey = new DateSurvey([0]);
  survey.add(cells.map((cell) => ({ cells: [cell] })));
  return survey.orderIn(country);
}

test("a date that does not exist proves no order", () => {
  expect(orderOf(["02/25/1990", "31/02/1990"], "US")).toBe("mdy");
  expect(orderOf(["25/02/1990", "02/31/1990"], "DE")).toBe("dmy");
  expect(orderOf(["31/02/1990", "01/02/1990"], "US")).toBe("mdy");
  expect(orderOf(["29/02/1991", "30/02"], "US")).toBe("mdy");
  // One that exists does.
  expect(orderOf(["29/02/1992"], "US")).toBe("dmy");
  expect(orderOf(["29/02"], "US")).toBe("dmy");
  expect(orderOf(["25/02/90", "02/25/90"], "US")).toBe("unclear");
});

test.each([
  ...["31.12.", "31. Dezember", "29-Feb", "*31.12.1990", "geb. 31.12.1990", "'1990-12-31", "19901231"],
  ...["Mon, 31 Dec 1990", "Monday, 31 December 1990", "lundi 31 décembre 1990", "lunes, 31 de diciembre de 1990"],
  ...["Jakarta, 31 Desember 1990", "Mon Dec 31 1990 00:00:00 GMT+0530", "31/12/1990 00:00:00.000"],
  ...["३१/१२/१९९०", "٣١/١٢/١٩٩٠", "٣١ ديسمبر ١٩٩٠", "90-12-31", "December 31st, 1990", "31st of December 1990"],
] as const)("%s is read", (cell) => {
  const day = cell.includes("29") ? "02-29" : "12-31";
  const hasYear = /9[0٠०]|[٩९]/.test(cell);
  expect(read(cell, "dmy")).toEqual({ date: hasYear ? `1990-${day}` : `--${day}` });
});

test("a first day is read with the ending that languages give it", () => {
  for (const cell of ["1er janvier 1990", "1º de janeiro de 1990", "1° gennaio 1990", "1 de ene. de 1990"]) {
    expect([cell, read(cell, "dmy")]).toEqual([cell, { date: "1990-01-01" }]);
  }
  expect(read("15 de setiembre de 1980", "dmy")).toEqual({ date: "1980-09-15" });
});

test("two digits that would be a year to come are one of the last century, and words are no date", () => {
  expect(read("31/12/27", "dmy")).toEqual({ date: "1927-12-31" });
  expect(read("31/12/26", "dmy")).toEqual({ date: "1926-12-31" });
  expect(read("31/12/25", "dmy")).toEqual({ date: "2025-12-31" });
  for (const cell of ["31/12/2027", "2027-12-31", "2131-05-05"]) expect(read(cell, "dmy")).toBe("empty");
  for (const cell of ["keine", "N/A", "undefined", "--", "00.00.0000"]) expect(read(cell, "dmy")).toBe("empty");
  for (const cell of ["unbekannt", "1990", "36", "Mai 1990", "call 12", "A12-31", "12 kg 1990"]) {
    expect([cell, read(cell, "dmy")]).toEqual([cell, null]);
  }
});
