/**
 * Phone cells as shops write them, each with what it must become. Written from the pages about imports, without sight of
 * the reader: the number is made first, then spelled.
 */
import type { Chance } from "#test/fuzz/chance.ts";

/** What a row must become: a person under one of `phones`, a refusal whose reason matches `reason`, or either. */
export interface Truth {
  phones: readonly string[];
  reason?: RegExp;
}

export interface PhoneCell extends Truth {
  kind: string;
  cell: string;
}

interface Plan {
  code: string;
  trunk: string;
  /** `9` is any digit, other characters stand for themselves; national numbers of mobiles without trunk prefix. */
  mobiles: readonly string[];
  landlines: readonly string[];
  /** Numbers that lack their area code. */
  local: readonly string[];
}

export const plans: Readonly<Record<string, Plan>> = {
  IN: {
    code: "91",
    trunk: "0",
    mobiles: ["98123#####", "99876#####", "70421#####"],
    landlines: ["222765####"],
    local: ["2765####"],
  },
  US: { code: "1", trunk: "1", mobiles: ["212255####", "415623####"], landlines: ["646734####"], local: ["555####"] },
  MX: { code: "52", trunk: "", mobiles: ["551234####", "998123####"], landlines: ["333615####"], local: ["5678####"] },
  CI: {
    code: "225",
    trunk: "",
    mobiles: ["0707######", "0504######", "0102######"],
    landlines: ["272021####"],
    local: ["21####"],
  },
  DE: {
    code: "49",
    trunk: "0",
    mobiles: ["1711######", "1512#######"],
    landlines: ["303456####", "89456####"],
    local: [],
  },
  BR: {
    code: "55",
    trunk: "0",
    mobiles: ["1198765####", "2199876####"],
    landlines: ["113333####"],
    local: ["98765####"],
  },
  GB: { code: "44", trunk: "0", mobiles: ["77123#####", "79461#####"], landlines: ["207946####"], local: [] },
  AR: {
    code: "54",
    trunk: "0",
    mobiles: ["91123######", "93515######"],
    landlines: ["114345####"],
    local: ["152345####"],
  },
};

export function planOf(country: string): Plan {
  const plan = plans[country];
  if (plan === undefined) throw new Error(`no plan of ${country}`);
  return plan;
}

export const fill = (chance: Chance, form: string) => form.replace(/#/g, () => String(chance.below(10)));

const NO_NUMBER = /phone/;
/** A national number as it is dialled at home, and the same one for abroad. */
function forms(country: string, chance: Chance, number: string) {
  const { code, trunk } = planOf(country);
  const argentine = country === "AR" && number.startsWith("9");
  const home = argentine ? number.slice(1) : number;
  const gap = chance.pick([" ", "-", ".", ""]);
  const grouped = `${home.slice(0, -7)}${gap}${home.slice(-7, -4)}${gap}${home.slice(-4)}`;
  const national = country === "US" ? grouped : `${trunk}${grouped}`;
  return { code, national, abroad: `${code}${number}`, spaced: `${code} ${number.slice(0, -6)} ${number.slice(-6)}` };
}

type Spell = (chance: Chance, country: string) => Omit<PhoneCell, "kind">;

function person(form: (s: ReturnType<typeof forms>, chance: Chance) => string): Spell {
  return (chance, country) => {
    const number = fill(chance, chance.pick(planOf(country).mobiles));
    return { cell: form(forms(country, chance, number), chance), phones: [`+${planOf(country).code}${number}`] };
  };
}

function refused(reason: RegExp, form: (s: ReturnType<typeof forms>, chance: Chance) => string): Spell {
  return (chance, country) => ({ ...person(form)(chance, country), phones: [], reason });
}

/** The first of two, unless only the second is a mobile number. */
function two(join: string): Spell {
  return (chance, country) => {
    const first = person((s) => `+${s.spaced}`)(chance, country);
    const second = person((s) => `+${s.spaced}`)(chance, country);
    return { cell: `${first.cell}${join}${second.cell}`, phones: first.phones };
  };
}

/** Kinds that every country has, with their weight among a hundred rows or so. */
export const everywhere: readonly (readonly [kind: string, weight: number, spell: Spell])[] = [
  ["international", 25, person((s) => `+${s.spaced}`)],
  ["national", 25, person((s) => s.national)],
  ["digits with the country code", 8, person((s) => s.abroad)],
  ["00", 3, person((s) => `00${s.spaced}`)],
  ["in parentheses", 1, person((s) => `(+${s.code}) ${s.abroad.slice(s.code.length)}`)],
  [".0", 2, person((s) => `${s.abroad}.0`)],
  ["apostrophe", 2, person((s) => `'+${s.abroad}`)],
  ["apostrophe, national", 1, person((s) => `'${s.national}`)],
  ["formula", 1, person((s) => `="+${s.abroad}"`)],
  ["tel:", 1, person((s) => `tel:+${s.abroad}`)],
  ["tel: with dashes", 1, person((s) => `tel:+${s.spaced.replaceAll(" ", "-")}`)],
  ["wa.me", 1, person((s, chance) => `${chance.pick(["https://", "", "http://"])}wa.me/${s.abroad}`)],
  ["whatsapp:", 1, person((s) => `whatsapp:+${s.abroad}`)],
  ["@c.us", 1, person((s) => `${s.abroad}@c.us`)],
  [
    "words after",
    2,
    person((s, chance) => `${s.national} ${chance.pick(["(home)", "(cell)", "- office", "WhatsApp"])}`),
  ],
  ["words before", 1, person((s, chance) => `${chance.pick(["Mob: ", "WhatsApp: ", "Cell "])}+${s.abroad}`)],
  ["extension", 1, person((s, chance) => `+${s.spaced} ${chance.pick(["ext 5", "x12", "ext. 9", "Ext:104"])}`)],
  ["invisible characters", 1, person((s) => `\u200e+${s.spaced.replaceAll(" ", "\u00a0")}\u202c`)],
  ["full-width digits", 0.5, person((s) => `+${s.abroad}`.replace(/[+\d]/g, wide))],
  ["two with a slash", 1, two(" / ")],
  ["two with a comma", 1, two(", ")],
  ["two with a semicolon", 0.5, two("; ")],
  ["two with or", 0.5, two(" or ")],
  ["two with :::", 0.5, two(" ::: ")],
  ["two lines", 0.5, two("\n")],
  ["shortened by Excel", 2, refused(/Excel/, (s) => `${s.abroad[0]}.${s.abroad.slice(1, 6)}E+${s.abroad.length - 1}`)],
  ["shortened, comma", 0.5, refused(/Excel/, (s) => `${s.abroad[0]},${s.abroad.slice(1, 6)}E+${s.abroad.length - 1}`)],
  ["no number", 1.5, refused(NO_NUMBER, (_, chance) => chance.pick(["-", "n/a", "N/A", "0", "unknown", "ask him"]))],
  ["too short", 0.5, refused(NO_NUMBER, (s) => `+${s.abroad.slice(0, 5)}`)],
  ["landline", 2, landline],
  ["no area code", 1, noArea],
  ["mobile after landline", 0.5, mobileSecond],
];

function wide(sign: string): string {
  return String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0);
}

