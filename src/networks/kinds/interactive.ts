/** A body with an action: Meta has a type and a form of its own for each. Pure. */
import type { InteractiveContent } from "#src/domain/messages/kinds/interactive.ts";
import { type NetworkIds, type NetworkKind, sourceOf } from "./kind.ts";

type Given = InteractiveContent["interactive"];
interface Action {
  type: string;
  action: Readonly<Record<string, unknown>>;
}

export const interactive: NetworkKind<InteractiveContent> = {
  payload: ({ interactive: given }, known) => {
    const { type, action } = actionOf(given);
    const { header, body, footer } = given;
    return {
      type: "interactive",
      interactive: {
        type,
        ...(header === undefined ? {} : { header: headerOf(header, known) }),
        body: { text: body },
        ...(footer === undefined ? {} : { footer: { text: footer } }),
        action,
      },
    };
  },
  linkOf: ({ interactive: { header } }) => (typeof header === "object" ? header.link : null),
};

function headerOf(header: NonNullable<Given["header"]>, known: NetworkIds) {
  if (typeof header === "string") return { type: "text", text: header };
  const { type, link, id: uploadId, ...more } = header;
  return { type, [type]: { ...sourceOf({ link, uploadId }, known), ...more } };
}

function actionOf({ buttons, list, link, address, flow }: Given): Action {
  if (buttons !== undefined) {
    return { type: "button", action: { buttons: buttons.map((reply) => ({ type: "reply", reply })) } };
  }
  if (list !== undefined) return { type: "list", action: { ...list } };
  if (link !== undefined) {
    return { type: "cta_url", action: { name: "cta_url", parameters: { display_text: link.title, url: link.url } } };
  }
  if (address !== undefined) {
    return { type: "address_message", action: { name: "address_message", parameters: address } };
  }
  if (flow !== undefined) return { type: "flow", action: { name: "flow", parameters: flowOf(flow) } };
  return { type: "location_request_message", action: { name: "send_location" } };
}

/** Without a screen, the flow begins at its first one. */
function flowOf({ id, cta, token, screen, data }: NonNullable<Given["flow"]>) {
  const payload = { screen, ...(data === undefined ? {} : { data }) };
  return {
    flow_message_version: "3",
    flow_id: id,
    flow_cta: cta,
    ...(token === undefined ? {} : { flow_token: token }),
    flow_action: "navigate",
    ...(screen === undefined ? {} : { flow_action_payload: payload }),
  };
}
