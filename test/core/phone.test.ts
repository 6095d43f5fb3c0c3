/**
 * What people type into a phone field, over many numbering plans. The expected numbers follow from the plans (noted per
 * country: trunk prefix, lengths, first digits of mobiles), so that a metadata update of the library that loses a
 * number fails here.
 */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { countryOf, type E164, fromNetwork, isCountry, otherVariant, phoneDigits, readPhone } from "#src/core/phone.ts";

type Rows = Record<string, string | null>;

/** Per country: the input → E.164, or null where it is refused. */
const PLANS: Record<string, Rows> = {
  // India: trunk 0, ten digits, mobiles begin with 6 to 9; Mumbai is 22 and eight digits.
  IN: {
    "9876543210": "+919876543210",
    "98765 43210": "+919876543210",
    "98765-43210": "+919876543210",
    "098765 43210": "+919876543210",
    "+919876543210": "+919876543210",
    "+91 98765 43210": "+919876543210",
    "+91-98765-43210": "+919876543210",
    "(+91) 98765 43210": "+919876543210",
    "0091 98765 43210": "+919876543210",
    "91 98765 43210": "+919876543210",
    "919876543210": "+919876543210",
    "९८७६५४३२१०": "+919876543210",
    "022 2282 1234": "+912222821234",
    "6291234567": "+916291234567",
    // Ten digits that begin with 91: the country code is not removed from a complete number.
    "9198765432": "+919198765432",
    "+44 20 7946 0958": "+442079460958",
    "442079460958": "+442079460958",
    "987654321": null,
    "98765432101": null,
    "+91 98765 432100": null,
    "+91 98765 4321": null,
  },
  // North America: ten digits, area and exchange begin with 2 to 9, trunk 1.
  US: {
    "(202) 555-0143": "+12025550143",
    "202.555.0143": "+12025550143",
    "202-555-0143": "+12025550143",
    "2025550143": "+12025550143",
    "1-202-555-0143": "+12025550143",
    "12025550143": "+12025550143",
    "+1 (202) 555-0143": "+12025550143",
    "001 202 555 0143": "+12025550143",
    "[202] 555/0143": "+12025550143",
    // Toronto, of the same plan; not +41 65 555 0123 in Switzerland.
    "416 555 0123": "+14165550123",
    "447400123456": "+447400123456",
    "555-0143": null,
    "102 555 0143": null,
    "202 155 0143": null,
    "2025550143.0": null,
    // Only + and 00 are international; 011 is the prefix that people dial from there.
    "011 44 7400 123456": null,
  },
  CA: {
    "416-555-0123": "+14165550123",
    "1 (604) 555-0123": "+16045550123",
    "+1 202 555 0143": "+12025550143",
    "416-555-012": null,
  },
  // United Kingdom: trunk 0, mobiles 7 and nine digits, London 20 and eight.
  GB: {
    "07400 123456": "+447400123456",
    "07400123456": "+447400123456",
    "7400 123456": "+447400123456",
    "+44 7400 123456": "+447400123456",
    "+44 (0)7400 123456": "+447400123456",
    "+4407400123456": "+447400123456",
    "0044 7400 123456": "+447400123456",
    "44 7400 123456": "+447400123456",
    "020 7946 0958": "+442079460958",
    "(020) 7946 0958": "+442079460958",
    "020 7946 095": null,
    "+44 7400 12345": null,
  },
  // Germany: trunk 0, mobiles 15, 16 and 17, areas of two to five digits.
  DE: {
    "0151 23456789": "+4915123456789",
    "0170/1234567": "+491701234567",
    "030 901820": "+4930901820",
    "+49 (0)30 901820": "+4930901820",
    "+49 151 23456789": "+4915123456789",
    "0049 151 23456789": "+4915123456789",
    // The library alone reads this as a fixed line of area 4915, which has numbers of any length.
    "49 151 23456789": "+4915123456789",
    "4915123456789": "+4915123456789",
    "04915 12345": "+49491512345",
    "0151": null,
  },
  // France: trunk 0, nine digits, mobiles 6 and 7.
  FR: {
    "06 12 34 56 78": "+33612345678",
    "06.12.34.56.78": "+33612345678",
    "0612345678": "+33612345678",
    "6 12 34 56 78": "+33612345678",
    "+33 6 12 34 56 78": "+33612345678",
    "+33 (0)6 12 34 56 78": "+33612345678",
    "0033 6 12 34 56 78": "+33612345678",
    "33612345678": "+33612345678",
    "01.42.68.53.00": "+33142685300",
    "06 12 34 56 7": null,
  },
  // Italy: no trunk prefix, the zero of a fixed line belongs to the number; mobiles 3.
  IT: {
    "347 123 4567": "+393471234567",
    "06 6982 1234": "+390669821234",
    "+39 06 6982 1234": "+390669821234",
    "0039 347 1234567": "+393471234567",
    "39 347 123 4567": "+393471234567",
    // A mobile of the prefix 393, not a number that lacks digits after its country code.
    "393 471 2345": "+393934712345",
    "+39 347 123": null,
  },
  // Spain: no trunk prefix, nine digits, mobiles 6 and 7, Madrid 91.
  ES: {
    "612 34 56 78": "+34612345678",
    "912 345 678": "+34912345678",
    "+34 612 345 678": "+34612345678",
    "34612345678": "+34612345678",
    "0034612345678": "+34612345678",
    "212 34 56 78": null,
  },
  // Brazil: two digits of area, mobiles nine digits from 9, fixed lines eight from 2 to 5; trunk 0 and a carrier.
  BR: {
    "(11) 98765-4321": "+5511987654321",
    "11987654321": "+5511987654321",
    "011 98765-4321": "+5511987654321",
    "0 15 11 98765-4321": "+5511987654321",
    "+55 11 98765-4321": "+5511987654321",
    "+55 (11) 98765-4321": "+5511987654321",
    "0055 11 98765 4321": "+5511987654321",
    "5511987654321": "+5511987654321",
    "(11) 3071-1234": "+551130711234",
    // The number variant from before 2016, which the network still uses for many numbers.
    "+55 11 8765-4321": "+5511987654321",
    "551187654321": "+5511987654321",
    "(11) 8765-4321": "+5511987654321",
    // Cuiabá, not +65 8765 4321 in Singapore.
    "(65) 8765-4321": "+5565987654321",
    "(11) 2765-432": null,
    // An old mobile that begins with 9 may also be a current one without its last digit: read only with its country
    // code.
    "(11) 9876-5432": null,
    "+55 11 9876-5432": "+5511998765432",
    "551198765432": "+5511998765432",
    "+55 10 98765-4321": null,
  },
  // Mexico: ten digits; 1 after the country code (mobiles) until 2019, and 01, 044, 045 before it.
  MX: {
    "55 1234 5678": "+525512345678",
    "5512345678": "+525512345678",
    "+52 55 1234 5678": "+525512345678",
    "+52 1 55 1234 5678": "+525512345678",
    "5215512345678": "+525512345678",
    "525512345678": "+525512345678",
    "0052 33 1234 5678": "+523312345678",
    "00521 33 1234 5678": "+523312345678",
    "81 8345 6789": "+528183456789",
    "044 55 1234 5678": null,
    "55 1234 567": null,
  },
  // Argentina: ten digits; mobiles have 9 after the country code, at home 15 after the area; trunk 0.
  AR: {
    "011 4321-5678": "+541143215678",
    "011 15-2345-6789": "+5491123456789",
    "+54 9 11 2345-6789": "+5491123456789",
    "5491123456789": "+5491123456789",
    "9 11 2345 6789": "+5491123456789",
    "0054 9 11 2345 6789": "+5491123456789",
    // A valid number in itself: the network says which of the two it knows.
    "+54 11 2345-6789": "+541123456789",
    "0351 15-234-5678": "+5493512345678",
    "+54 9 11 2345": null,
  },
  // Australia: trunk 0, mobiles 4, Sydney 2.
  AU: {
    "0412 345 678": "+61412345678",
    "412345678": "+61412345678",
    "(02) 9374 4000": "+61293744000",
    "+61 412 345 678": "+61412345678",
    "+61 (0)412 345 678": "+61412345678",
    "61412345678": "+61412345678",
    "0412 345 67": null,
  },
  NZ: { "021 123 4567": "+64211234567", "+64 21 123 4567": "+64211234567", "64211234567": "+64211234567" },
  // Singapore: eight digits without trunk prefix, mobiles 8 and 9, fixed lines 6.
  SG: {
    "9123 4567": "+6591234567",
    "6123 4567": "+6561234567",
    "+65 9123 4567": "+6591234567",
    "6591234567": "+6591234567",
    "0065 9123 4567": "+6591234567",
    "1123 4567": null,
  },
  // United Arab Emirates and Saudi Arabia: trunk 0, mobiles 5.
  AE: {
    "050 123 4567": "+971501234567",
    "+971 50 123 4567": "+971501234567",
    "٠٥٠١٢٣٤٥٦٧": "+971501234567",
    "00971501234567": "+971501234567",
    "971501234567": "+971501234567",
    "919876543210": "+919876543210",
    "050 123 456": null,
  },
  SA: {
    "0501234567": "+966501234567",
    "+966 50 123 4567": "+966501234567",
    "966501234567": "+966501234567",
    "050123456": null,
  },
  ZA: { "082 123 4567": "+27821234567", "+27 (0)82 123 4567": "+27821234567", "27821234567": "+27821234567" },
  NG: {
    "0803 123 4567": "+2348031234567",
    "+234 803 123 4567": "+2348031234567",
    "2348031234567": "+2348031234567",
    "0803 123 456": null,
  },
  KE: { "0712 345678": "+254712345678", "+254 712 345678": "+254712345678", "254712345678": "+254712345678" },
  // Indonesia: trunk 0, mobiles 8 and nine to twelve digits in all.
  ID: {
    "0812-3456-7890": "+6281234567890",
    "+62 812-3456-7890": "+6281234567890",
    "6281234567890": "+6281234567890",
    "62812345678": "+62812345678",
    "0812-34": null,
  },
  MY: { "012-345 6789": "+60123456789", "+60 12-345 6789": "+60123456789", "60123456789": "+60123456789" },
  PH: { "0917 123 4567": "+639171234567", "+63 917 123 4567": "+639171234567", "639171234567": "+639171234567" },
  PK: { "0300 1234567": "+923001234567", "+92-300-1234567": "+923001234567", "۰۳۰۰۱۲۳۴۵۶۷": "+923001234567" },
  BD: { "01712-345678": "+8801712345678", "+880 1712-345678": "+8801712345678", "8801712345678": "+8801712345678" },
  LK: { "077 123 4567": "+94771234567", "+94 77 123 4567": "+94771234567" },
  NP: { "984-1234567": "+9779841234567", "+977 984-1234567": "+9779841234567" },
  TR: { "0532 123 45 67": "+905321234567", "+90 532 123 45 67": "+905321234567", "905321234567": "+905321234567" },
  // Russia and Kazakhstan share 7; trunk 8.
  RU: {
    "8 (916) 123-45-67": "+79161234567",
    "916 123-45-67": "+79161234567",
    "+7 916 123 45 67": "+79161234567",
    "79161234567": "+79161234567",
    "8 10 44 7400 123456": null,
    "8 916 123 45": null,
  },
  KZ: { "8 701 123 4567": "+77011234567", "+7 701 123 4567": "+77011234567" },
  EG: { "0100 123 4567": "+201001234567", "+20 100 123 4567": "+201001234567", "00201001234567": "+201001234567" },
  IL: { "050-234-5678": "+972502345678", "+972-50-234-5678": "+972502345678" },
  JP: {
    "090-1234-5678": "+819012345678",
    "０９０−１２３４−５６７８": "+819012345678",
    "（０３）３２１０−１２３４": "+81332101234",
    "＋８１　９０　１２３４　５６７８": "+819012345678",
    "+81 (0)90 1234 5678": "+819012345678",
  },
  CN: { "139 1234 5678": "+8613912345678", "+86 139 1234 5678": "+8613912345678", "8613912345678": "+8613912345678" },
  HK: { "9123 4567": "+85291234567", "+852 9123 4567": "+85291234567" },
  CO: { "321 123 4567": "+573211234567", "+57 321 1234567": "+573211234567", "573211234567": "+573211234567" },
  CL: { "9 6123 4567": "+56961234567", "+56 9 6123 4567": "+56961234567" },
  PE: { "912 345 678": "+51912345678", "+51 912 345 678": "+51912345678" },
  PT: { "912 345 678": "+351912345678", "00351 912 345 678": "+351912345678" },
  NL: { "06 12345678": "+31612345678", "06-12345678": "+31612345678", "+31 6 12345678": "+31612345678" },
  CH: { "079 123 45 67": "+41791234567", "+41 (0)79 123 45 67": "+41791234567" },
  PL: { "512 345 678": "+48512345678", "+48 512 345 678": "+48512345678" },
  UA: { "050 123 4567": "+380501234567", "+380 50 123 45 67": "+380501234567", "80501234567": null },
  SE: { "070-123 45 67": "+46701234567", "+46 (0)70 123 45 67": "+46701234567" },
  // Hungary: trunk 06.
  HU: { "06 20 123 4567": "+36201234567", "+36 20 123 4567": "+36201234567" },
  // Côte d'Ivoire: ten digits, and the zero belongs to the number.
  CI: { "07 01 23 45 67": "+2250701234567", "+225 07 01 23 45 67": "+2250701234567" },
};

