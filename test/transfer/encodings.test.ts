/** The encoding of a file of people is found, or asked about with the right reading among the samples. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Problem } from "#src/core/problem.ts";
import { textOfFile } from "#src/transfer/formats/bytes.ts";
import { findEncoding } from "#src/transfer/formats/encoding.ts";
import { decoderOf, type Encoding } from "#src/transfer/formats/encodings.ts";

const directory = mkdtempSync(join(tmpdir(), "encodings-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Bytes of each character of an encoding, by its decoder. */
const tables = new Map<Encoding, Map<string, number[]>>();

function tableOf(encoding: Encoding): Map<string, number[]> {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const bytes = Array.from({ length: 256 }, (_, byte) => [byte]);
  const leads = bytes.slice(0x81, 0xff).flat();
  const pairs = leads.flatMap((lead) => bytes.slice(0x40, 0xff).map(([trail = 0]) => [lead, trail]));
  const table = new Map<string, number[]>();
  // Each followed by a character that ends it.
  const all = [...bytes, ...pairs].filter(([byte]) => byte !== 0x0a);
  const text = decoderOf(encoding).decode(Uint8Array.from(all.flatMap((one) => [...one, 0x0a])));
  for (const [place, character] of text.split("\n").entries()) {
    const one = all[place] ?? [];
    if ([...character].length === 1 && character !== "\ufffd" && !table.has(character)) table.set(character, one);
  }
  table.set("\n", [0x0a]);
  tables.set(encoding, table);
  return table;
}

function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === "utf-16le") return Buffer.from(text, "utf16le");
  if (encoding === "utf-16be") return Buffer.from(text, "utf16le").swap16();
  const table = tableOf(encoding);
  return Buffer.from(
    [...text].flatMap((character) => {
      const bytes = table.get(character);
      if (bytes === undefined) throw new Error(`${encoding} has no ${character}`);
      return bytes;
    }),
  );
}

interface Language {
  encoding: Encoding;
  country: string;
  header: string;
  names: string;
}

