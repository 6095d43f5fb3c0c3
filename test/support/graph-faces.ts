/** The fake Cloud API's business profiles, usernames and blocked people: as strict as Meta's. */
import type { Refusal } from "./graph.ts";
import { isObject, isText, type Loose } from "./graph-components.ts";

const EDGE = /^(?:\/v\d+\.\d\/(\d+))?\/(whatsapp_business_profile|username|username_suggestions|block_users)$/;
const PHOTO = /^\/photos\/(\d+)$/;
const MEMBERS = {
  about: { min: 1, max: 139 },
  address: { min: 0, max: 256 },
  description: { min: 0, max: 512 },
  email: { min: 0, max: 128 },
} as const;
const VERTICALS =
  "UNDEFINED OTHER AUTO BEAUTY APPAREL EDU ENTERTAIN EVENT_PLAN FINANCE GROCERY GOVT HOTEL HEALTH NONPROFIT PROF_SERVICES RETAIL TRAVEL RESTAURANT NOT_A_BIZ".split(
    " ",
  );
const DAY_MS = 24 * 60 * 60_000;

type Answered = { body: object } | Refusal;

export function isOfFace(path: string): boolean {
  const [pathname = ""] = path.split("?");
  return EDGE.test(pathname) || PHOTO.test(pathname);
}

export class GraphFaces {
  profile: Record<string, unknown> = {};
  username: { username: string; status: string } | null = null;
  suggestions: string[] = [];
  /** Usernames of others, and of other numbers of the same business. */
  readonly taken = { others: new Set<string>(), ours: new Set<string>() };
  /** Whom the number blocks, by what was given: `+` and digits, or a user id. */
  readonly blocked: string[] = [];
  /** When people last wrote, milliseconds, by the same names. Without an entry: now. */
  readonly wroteAt = new Map<string, number>();
  /** Every change that was asked for and taken. */
  readonly changes: { method: string; path: string; body: unknown }[] = [];
  /** Nothing can be read: an error of Meta's. */
  isUnreadable = false;
  /** Lists have pages of this size, whatever is asked for. */
  pageSize = 100;
  blockedMax = 64_000;
  /** Called with each change before it is taken; `lost`: it is not, and the connection ends. */
  arriving: ((given: { method: string; path: string }) => Promise<"taken" | "lost">) | null = null;
  /** The bytes of photos, in the order in which they were set; the last one is shown. */
  readonly photos: Uint8Array[] = [];

  photoAt(path: string): Uint8Array | null {
    const [, index] = PHOTO.exec(path.split("?")[0] ?? "") ?? [];
    return index === undefined ? null : (this.photos[Number(index)] ?? null);
  }

  answer(given: { method: string; path: string; body: unknown }, now: number, host: string): Answered {
    const url = new URL(given.path, host);
    const [, owner, edge] = EDGE.exec(url.pathname) ?? [];
    if (owner === undefined && given.path.startsWith("/v")) return { code: 100, details: given.path };
    const answered = this.#answer(edge ?? "", given.method, { url, body: given.body, now, host });
    if (given.method !== "GET" && !("code" in answered)) this.changes.push(given);
    return answered;
  }

