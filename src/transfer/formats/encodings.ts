/** The encodings of text that can be read, and the names that people have for them. */

/** By the names of the WHATWG standard, and `ibm850`, which Excel's "CSV (MS-DOS)" writes in Western Europe. */
export const encodings = [
  "utf-8",
  "utf-16le",
  "utf-16be",
  "windows-1252",
  "macintosh",
  "windows-1250",
  "windows-1251",
  "windows-1253",
  "windows-1254",
  "windows-1255",
  "windows-1256",
  "windows-1257",
  "windows-1258",
  "windows-874",
  "iso-8859-2",
  "iso-8859-3",
  "iso-8859-4",
  "iso-8859-5",
  "iso-8859-6",
  "iso-8859-7",
  "iso-8859-8",
  "iso-8859-10",
  "iso-8859-13",
  "iso-8859-14",
  "iso-8859-15",
  "iso-8859-16",
  "koi8-r",
  "koi8-u",
  "ibm866",
  "ibm850",
  "x-mac-cyrillic",
  "shift_jis",
  "euc-jp",
  "gb18030",
  "big5",
  "euc-kr",
] as const;
export type Encoding = (typeof encodings)[number];

/** The names that people use, lower case without separators. */
const ALIASES: Readonly<Record<string, Encoding>> = {
  utf8: "utf-8",
  utf16: "utf-16le",
  latin1: "windows-1252",
  iso88591: "windows-1252",
  iso88599: "windows-1254",
  iso885911: "windows-874",
  tis620: "windows-874",
  ansi: "windows-1252",
  cp932: "shift_jis",
  windows31j: "shift_jis",
  sjis: "shift_jis",
  gbk: "gb18030",
  gb2312: "gb18030",
  cp936: "gb18030",
  cp949: "euc-kr",
  uhc: "euc-kr",
  ksc5601: "euc-kr",
  cp950: "big5",
  macroman: "macintosh",
  mac: "macintosh",
  cp866: "ibm866",
  cp850: "ibm850",
  dos: "ibm850",
};

/** The encoding of a name such as `cp1251`, `Latin-1` or `Shift-JIS`. Null: unknown. */
export function readEncoding(name: string): Encoding | null {
  const folded = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const asWindows = folded.replace(/^(?:cp|win|windows)(?=125[0-8]$|874$)/, "windows");
  const found = encodings.find((one) => one.replace(/[^a-z0-9]/g, "") === asWindows);
  return found ?? ALIASES[folded] ?? null;
}

/** The upper half of `ibm850`, which no browser reads. */
const IBM850 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0";

/** Decodes piece by piece, like `TextDecoder`. `fatal`: what is not text throws a `TypeError`. */
export function decoderOf(encoding: Encoding, fatal = false): Pick<TextDecoder, "decode"> {
  if (encoding !== "ibm850") return new TextDecoder(encoding, { fatal });
  return {
    decode: (bytes) =>
      Buffer.from((bytes as Uint8Array | undefined) ?? [])
        .toString("latin1")
        .replace(/[\x80-\xff]/g, (byte) => IBM850.charAt(byte.charCodeAt(0) - 0x80)),
  };
}
