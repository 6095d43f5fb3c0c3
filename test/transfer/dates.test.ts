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