const languages: Record<string, Language> = {
  "Mac Roman, French": {
    encoding: "macintosh",
    country: "FR",
    header: "Prénom,Téléphone",
    names:
      "François Lefèvre,Zoé Béranger,Jérôme Gauthier,Hélène Chrétien,Noël Besançon,Chloé Fréchette,André Rivière,Gaëlle Prévost,Cédric Noé,Maëlle Côté,Élodie Pelé,Benoît Salomé",
  },
  "Mac Roman, Spanish": {
    encoding: "macintosh",
    country: "ES",
    header: "Nombre,Teléfono",
    names:
      "José Núñez,María Ibáñez,Begoña Muñoz,Íñigo López,Raúl García,Sofía Martínez,Ángel Peña,Lucía Gómez,Andrés Ordóñez,Verónica Jiménez,Iñaki Hernández,Mónica Suárez",
  },
  "windows-1250, Polish": {
    encoding: "windows-1250",
    country: "PL",
    header: "Imię,Telefon",
    names:
      "Michał Wiśniewski,Łukasz Kowalczyk,Małgorzata Wójcik,Paweł Kamiński,Grażyna Zielińska,Stanisław Dąbrowski,Agnieszka Kozłowska,Wojciech Jabłoński,Żaneta Krawczyk,Józef Mróz,Bożena Wróbel,Święcicka Ewa",
  },
  "windows-1250, Czech": {
    encoding: "windows-1250",
    country: "CZ",
    header: "Jméno,Číslo",
    names:
      "Jiří Dvořák,Tomáš Černý,Zdeněk Procházka,Kateřina Kučerová,Lukáš Veselý,Ondřej Němec,Růžena Pospíšilová,Matěj Růžička,Štěpán Beneš,Žaneta Křížová,Eliška Součková,Přemysl Šťastný",
  },
  "windows-1251, Russian": {
    encoding: "windows-1251",
    country: "RU",
    header: "Имя,Телефон",
    names:
      "Анна Петрова,Иван Смирнов,Дмитрий Кузнецов,Ольга Соколова,Сергей Попов,Екатерина Лебедева,Алексей Козлов,Наталья Новикова,Юлия Морозова,Михаил Щукин,Жанна Волкова,Фёдор Зайцев",
  },
  "windows-1254, Turkish": {
    encoding: "windows-1254",
    country: "TR",
    header: "İsim,Telefon numarası",
    names:
      "Ayşe Yılmaz,Mehmet Şahin,Gülşen Çelik,Oğuz Yıldız,İbrahim Doğan,Çiğdem Aydın,Uğur Kılıç,Işıl Özdemir,Şükrü Güneş,Tuğba Çetin,Özgür Koç,Ümit Aslantaş",
  },
  "windows-1256, Arabic": {
    encoding: "windows-1256",
    country: "EG",
    header: "الاسم,الهاتف",
    names:
      "محمد أحمد,فاطمة الزهراء,عبد الرحمن,خالد السيد,مريم حسن,يوسف إبراهيم,نورة العتيبي,سارة القحطاني,عمر الشريف,ليلى مراد,حسين علي,زينب محمود",
  },
  "KOI8-R, Russian": {
    encoding: "koi8-r",
    country: "RU",
    header: "Имя,Телефон",
    names:
      "Анна Петрова,Иван Смирнов,Дмитрий Кузнецов,Ольга Соколова,Сергей Попов,Екатерина Лебедева,Алексей Козлов,Наталья Новикова,Юлия Морозова,Михаил Щукин,Жанна Волкова,Светлана Зайцева",
  },
  "Shift-JIS, Japanese": {
    encoding: "shift_jis",
    country: "JP",
    header: "氏名,電話番号",
    names:
      "山田太郎,佐藤花子,鈴木一郎,高橋美咲,田中健太,渡辺直樹,伊藤さくら,中村大輔,小林由美,加藤 翔,吉田 結衣,タナカ ヒロシ",
  },
  "GBK, Chinese": {
    encoding: "gb18030",
    country: "CN",
    header: "姓名,电话",
    names: "王伟,李娜,张敏,刘洋,陈静,杨丽,赵强,黄磊,周杰,吴秀英,徐建国,孙晓明",
  },
  "Big5, Chinese": {
    encoding: "big5",
    country: "TW",
    header: "姓名,電話",
    names: "陳怡君,林志明,黃淑芬,張雅婷,李建宏,王美玲,吳宗翰,劉佳穎,蔡明哲,楊惠雯,許家豪,鄭雅文",
  },
  "EUC-KR, Korean": {
    encoding: "euc-kr",
    country: "KR",
    header: "이름,전화번호",
    names: "김민준,이서연,박지훈,최수빈,정예은,강도윤,조하은,윤서준,장지우,임현우,한소희,오세훈",
  },
  "ISO-8859-15, French": {
    encoding: "iso-8859-15",
    country: "FR",
    header: "Prénom,Téléphone",
    names:
      "François Lefèvre,Zoé Béranger,Jérôme Lecœur,Hélène Chrétien,Noël Besançon,Chloé Cœurdoux,André Rivière,Gaëlle Prévost,Cédric Noé,Maëlle Côté,Élodie Sacré-Cœur,Benoît Salomé",
  },
  "ISO-8859-15, Finnish": {
    encoding: "iso-8859-15",
    country: "FI",
    header: "Etunimi,Lisätieto",
    names:
      "Matti Hämäläinen,Päivi Mäkinen,Väinö Järvinen,Tuija Lähteenmäki,Jyrki Hyvönen,Sirpa Väisänen,Pentti Pöysti,Jäälä Aino,Seppo Räsänen,Leena Mäkelä,Ville Kärkkäinen,Elli Pölönen",
  },
  "UTF-16 little end first, Spanish": {
    encoding: "utf-16le",
    country: "ES",
    header: "Nombre,Teléfono",
    names: "José Núñez,María Ibáñez,Begoña Muñoz,Íñigo López",
  },
  "UTF-16 big end first, Spanish": {
    encoding: "utf-16be",
    country: "ES",
    header: "Nombre,Teléfono",
    names: "José Núñez,María Ibáñez,Begoña Muñoz,Íñigo López",
  },
  "UTF-16 little end first, Russian": {
    encoding: "utf-16le",
    country: "RU",
    header: "Имя,Телефон",
    names: "Анна Петрова,Иван Смирнов,Дмитрий Кузнецов,Ольга Соколова",
  },
  "UTF-16 big end first, Chinese": {
    encoding: "utf-16be",
    country: "CN",
    header: "姓名,电话",
    names: "王伟,李娜,张敏,刘洋",
  },
};

