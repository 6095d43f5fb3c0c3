/**
 * The client of the console's API. An answer is `{data}`, a list `{data, meta}`, a refusal `{error}`. A refusal is
 * thrown as `ApiError`, whose message can be shown as it is. When a session has ended the shell is notified, and lets
 * the user sign in over the current page.
 */
import { type QueryKey, queryOptions } from "@tanstack/react-query";
import type {
  DataRoute,
  FileRoute,
  FormRoute,
  Input,
  Output,
  Route,
  UploadRoute,
} from "#src/http/endpoints/endpoints.ts";

export type { Body, Entry, Output } from "#src/http/endpoints/endpoints.ts";

/** The position of a page in its list. */
export type Meta = Output<"GET /audit">["meta"];

const BASE = "/console/api";

type Json = Record<string, unknown>;

export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0: no answer arrived. */
  readonly status: number;
  readonly code: string;
  /** Messages for each wrong field. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly requestId: string | null;
  /** Of a request to WhatsApp. `unknown`: it may have been done. */
  readonly outcome: string | null;
  /** All that the answer says of the error. */
  readonly details: Json;

  constructor(
    status: number,
    code: string,
    message: string,
    fields = {},
    requestId: string | null = null,
    outcome: string | null = null,
    details: Json = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.requestId = requestId;
    this.outcome = outcome;
    this.details = details;
  }
}

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

interface Options {
  signal?: AbortSignal;
  /** The form's idempotency key, so that a repeated request acts once. */
  key?: string;
  /** Of the conversation that the user had in sight: if it changed since, the request is refused. */
  version?: string | null;
  /** The id of the user who wrote what is sent: refused with `other_account` if another is signed in now. */
  account?: number;
  /** It is sent even if the page is left. At most 64 KiB of bodies are on their way so. */
  keepalive?: boolean;
}

/**
 * Asks the console's API, and once more after the user has entered the password again if the server asks for that.
 * `route` is the endpoint's name; `input` holds the values of its path, and its `query` and `body`. Resolves
 * to the `data` of the answer; for a list, to `data` and `meta`.
 */
export async function request<Name extends DataRoute>(
  route: Name,
  input: Input<Name>,
  options: Options = {},
): Promise<Output<Name>> {
  try {
    return await requestOnce(route, input, options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "confirmation_required" || !(await confirm())) throw error;
    return requestOnce(route, input, options);
  }
}

/** What a component reads, for `useQuery`: alone, or with the options that it needs beside. */
export function reading<Name extends DataRoute>(route: Name, input: Input<Name>, queryKey: QueryKey) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => request(route, input, { signal }) });
}

async function requestOnce<Name extends DataRoute>(
  route: Name,
  input: Input<Name>,
  { signal, key, version = null, account, keepalive = false }: Options,
): Promise<Output<Name>> {
  const isChange = methodOf(route) !== "GET";
  const response = await send(route, input, {
    ...(signal === undefined ? {} : { signal }),
    keepalive,
    headers: {
      accept: "application/json",
      ...(isChange ? { "content-type": "application/json" } : {}),
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...(version === null ? {} : { "if-match": version }),
      ...accountHeader(account),
    },
    ...(isChange ? { body: JSON.stringify((input as RequestParts).body ?? {}) } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "no_answer", "The server could not be reached. Check the connection, then try again.");
  });
  return readAnswer<Name>(response);
}

/** Uploads a file, or a piece of one. */
export async function upload<Name extends UploadRoute>(
  route: Name,
  input: Input<Name>,
  file: Blob,
  { signal, account }: Pick<Options, "signal" | "account"> = {},
): Promise<Output<Name>> {
  const response = await send(route, input, {
    ...(signal === undefined ? {} : { signal }),
    headers: { accept: "application/json", "content-type": "application/octet-stream", ...accountHeader(account) },
    body: file,
  }).catch(() => {
    throw new ApiError(0, "no_answer", "The upload failed. Check the connection, then try again.");
  });
  return readAnswer<Name>(response);
}

function accountHeader(account: number | undefined): Record<string, string> {
  return account === undefined ? {} : { "waxwing-account": String(account) };
}

interface FormOptions extends Pick<Options, "account"> {
  signal: AbortSignal;
  /** The part of the form that is on its way: 0 to 1. */
  onProgress: (part: number) => void;
}

/** Uploads a file as a form, and reports how much of it has left: `fetch` cannot. */
export function uploadForm<Name extends FormRoute>(
  route: Name,
  input: Input<Name>,
  file: File,
  { signal, account, onProgress }: FormOptions,
): Promise<Output<Name>> {
  const form = new FormData();
  form.append("file", file);
  const sent = new Promise<Response>((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const fail = () => reject(new ApiError(0, "no_answer", "The upload failed. Check the connection, then try again."));
    xhr.open(methodOf(route), pathOf(route, input));
    const headers = { accept: "application/json", ...accountHeader(account) };
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    xhr.onload = () => {
      const requestId = xhr.getResponseHeader("x-request-id");
      const answered = requestId === null ? {} : { "x-request-id": requestId };
      resolve(new Response(xhr.responseText, { status: xhr.status, headers: answered }));
    };
    xhr.onerror = fail;
    xhr.onabort = fail;
    if (signal.aborted) fail();
    else {
      signal.addEventListener("abort", () => xhr.abort());
      xhr.send(form);
    }
  });
  return sent.then((response) => readAnswer<Name>(response));
}

/** The address of a download or a stream. */
export function addressOf<Name extends FileRoute>(route: Name, input: Input<Name>): string {
  return pathOf(route, input);
}

type RequestParts = Record<string, unknown> & { query?: Record<string, unknown>; body?: unknown };

function send(route: Route, input: object, init: RequestInit): Promise<Response> {
  return fetch(pathOf(route, input), { ...init, method: methodOf(route), credentials: "same-origin" });
}

function methodOf(route: Route): string {
  return route.slice(0, route.indexOf(" "));
}

function pathOf(route: Route, input: object): string {
  const { query, body: _, ...values } = input as RequestParts;
  const path = route
    .slice(route.indexOf("/"))
    .replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(String(values[name])));
  const asked = Object.entries(query ?? {}).filter(([, value]) => value != null && value !== "");
  if (asked.length === 0) return BASE + path;
  return `${BASE}${path}?${new URLSearchParams(asked.map(([name, value]) => [name, String(value)]))}`;
}

/** The server vouches for the form of its answers: its tests compare each of them with its declaration. */
async function readAnswer<Name extends DataRoute>(response: Response): Promise<Output<Name>> {
  const answer = (await response.json().catch(notJson)) as { data?: unknown; meta?: unknown; error?: Json } | null;
  if (!response.ok || answer === null) throw readError(response, answer?.error);
  return (answer.meta === undefined ? answer.data : answer) as Output<Name>;
}

/** After an answer that broke off, it is not known whether the server acted. */
function notJson(error: unknown): null {
  if (error instanceof SyntaxError) return null;
  throw new ApiError(0, "no_answer", "The answer of the server did not arrive. Check the connection, then try again.");
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
  const outcome = typeof error?.outcome === "string" ? error.outcome : null;
  return new ApiError(status, code, message, error?.fields ?? {}, requestId, outcome, error);
}

/**
 * An idempotency key, created when a form opens. Not `randomUUID`, which is missing on plain HTTP except on localhost.
 */
export function newFormKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
