/**
 * Gives templates to Meta: creates, corrects and deletes them, and uploads the files that are their samples. Each request
 * is sent once; what its answer proves decides whether anything was done.
 */
import { targetOf } from "#src/net/target.ts";
import type { Exchange, ExchangeRequest, Transport } from "#src/net/transport.ts";
import type { AccountPort, Sender, TemplatePort, UploadFile } from "../network.ts";
import { newTemplateJson, type Submitted } from "../template-request.ts";
import { describeCode, type GraphError, quoteNetwork, readGraphError } from "./errors.ts";
import {
  asObject,
  idOf,
  type JsonObject,
  memberOf,
  objectOf,
  parseJson,
  sentenceOf,
  stringOf,
  textOf,
} from "./json.ts";
import { type Endpoint, endpointOf } from "./profile.ts";
import { findHeaders, poolOf, urlOf, withProof } from "./request.ts";
import type { WhatsappSettings } from "./settings.ts";

/** Meta checks a template before it answers. */
const TIMEOUT_MS = 30_000;
/** A file may be large and the connection slow. */
const UPLOAD_TIMEOUT_MS = 180_000;

/** Meta limits our requests: nothing was done. */
const LATER_CODES: ReadonlySet<number> = new Set([4, 17, 32, 341, 613, 80007, 80008, 80014]);
/** Meta is in trouble, and does not say whether it did anything. */
const TROUBLE_CODES: ReadonlySet<number> = new Set([1, 2, 131016]);
/** Codes of this range say what is wrong with a template; Meta gives them as a subcode of a general code. */
const TEMPLATE_CODES = { from: 2_388_000, to: 2_389_000 };

type Asked = Pick<ExchangeRequest, "method" | "body"> & {
  headers?: Readonly<Record<string, string>>;
  timeoutMs?: number;
};

export function createTemplatePort(
  settings: WhatsappSettings,
  transport: Transport,
  { listTemplates: list, listLibrary }: Pick<AccountPort, "listTemplates" | "listLibrary">,
): TemplatePort {
  async function ask(sender: Sender, url: string, { headers: more = {}, timeoutMs = TIMEOUT_MS, ...asked }: Asked) {
    const endpoint = endpointOf(settings, sender);
    const headers = findHeaders(endpoint, sender.accessToken);
    if (headers === null) return refused("190", describeCode("190"));
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    const target = targetOf(withProof(url, endpoint, sender), { headers, secret: sender.accessToken });
    return readAnswer(await transport.exchange({ ...asked, target, timeoutMs, pool: poolOf(sender) }));
  }

  function post(sender: Sender, owner: string, edge: string, body: unknown) {
    const url = urlOf(endpointOf(settings, sender), owner, edge);
    const headers = { "content-type": "application/json" };
    return ask(sender, url, { method: "POST", headers, body: JSON.stringify(body) });
  }

  return {
    list,
    listLibrary,

    async create(sender, request) {
      const answer = await post(sender, sender.accountId, "message_templates", newTemplateJson(request));
      if (answer.kind !== "accepted") return answer;
      const networkId = idOf(answer.value, "id");
      if (networkId === null) return unreadable();
      const status = (textOf(answer.value, "status") ?? "PENDING").toUpperCase();
      const category = (textOf(answer.value, "category") ?? request.category).toUpperCase();
      return { ...answer, value: { networkId, status, category } };
    },

    async correct(sender, networkId, request) {
      return done(await post(sender, networkId, "", request));
    },

    async remove(sender, name, networkId) {
      const query = new URLSearchParams({ name, ...(networkId === null ? {} : { hsm_id: networkId }) });
      const url = `${urlOf(endpointOf(settings, sender), sender.accountId, "message_templates")}?${query}`;
      return done(await ask(sender, url, { method: "DELETE" }));
    },

    async uploadSample(sender, file) {
      const endpoint = endpointOf(settings, sender);
      if (endpoint.pathStyle !== "graph") {
        return refused("no_uploads", "The number's provider takes no samples. Add the template in its own pages.");
      }
      const query = new URLSearchParams({
        file_name: file.name,
        file_length: String(file.bytes),
        file_type: file.contentType,
      });
      const begun = await ask(sender, `${urlOf(endpoint, "app", "uploads")}?${query}`, { method: "POST", body: "" });
      if (begun.kind !== "accepted") return begun;
      const session = sessionIn(begun.value);
      return session === null ? unreadable() : sendFile(sender, endpoint, session, file);
    },
  };

  /** `session` has a query of its own. */
  async function sendFile(
    sender: Sender,
    endpoint: Endpoint,
    session: string,
    file: UploadFile,
  ): Promise<Submitted<{ handle: string }>> {
    const url = `${urlOf(endpoint, "app", "").replace(/app$/, "")}${session}`;
    const answer = await ask(sender, url, {
      method: "POST",
      headers: { authorization: `OAuth ${sender.accessToken ?? ""}`, file_offset: "0" },
      body: { bytes: file.bytes, read: file.read },
      timeoutMs: UPLOAD_TIMEOUT_MS,
    });
    if (answer.kind !== "accepted") return answer;
    const handle = stringOf(answer.value, "h");
    return handle === null || handle === "" ? unreadable() : { ...answer, value: { handle } };
  }
}