function landline(chance: Chance, country: string): Omit<PhoneCell, "kind"> {
  const number = fill(chance, chance.pick(planOf(country).landlines));
  return { cell: forms(country, chance, number).national, phones: [`+${planOf(country).code}${number}`] };
}

function mobileSecond(chance: Chance, country: string): Omit<PhoneCell, "kind"> {
  const mobile = person((s) => `+${s.spaced}`)(chance, country);
  const ordinary = landline(chance, country);
  // Where the plan does not tell landlines from mobiles, the first number counts.
  const phones = ["US", "MX", "AR"].includes(country) ? [...mobile.phones, ...ordinary.phones] : mobile.phones;
  return { cell: `${ordinary.cell} / ${mobile.cell}`, phones };
}

function noArea(chance: Chance, country: string): Omit<PhoneCell, "kind"> {
  const { local } = planOf(country);
  if (local.length === 0) return refused(NO_NUMBER, () => "12")(chance, country);
  const number = fill(chance, chance.pick(local));
  return { cell: `${number.slice(0, -4)}-${number.slice(-4)}`, phones: [], reason: /area|phone/ };
}

/** Kinds of one country. */
export const local: Readonly<Record<string, typeof everywhere>> = {
  IN: [
    ["091", 4, person((s) => `091 ${s.abroad.slice(2)}`)],
    ["0919", 3, person((s) => `0${s.abroad}`)],
    ["+91 0", 2, person((s) => `+91 0${s.abroad.slice(2)}`)],
    ["thousands", 1, person((s) => Number(s.abroad.slice(2)).toLocaleString("en-US"))],
  ],
  US: [["011", 5, (chance) => abroadFromUs(chance)]],
  MX: ["044 ", "045 ", "01 "].map(
    (prefix) => [`old prefix ${prefix}`, 3, person((s) => prefix + s.abroad.slice(2))] as const,
  ),
  CI: [
    ["old number", 8, oldIvorian],
    ["old number with +225", 4, (chance) => withCode(oldIvorian(chance))],
  ],
  BR: [["carrier", 4, person((s) => `0 21 ${s.abroad.slice(2, 4)} ${s.abroad.slice(4)}`)]],
  AR: [
    [
      "15",
      5,
      person(
        (s) => `0${s.abroad.slice(3, s.abroad[3] === "1" ? 5 : 6)} 15 ${s.abroad.slice(s.abroad[3] === "1" ? 5 : 6)}`,
      ),
    ],
  ],
  GB: [["(0)", 4, person((s) => `+44 (0) ${s.abroad.slice(2)}`)]],
  DE: [["(0)", 4, person((s) => `+49 (0) ${s.abroad.slice(2)}`)]],
};

function abroadFromUs(chance: Chance): Omit<PhoneCell, "kind"> {
  const number = fill(chance, "77123#####");
  return { cell: `011 44 ${number}`, phones: [`+44${number}`] };
}

/** The plan of 2021: Orange 07, MTN 05, Moov 01 before the eight digits. */
function oldIvorian(chance: Chance): Omit<PhoneCell, "kind"> {
  const [prefix, start] = chance.pick([
    ["07", "07"],
    ["07", "08"],
    ["07", "49"],
    ["05", "05"],
    ["05", "46"],
    ["01", "02"],
    ["01", "41"],
  ] as const);
  const old = start + fill(chance, "######");
  return { cell: old.replace(/(..)(?=.)/g, "$1 "), phones: [`+225${prefix}${old}`] };
}

function withCode({ cell, ...rest }: Omit<PhoneCell, "kind">) {
  return { cell: `+225 ${cell}`, ...rest };
}
