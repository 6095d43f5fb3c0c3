/** A shop with one number that others may answer too, and what reaches it of one person. */
import { getNumber } from "#src/domain/numbers/read.ts";
import { fakeNetwork } from "./fake-network.ts";
import { inboundItem, report } from "./report.ts";
import { startTestServer } from "./server.ts";
import { orderShipped } from "./templates.ts";

export const ANNA = "+919876543210";

const seconds = (ms: number): string => String(Math.floor(ms / 1000));

interface At {
  /** How long ago by the network's time. */
  agoMs?: number;
  id?: string;
}

export async function startThreads() {
  const network = fakeNetwork();
  const app = await startTestServer({ networks: { simulator: network } });
  const shop = await app.workspace({});
  await app.template(shop, orderShipped);
  const now = () => app.clock.now();
  const call = (method: string, path: string, body?: object) =>
    app.call(method, `/api/v1${path}`, { key: shop.key, ...(body === undefined ? {} : { body }) });
  const contact = async () => (await call("GET", `/contacts/${ANNA}`)).body.data;
  let count = 0;
  const item = ({ agoMs = 0, id }: At, text: string, from = ANNA.slice(1)) =>
    inboundItem({ from, text, at: now() - agoMs, id: id ?? `wamid.thread-${++count}` }, 0);
  return {
    ...{ app, shop, network, call, contact },
    writes: ({ text = "Hello", ...at }: At & { text?: string } = {}) =>
      report(app, shop, { messages: [item(at, text)] }),
    /** The person writes while another sender has the thread. */
    standby: ({ text = "Hello", ...at }: At & { text?: string } = {}) =>
      report(app, shop, { standby: { messages: [item(at, text)] } }, "standby"),
    echo: (at: At = {}, field = "smb_message_echoes") => {
      const sent = { ...item(at, "We are open", shop.number?.slice(1)), to: ANNA.slice(1) };
      const value = field === "standby" ? { standby: { message_echoes: [sent] } } : { message_echoes: [sent] };
      return report(app, shop, value, field);
    },
    handover: (type: "control_passed" | "control_taken", { agoMs = 0, to = "" }: At & { to?: string } = {}) => {
      const { phoneNumberId } = app.store.read((tx) => getNumber(tx, shop.numberId));
      const roles = type === "control_passed" ? ["ai_agent", "escalation"] : ["escalation", "ai_agent"];
      const value = {
        recipient: { display_phone_number: shop.number?.slice(1), phone_number_id: phoneNumberId },
        sender: { phone_number: ANNA.slice(1) },
        ...{ timestamp: seconds(now() - agoMs), type },
        [type]: { previous_owner_role: roles[0], new_owner_role: to === "" ? roles[1] : to },
      };
      return report(app, shop, value, "messaging_handovers");
    },
    owner: async () => (await contact()).threads[0]?.owner ?? null,
    send: async (more: object = {}) => {
      const { body } = await call("POST", "/messages", { to: ANNA, text: "Hello", ...more });
      return body.error?.code ?? "sent";
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}