/** Read in India, where the number inside each of them would be valid. */
const NO_NUMBERS: string[] = [
  "",
  " ",
  "+",
  "00",
  "0000000000",
  "+0",
  "123",
  "abc",
  "null",
  "undefined",
  "call 98765 43210",
  "98765 43210 (office)",
  "tel:+919876543210",
  "+91 98765 43210 ext. 5",
  "+91 98765 43210 x5",
  "+91 98765 43210;ext=5",
  "+91 98765 43210,,5",
  "+91 98765 43210#5",
  "1-800-FLOWERS",
  "+1 800 FLOWERS",
  "98765 43210, 98765 43211",
  "98765 43210 / 98765 43211",
  "98765 43210\n98765 43211",
  "98765\n43210",
  "+91 98765 43210 +91 98765 43211",
  "++919876543210",
  "91+9876543210",
  "9876543210+",
  "+00919876543210",
  "00+919876543210",
  "-9876543210",
  "9876543210.0",
  "9.876543210e9",
  "9.87654E+09",
  "'9876543210",
  "~9876543210",
  "9876543210@s.whatsapp.net",
  "98765_43210",
  "98765:43210",
  "98765*43210",
  "𝟗𝟖𝟕𝟔𝟓𝟒𝟑𝟐𝟏𝟎",
  "⁹⁸⁷⁶⁵⁴³²¹⁰",
  "九八七六五四三二一〇",
  "9876543210\u0000",
  "+9198765432109876543210",
  `${" ".repeat(60)}9876543210`,
  "9".repeat(10_000),
];

