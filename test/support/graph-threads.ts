/** The fake Cloud API's thread control: as strict about a request as Meta's. */
import type { Refusal } from "./graph.ts";
import { isObject, isText, type Loose } from "./graph-components.ts";

const MEMBERS = ["messaging_product", "to", "recipient", "action", "metadata", "control_pass"];

export class GraphThreads {
  /** The business chose this app as the escalation partner of the number: only then may it take threads. */
  isEscalationPartner = true;
  /** Every call that was applied, with the path that it was posted to. */
  readonly calls: { path: string; body: Loose }[] = [];

  /** Null: it is done. */
  take(path: string, body: unknown): Refusal | null {
    if (!/^(\/v\d+\.\d\/\d+)?\/thread_control$/.test(path)) return { code: 100, details: path };
    if (!isObject(body)) return { code: 100, details: "The body is not a JSON object" };
    const unknown = Object.keys(body).filter((name) => !MEMBERS.includes(name));
    if (unknown.length > 0) return { code: 100, details: `Unknown members: ${unknown.join(", ")}` };
    const { messaging_product: product, to, recipient, action, control_pass: pass } = body;
    if (product !== "whatsapp") return { code: 100, details: "messaging_product" };
    if ((to === undefined) === (recipient === undefined)) return { code: 100, details: "one of to and recipient" };
    if (to !== undefined && !isText(to, /^\+[1-9]\d{6,14}$/)) return { code: 131009, details: "to" };
    if (recipient !== undefined && !isText(recipient, /^[A-Z]{2}\.\w{1,128}$/))
      return { code: 131009, details: "recipient" };
    if (!["take", "release", "pass"].includes(String(action))) return { code: 100, details: "action" };
    if (pass !== undefined && (action !== "pass" || !isObject(pass) || pass.target_role !== "ai_agent"))
      return { code: 100, details: "control_pass" };
    if (action === "take" && !this.isEscalationPartner) return { code: 2494191, details: "Not the escalation partner" };
    this.calls.push({ path, body });
    return null;
  }
}
