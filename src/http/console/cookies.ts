/**
 * The console's cookies: the session and the known device, which scripts cannot read, and the theme, with which the page
 * is rendered.
 */
import { DEVICE_LIFETIME_MS, SESSION_LIFETIME_MS } from "#src/domain/users/user.ts";

const themes = ["light", "dark"] as const;
type Theme = (typeof themes)[number];

const THEME = "waxwing-theme";
const YEAR_S = 365 * 24 * 60 * 60;

/** Over HTTPS the `__Host-` prefix guarantees that no other host and no unencrypted connection has set the cookie. */
function sessionName(isSecure: boolean): string {
  return isSecure ? "__Host-waxwing" : "waxwing";
}

export function readSessionCookie(headers: Headers, isSecure: boolean): string | null {
  return readCookie(headers, sessionName(isSecure));
}

export function sessionCookie(token: string, isSecure: boolean): string {
  const age = Math.floor(SESSION_LIFETIME_MS / 1000);
  return `${sessionName(isSecure)}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

export function endedSessionCookie(isSecure: boolean): string {
  return `${sessionName(isSecure)}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

/** One for each account, so that users who share a browser do not replace each other's. */
function deviceName(isSecure: boolean, userId: number): string {
  return `${isSecure ? "__Host-" : ""}waxwing-device-${userId}`;
}

export function readDeviceCookie(headers: Headers, isSecure: boolean, userId: number): string | null {
  return readCookie(headers, deviceName(isSecure, userId));
}

export function deviceCookie(token: string, isSecure: boolean, userId: number): string {
  const age = Math.floor(DEVICE_LIFETIME_MS / 1000);
  return `${deviceName(isSecure, userId)}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

/** Null: follow the system's theme. */
export function readTheme(headers: Headers): Theme | null {
  const value = readCookie(headers, THEME);
  return themes.find((theme) => theme === value) ?? null;
}

export function themeCookie(theme: Theme | null, isSecure: boolean): string {
  const age = theme === null ? 0 : YEAR_S;
  return `${THEME}=${theme ?? ""}; Path=/console; Max-Age=${age}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

function readCookie(headers: Headers, name: string): string | null {
  for (const part of (headers.get("cookie") ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at !== -1 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim() || null;
  }
  return null;
}