function sessionIn(answer: JsonObject): string | null {
  const id = stringOf(answer, "id");
  return id !== null && /^upload:[\w\-.~%:=?&+/]{1,2000}$/.test(id) ? id : null;
}

function done(answer: Submitted<JsonObject>): Submitted<null> {
  if (answer.kind !== "accepted") return answer;
  return memberOf(answer.value, "success") === false ? unreadable() : { ...answer, value: null };
}

function readAnswer(result: Exchange): Submitted<JsonObject> {
  if (result.kind === "unreachable") return later(`WhatsApp cannot be reached: ${result.reason}.`);
  if (result.kind === "lost") return { kind: "unknown", message: `WhatsApp did not answer: ${result.reason}.` };
  const error = readGraphError(result.body);
  const value = asObject(parseJson(result.body));
  if (error !== null) return refusalOf(result.status, error, objectOf(value, "error"));
  if (result.ok && value !== null) return { kind: "accepted", value, at: result.at };
  // A proxy, or a provider's own refusal: below 500 it says that the request went no further.
  if (result.status >= 400 && result.status < 500) {
    return refused(`HTTP ${result.status}`, `The answer was HTTP ${result.status} and could not be read.`);
  }
  return { kind: "unknown", message: `The answer was HTTP ${result.status} and could not be read.` };
}

/** Next to the error itself, Meta explains to a person what is wrong with a template. */
function refusalOf(status: number, error: GraphError, given: JsonObject | null): Submitted<never> {
  const { code, subcode } = error;
  if (LATER_CODES.has(code)) return later(describeCode(String(code)));
  const isAboutTemplate = subcode !== null && subcode >= TEMPLATE_CODES.from && subcode < TEMPLATE_CODES.to;
  if (TROUBLE_CODES.has(code) || (status >= 500 && !isAboutTemplate)) {
    return { kind: "unknown", message: describeCode(String(code)) };
  }
  const words = sentenceOf(given, "error_user_msg") ?? error.details;
  const message = words === null ? describeCode(String(code)) : quoteNetwork(words);
  return refused(String(isAboutTemplate ? subcode : code), message);
}

function refused(code: string, message: string): Extract<Submitted<never>, { kind: "refused" }> {
  return { kind: "refused", code, message };
}

function later(message: string): Extract<Submitted<never>, { kind: "later" }> {
  return { kind: "later", message, retryAfterMs: null };
}

function unreadable(): Extract<Submitted<never>, { kind: "unknown" }> {
  return { kind: "unknown", message: "The answer has an unexpected form." };
}