/** Read in India: the characters around and between the digits of one number. */
const SAME_NUMBER: string[] = [
  "  9876543210\t",
  "98765\u00a043210",
  "98765\u202f43210",
  "98765\u301043210".replace("\u3010", "\u3000"),
  "98765\u201343210",
  "98765\u201143210",
  "\u202a+91 98765 43210\u202c",
  "\ufeff9876543210",
  "98765\u200b43210",
  "\u200e+919876543210",
  "\uff0b919876543210",
  "+91\t98765\t43210",
  "+ 91 98765 43210",
  "(+91)9876543210",
  "+(91) 98765 43210",
  "(0) 98765 43210",
  "+91 (0) 98765 43210",
  "98 76 54 32 10",
  "98.76.54.32.10",
  "98765/43210",
  "[98765] 43210",
  "9876543210.",
];

const phone = (text: string): E164 => {
  const read = fromNetwork(text.slice(1));
  if (read === null) throw new Error(`${text} is no number`);
  return read;
};

describe("reading a phone number", () => {
  for (const [country, rows] of Object.entries(PLANS)) {
    test(`input from ${country} becomes the one number of the numbering plan, or is refused`, () => {
      const read = Object.fromEntries(Object.keys(rows).map((input) => [input, readPhone(input, country)]));
      expect(read).toEqual(rows as Record<string, E164 | null>);
    });
  }

  test("the table covers at least 25 countries and 150 inputs", () => {
    expect(Object.keys(PLANS).length).toBeGreaterThanOrEqual(25);
    expect(Object.values(PLANS).flatMap((rows) => Object.keys(rows)).length).toBeGreaterThanOrEqual(150);
  });

  test("a text that is more or less than one number is refused, whatever number it contains", () => {
    expect(NO_NUMBERS.filter((input) => readPhone(input, "IN") !== null)).toEqual([]);
  });

  test("spaces, dashes, brackets and invisible characters do not change the number", () => {
    expect(SAME_NUMBER.filter((input) => readPhone(input, "IN") !== "+919876543210")).toEqual([]);
  });

  test("every E.164 result is read as itself again, in any country, with +, 00 or spaces", () => {
    const numbers = Object.values(PLANS)
      .flatMap((rows) => Object.values(rows))
      .filter((number) => number !== null);
    for (const number of numbers) {
      for (const country of ["IN", "US", "BR", "JP", "ZZ"]) {
        expect(readPhone(number, country)).toBe(phone(number));
        expect(readPhone(`00${number.slice(1)}`, country)).toBe(phone(number));
        expect(readPhone(number.replace(/(...)/g, "$1 "), country)).toBe(phone(number));
      }
    }
  });

  test("with an unknown country international numbers are read, and no others", () => {
    for (const country of ["ZZ", "", "in", "IND", "toString", "__proto__"]) {
      expect(readPhone("+91 98765 43210", country)).toBe(phone("+919876543210"));
      expect(readPhone("098765 43210", country)).toBeNull();
    }
  });

  test("numbers of no country (international freephone) are read when written with +", () => {
    expect(readPhone("+800 1234 5678", "IN")).toBe(phone("+80012345678"));
  });

  test("no text and no country make reading throw, and every result is E.164", () => {
    const piece = fc.constantFrom(..."0123456789+-() ./x#\u00a0\u202a٣९a".split(""), "00", "91", "55");
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece, { maxLength: 20 }).map((all) => all.join("")),
    );
    const country = fc.oneof(fc.constantFrom("IN", "US", "BR", "MX", "AR", "IT", "JP"), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(text, country, (input, code) => {
        const read = readPhone(input, code);
        if (read !== null) expect(read).toMatch(/^\+[1-9][0-9]{4,16}$/);
        phoneDigits(input);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("the digits of an input", () => {
  test("are returned without + and 00, which mark them as international", () => {
    expect(phoneDigits("+91 98765-43210")).toEqual({ digits: "919876543210", international: true });
    expect(phoneDigits("0091 98765 43210")).toEqual({ digits: "919876543210", international: true });
    expect(phoneDigits("919876543210")).toEqual({ digits: "919876543210", international: false });
    expect(phoneDigits("098765 43210")).toEqual({ digits: "09876543210", international: false });
    expect(phoneDigits("٠٥٠ ١٢٣ ٤٥٦٧")).toEqual({ digits: "0501234567", international: false });
  });

  test("exist for a number outside every numbering plan, so that it can be looked up", () => {
    expect(readPhone("+55 11 6000 0000 99", "BR")).toBeNull();
    expect(phoneDigits("+55 11 6000 0000 99")).toEqual({ digits: "55116000000099", international: true });
    expect(phoneDigits("12345")).toEqual({ digits: "12345", international: false });
  });

  test("are null for a text that is not a number, or has fewer than 5 or more than 20 digits", () => {
    for (const input of ["", "1234", "001234", "1".repeat(21), "98765 43210 ext 5", "hello", "91+98765"]) {
      expect(phoneDigits(input)).toBeNull();
    }
    expect(phoneDigits("1".repeat(20))?.digits).toBe("1".repeat(20));
    expect(phoneDigits(`00${"1".repeat(20)}`)?.digits).toBe("1".repeat(20));
  });

  test("of a phone number without its + are the number's own digits", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9][0-9]{4,19}$/), (digits) => {
        expect(phoneDigits(digits)).toEqual({ digits, international: false });
        expect(phoneDigits(`+${digits}`)).toEqual({ digits, international: true });
      }),
    );
  });
});

