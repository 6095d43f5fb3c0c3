/** The checksum of Bech32 (BIP 173), in which recipients and recovery keys of age are written: it finds typing errors. */
const CHARACTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** Whether the text, in lower or in upper case, has this prefix and a right checksum. */
export function isBech32(text: string, prefix: string): boolean {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return false;
  const lower = text.toLowerCase();
  if (!lower.startsWith(`${prefix}1`)) return false;
  const data = [...lower.slice(prefix.length + 1)].map((character) => CHARACTERS.indexOf(character));
  if (data.length < 7 || data.includes(-1)) return false;
  const codes = [...prefix].map((character) => character.charCodeAt(0));
  return checksum([...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...data]) === 1;
}

function checksum(values: readonly number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, factor] of GENERATOR.entries()) if ((top >> bit) & 1) sum ^= factor;
  }
  return sum;
}
