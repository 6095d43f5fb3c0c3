/** Encodings by the names that people know them by. */
import type { ImportDetail } from "./import-view.ts";

type Encoding = NonNullable<NonNullable<ImportDetail["found"]>["encoding"]>;

const GROUPS = {
  Unicode: { "utf-8": "UTF-8", "utf-16le": "UTF-16", "utf-16be": "UTF-16 (big-endian)" },
  "Western Europe": {
    "windows-1252": "Windows-1252",
    macintosh: "Mac Roman",
    ibm850: "DOS 850",
    "iso-8859-15": "ISO 8859-15",
    "iso-8859-14": "ISO 8859-14 (Celtic)",
    "iso-8859-3": "ISO 8859-3 (Maltese)",
  },
  "Central and Northern Europe": {
    "windows-1250": "Windows-1250",
    "iso-8859-2": "ISO 8859-2",
    "iso-8859-16": "ISO 8859-16 (Romanian)",
    "windows-1257": "Windows-1257 (Baltic)",
    "iso-8859-13": "ISO 8859-13 (Baltic)",
    "iso-8859-4": "ISO 8859-4 (Baltic)",
    "iso-8859-10": "ISO 8859-10 (Nordic)",
  },
  Cyrillic: {
    "windows-1251": "Windows-1251",
    "koi8-r": "KOI8-R",
    "koi8-u": "KOI8-U (Ukrainian)",
    ibm866: "DOS 866",
    "iso-8859-5": "ISO 8859-5",
    "x-mac-cyrillic": "Mac Cyrillic",
  },
  "Greek, Turkish, Hebrew, Arabic": {
    "windows-1253": "Windows-1253 (Greek)",
    "iso-8859-7": "ISO 8859-7 (Greek)",
    "windows-1254": "Windows-1254 (Turkish)",
    "windows-1255": "Windows-1255 (Hebrew)",
    "iso-8859-8": "ISO 8859-8 (Hebrew)",
    "windows-1256": "Windows-1256 (Arabic)",
    "iso-8859-6": "ISO 8859-6 (Arabic)",
  },
  "East Asia": {
    shift_jis: "Shift JIS (Japanese)",
    "euc-jp": "EUC-JP (Japanese)",
    gb18030: "GB 18030 (Chinese)",
    big5: "Big5 (Chinese)",
    "euc-kr": "EUC-KR (Korean)",
    "windows-874": "Windows-874 (Thai)",
    "windows-1258": "Windows-1258 (Vietnamese)",
  },
} as const satisfies Record<string, Partial<Record<Encoding, string>>>;

const names = new Map(Object.values(GROUPS).flatMap((group) => Object.entries(group)));

export function encodingName(encoding: string): string {
  return names.get(encoding) ?? encoding;
}

export function encodingGroups(): [group: string, encodings: string[]][] {
  return Object.entries(GROUPS).map(([group, encodings]) => [group, Object.keys(encodings)]);
}