describe("the number variant", () => {
  const PAIRS: [string, string][] = [
    ["+5511987654321", "+551187654321"],
    ["+5565998765432", "+556598765432"],
    ["+5521967654321", "+552167654321"],
    ["+5215512345678", "+525512345678"],
    ["+5218183456789", "+528183456789"],
    ["+5491123456789", "+541123456789"],
    ["+5493512345678", "+543512345678"],
  ];
  test("of a number in Brazil, Mexico and Argentina exists, and leads back to the number", () => {
    for (const [long, short] of PAIRS) {
      expect(otherVariant(phone(long))).toBe(phone(short));
      expect(otherVariant(phone(short))).toBe(phone(long));
    }
  });

  test("does not exist for fixed lines of Brazil, incomplete numbers and other countries", () => {
    const none = [
      "+551130711234", // São Paulo, fixed
      "+551155551234",
      "+5511930711234", // nine digits, but without the first it would be a fixed line
      "+551098765432", // no area code ends in 0
      "+55119876543210",
      "+52551234567",
      "+52215512345678",
      "+54911234567",
      "+919876543210",
      "+12025550143",
      "+5355123456",
    ];
    expect(none.filter((text) => otherVariant(phone(text)) !== null)).toEqual([]);
  });

  test("is never the same number, and its own variant is the number", () => {
    const digits = fc.stringMatching(/^(55|52|54|1|91)[0-9]{4,14}$/);
    fc.assert(
      fc.property(digits, (text) => {
        const other = otherVariant(phone(`+${text}`));
        if (other === null) return;
        expect(other).not.toBe(phone(`+${text}`));
        expect(otherVariant(other)).toBe(phone(`+${text}`));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("numbers in the network's answers", () => {
  test("are accepted as they are, even outside every numbering plan", () => {
    for (const digits of ["551187654321", "5215512345678", "99999", "12345678901234567890", "16505551234"]) {
      expect(fromNetwork(digits)).toBe(`+${digits}` as E164);
    }
  });

  test("are refused only when they do not have 5 to 20 digits", () => {
    for (const text of [
      "",
      "1234",
      "1".repeat(21),
      "+919876543210",
      "91 9876",
      "IN.12345678",
      "12345\n",
      "٩٨٧٦٥٤٣٢١٠",
    ]) {
      expect(fromNetwork(text)).toBeNull();
    }
  });
});

test("numbers that a country reserves for fiction are numbers", () => {
  for (const [input, country, expected] of [
    ["+447700900123", "IN", "+447700900123"],
    ["447700900456", "IN", "+447700900456"],
    ["0044 7700 900 999", "US", "+447700900999"],
    ["07700 900000", "GB", "+447700900000"],
    ["01632 960123", "GB", "+441632960123"],
    ["(202) 555-0123", "US", "+12025550123"],
  ] as const) {
    expect([input, readPhone(input, country)]).toEqual([input, phone(expected)]);
  }
  for (const near of ["+4477009001234", "+44770090012", "+447700901123", "+441632961123"]) {
    expect([near, readPhone(near, "GB")]).toEqual([near, null]);
  }
});

describe("countries", () => {
  test("a country is two capital letters that have a numbering plan", () => {
    for (const code of Object.keys(PLANS)) expect(isCountry(code)).toBe(true);
    for (const code of ["ZZ", "in", "IND", "", "I", "toString", "constructor", "__proto__", "I\n"]) {
      expect(isCountry(code)).toBe(false);
    }
  });

  test("the country of a number is right within a shared country code, and null where there is none", () => {
    expect(countryOf(phone("+14165550123"))).toBe("CA");
    expect(countryOf(phone("+12025550143"))).toBe("US");
    expect(countryOf(phone("+77011234567"))).toBe("KZ");
    expect(countryOf(phone("+80012345678"))).toBeNull();
    expect(countryOf(phone("+99999"))).toBeNull();
  });
});