const ROWS = [3, 5, 12, 30];
const STARTS = [0, 4, 7];

/** Files of a language: several lengths and names, with both headers, in its country and in another one. */
function* filesOf({ country, header, names }: Language) {
  const people = names.split(",");
  for (const count of ROWS) {
    for (const start of STARTS) {
      for (const first of ["Name,Phone", header]) {
        const rows = Array.from(
          { length: count },
          (_, at) => `${people[(start + at) % people.length]},+9198123${40_001 + at}`,
        );
        for (const place of [country, "IN"]) yield { text: [first, ...rows, ""].join("\n"), place };
      }
    }
  }
}

function written(bytes: Uint8Array): string {
  const path = join(directory, "people.csv");
  writeFileSync(path, bytes);
  return path;
}

async function textOf(path: string, encoding: Encoding): Promise<string> {
  let text = "";
  for await (const piece of textOfFile(path, encoding)) text += piece;
  return text;
}

test.each(Object.entries(languages))("%s: every name is read as it was written", async (_, language) => {
  for (const { text, place } of filesOf(language)) {
    const path = written(encode(text, language.encoding));
    const { encoding } = await findEncoding(path, place);
    expect(await textOf(path, encoding)).toBe(text);
  }
});

/** Names in UTF-8, of which one lost a byte. */
function damagedFile(names: readonly string[], damaged: number): Buffer {
  const rows = names.map((name, at) => {
    const row = Buffer.from(`${name},+9198123${40_001 + at}\n`);
    // A character that is not ASCII ends with such a byte.
    return at === damaged
      ? Buffer.from(row.filter((byte, place) => place !== row.findIndex((one) => one > 0xbf) + 1 || byte < 0x80))
      : row;
  });
  return Buffer.concat([Buffer.from("Name,Phone\n"), ...rows]);
}

const inUtf8 = Object.entries(languages).filter(([, { encoding }]) => !encoding.startsWith("utf-16"));

test.each(inUtf8)(
  "%s in UTF-8 with a damaged character: it is UTF-8, or the question shows UTF-8 first",
  async (_, { names, country }) => {
    const people = names.split(",").filter((name) => /\P{ASCII}/u.test(name));
    for (const count of [2, 3, 5, 12, 30]) {
      const given = Array.from({ length: count }, (__, at) => people[at % people.length] ?? "");
      for (const damaged of [0, count - 1]) {
        const path = written(damagedFile(given, damaged));
        expect(await textOf(path, "utf-8")).toContain("\ufffd");
        const { encoding, samples } = await findEncoding(path, country, true);
        expect(encoding).toBe("utf-8");
        if (samples.length === 0) continue;
        expect(samples[0]).toMatchObject({ encoding: "utf-8" });
        const asked = await findEncoding(path, country).catch((error: unknown) => error);
        expect(asked).toBeInstanceOf(Problem);
        expect(JSON.stringify(asked instanceof Problem ? asked.details : null)).toContain("--encoding utf-8 reads");
      }
    }
  },
);
