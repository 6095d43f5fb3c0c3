/**
 * The client of the console's API. An answer is `{data}`, a list `{data, meta}`, a refusal `{error}`. A refusal is
 * thrown as `ApiError`, whose message can be shown as it is. When a session has ended the shell is notified, and lets
 * the user sign in over the current page.
 */
const BASE = "/console/api";

export type Json = Record<string, unknown>;

export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0: no answer arrived. */
  readonly status: number;
  readonly code: string;
  /** Messages for each wrong field. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly requestId: string | null;

  constructor(status: number, code: string, message: string, fields = {}, requestId: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.requestId = requestId;
  }
}

export interface Meta {
  page: number;
  per_page: number;
  total: number;
  has_more: boolean;
  next: string | null;
}

interface ListOf<T> {
  data: T[];
  meta: Meta;
}

type Method = "GET" | "POST" | "PUT" | "DELETE";

let onSignedOut: () => void = () => undefined;

/** Sets what happens when the session has ended. */
export function setSignedOutListener(listener: () => void): void {
  onSignedOut = listener;
}

let confirm: () => Promise<boolean> = () => Promise.resolve(false);

/** Sets what asks for the password or a code again; it resolves to whether the user entered it. */
export function setConfirmation(ask: () => Promise<boolean>): void {
  confirm = ask;
}

/**
 * Sends the request, and once more after the user has entered the password again if the server asks for that. `key`: the
 * form's idempotency key, so that a repeated request acts once.
 */
async function ask<T>(method: Method, path: string, body?: Json, key?: string, signal?: AbortSignal): Promise<T> {
  try {
    return await askOnce(method, path, body, key, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "confirmation_required" || !(await confirm())) throw error;
    return askOnce(method, path, body, key, signal);
  }
}

async function askOnce<T>(method: Method, path: string, body?: Json, key?: string, signal?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(BASE + path, {
      method,
      credentials: "same-origin",
      headers: {
        accept: "application/json",
        ...(method === "GET" ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "no_answer", "The server could not be reached. Check the connection, then try again.");
  }
  const answer = (await response.json().catch(() => null)) as (T & { error?: Json }) | null;
  if (response.ok && answer !== null) return answer;
  throw readError(response, answer?.error);
}

function readError(response: Response, error: Json | undefined): ApiError {
  const { status } = response;
  const code = String(error?.code ?? "unreadable");
  const requestId = response.headers.get("x-request-id");
  if (code === "unauthenticated") onSignedOut();
  const message =
    code === "internal_error" || error === undefined
      ? `Something went wrong on the server. Try again. If the error persists, give your operator this number: ${requestId ?? status}.`
      : String(error.message);
  return new ApiError(status, code, message, error?.fields ?? {}, requestId);
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await ask<{ data: T }>("GET", path, undefined, undefined, signal)).data;
}

export function getList<T>(path: string, signal?: AbortSignal): Promise<ListOf<T>> {
  return ask<ListOf<T>>("GET", path, undefined, undefined, signal);
}

export async function send<T>(method: Exclude<Method, "GET">, path: string, body?: Json, key?: string): Promise<T> {
  return (await ask<{ data: T }>(method, path, body, key)).data;
}

/** Uploads a file in one piece. */
export async function sendFile<T>(path: string, file: File): Promise<T> {
  let response: Response;
  try {
    response = await fetch(BASE + path, {
      method: "POST",
      credentials: "same-origin",
      headers: { accept: "application/json", "content-type": "application/octet-stream" },
      body: file,
    });
  } catch {
    throw new ApiError(0, "no_answer", "The upload failed. Check the connection, then try again.");
  }
  const answer = (await response.json().catch(() => null)) as { data: T; error?: Json } | null;
  if (response.ok && answer !== null) return answer.data;
  throw readError(response, answer?.error);
}

/**
 * An idempotency key, created when a form opens. Not `randomUUID`, which is missing on plain HTTP except on localhost.
 */
export function newFormKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A query string such as `?a=1&b=2`, without empty values. */
export function queryText(values: Readonly<Record<string, string | number | boolean | null | undefined>>): string {
  const present = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  if (present.length === 0) return "";
  return `?${new URLSearchParams(present.map(([name, value]) => [name, String(value)]))}`;
}