  #answer(edge: string, method: string, asked: { url: URL; body: unknown; now: number; host: string }): Answered {
    const { url, body, now, host } = asked;
    switch (`${method} ${edge}`) {
      case "GET whatsapp_business_profile":
        return this.#showProfile(url, host);
      case "POST whatsapp_business_profile":
        return this.#changeProfile(body);
      case "GET username":
        return { body: this.username ?? {} };
      case "GET username_suggestions":
        return { body: { data: [{ username_suggestions: this.suggestions }] } };
      case "POST username":
        return this.#reserve(body);
      case "DELETE username":
        this.username = null;
        return { body: { success: true } };
      case "GET block_users":
        return this.#listBlocked(url);
      case "POST block_users":
      case "DELETE block_users":
        return this.#block(body, method === "POST", now);
      default:
        return { code: 100, details: `${method} ${edge}` };
    }
  }

  #showProfile(url: URL, host: string): Answered {
    const fields = url.searchParams.get("fields")?.split(",") ?? [];
    const photo = this.photos.length === 0 ? {} : { profile_picture_url: `${host}/photos/${this.photos.length - 1}` };
    const shown = Object.entries({ ...this.profile, ...photo }).filter(([name]) => fields.includes(name));
    return { body: { data: [{ messaging_product: "whatsapp", ...Object.fromEntries(shown) }] } };
  }

  #changeProfile(body: unknown): Answered {
    if (!isObject(body) || body.messaging_product !== "whatsapp") return { code: 100, details: "messaging_product" };
    const { messaging_product: _, websites, vertical, profile_picture_handle: handle, ...texts } = body;
    for (const [name, text] of Object.entries(texts)) {
      const limit = MEMBERS[name as keyof typeof MEMBERS];
      if (limit === undefined) return { code: 100, details: `Unknown member ${name}` };
      const length = typeof text === "string" ? [...text].length : -1;
      if (length < limit.min || length > limit.max)
        return { code: 100, details: `Param ${name} must be ${limit.min} to ${limit.max} characters long` };
    }
    const list = websites ?? [];
    if (!Array.isArray(list) || list.length > 2 || !list.every((one) => isText(one, /^https?:\/\/.{1,250}$/)))
      return { code: 100, details: "Param websites" };
    if (vertical !== undefined && !VERTICALS.includes(String(vertical)))
      return { code: 100, details: "Param vertical" };
    if (handle !== undefined && !isText(handle, /^4::/)) return { code: 100, details: "Param profile_picture_handle" };
    if (handle !== undefined) this.photos.push(jpegOf(this.photos.length));
    Object.assign(
      this.profile,
      texts,
      websites === undefined ? {} : { websites },
      vertical === undefined ? {} : { vertical },
    );
    return { body: { success: true } };
  }

  #reserve(body: unknown): Answered {
    if (!isObject(body) || !isText(body.username, /^(?!\.)(?!.*\.\.)(?=.*[a-z])[a-z0-9._]{3,35}$/i))
      return { code: 100, details: "Param username" };
    const username = String(body.username).toLowerCase();
    if (this.taken.others.has(username)) return { code: 147001, details: "Username is not available" };
    if (this.taken.ours.has(username) && body.transfer_action !== "force_transfer")
      return { code: 147005, details: "Use force_transfer" };
    this.taken.ours.delete(username);
    this.username = { username, status: "reserved" };
    return { body: { status: "reserved" } };
  }

  #listBlocked(url: URL): Answered {
    const start = Number(url.searchParams.get("after") ?? 0);
    const end = start + Math.min(Number(url.searchParams.get("limit") ?? 25), this.pageSize);
    const data = this.blocked.slice(start, end).map((name) => ({
      messaging_product: "whatsapp",
      ...(name.startsWith("+") ? { wa_id: name.slice(1) } : { user_id: name }),
    }));
    const next =
      end < this.blocked.length ? { next: `https://graph.facebook.com/?access_token=leaked&after=${end}` } : {};
    return { body: { data, paging: { cursors: { before: String(start), after: String(end) }, ...next } } };
  }

  /** As Meta does: each person alone is taken or refused, and the answer says which. */
  #block(body: unknown, isBlocking: boolean, now: number): Answered {
    if (!isObject(body) || body.messaging_product !== "whatsapp" || !Array.isArray(body.block_users))
      return { code: 100, details: "block_users" };
    if (body.block_users.length > 64) return { code: 130429, status: 429 };
    const taken: object[] = [];
    const failed: object[] = [];
    for (const one of body.block_users as Loose[]) {
      const name = String(one.user ?? one.user_id);
      const isPerson = one.user === undefined ? /^[A-Z]{2}\.\w+$/.test(name) : /^\+[1-9]\d{6,14}$/.test(name);
      const code = isPerson ? this.#refusalOf(name, isBlocking, now) : 131047;
      const shown = { input: name, ...(name.startsWith("+") ? { wa_id: name.slice(1) } : { user_id: name }) };
      if (code !== null)
        failed.push({ ...shown, errors: [{ code, message: "Failed", error_data: { details: "No" } }] });
      else {
        taken.push(shown);
        const at = this.blocked.indexOf(name);
        if (isBlocking && at < 0) this.blocked.push(name);
        else if (!isBlocking && at >= 0) this.blocked.splice(at, 1);
      }
    }
    const list = {
      [isBlocking ? "added_users" : "removed_users"]: taken,
      ...(failed.length > 0 ? { failed_users: failed } : {}),
    };
    return { body: { messaging_product: "whatsapp", block_users: list } };
  }

  #refusalOf(name: string, isBlocking: boolean, now: number): number | null {
    if (!isBlocking || this.blocked.includes(name)) return null;
    if ((this.wroteAt.get(name) ?? now) <= now - DAY_MS) return 131047;
    return this.blocked.length >= this.blockedMax ? 139101 : null;
  }
}

/** The frame of a square JPEG without a picture: enough for what reads its size. */
export function jpegOf(seed: number, width = 640, height = width): Uint8Array {
  const frame = [0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0];
  return Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, seed & 255, 0, ...frame, 0xff, 0xd9]);
}
