/** Templates: the components of Meta's request. Pure. */
import type { MediaHeader, PlaceholderValue, TemplateContent, TextHeader } from "#src/domain/messages/content.ts";
import { type MediaSource, type NetworkKind, sourceOf } from "./kind.ts";

interface TemplatePayload {
  name: string;
  language: { code: string };
  components?: Component[];
}

type Component =
  | { type: "header" | "body"; parameters: Parameter[] }
  | { type: "button"; sub_type: "url"; index: string; parameters: Parameter[] };

type Parameter =
  | { type: "text"; text: string; parameter_name?: string }
  | { type: "image"; image: MediaSource }
  | { type: "video"; video: MediaSource }
  | { type: "document"; document: MediaSource & { filename?: string } };

export const template: NetworkKind<TemplateContent> = {
  payload: (content, { mediaId }) => ({ type: "template", template: templateOf(content, mediaId) }),
  linkOf: ({ header }) => (header === null || header.type === "text" ? null : header.link),
  needsPhone: ({ oneTimePassword }) => oneTimePassword !== null,
};

function templateOf(content: TemplateContent, mediaId: string | null): TemplatePayload {
  const components = componentsOf(content, mediaId);
  return {
    name: content.name,
    language: { code: content.language },
    ...(components.length > 0 ? { components } : {}),
  };
}

/** Omits a component without values: Meta counts parameters, and rejects an empty list as a wrong count. */
function componentsOf({ header, body, oneTimePassword }: TemplateContent, mediaId: string | null): Component[] {
  const components: Component[] = [];
  const headerParameters = header === null ? [] : headerParametersOf(header, mediaId);
  if (headerParameters.length > 0) components.push({ type: "header", parameters: headerParameters });
  if (body.length > 0) components.push({ type: "body", parameters: body.map(textParameter) });
  if (oneTimePassword !== null) {
    // Created as an OTP button, but filled like a URL button whose suffix is the code.
    components.push({
      type: "button",
      sub_type: "url",
      index: String(oneTimePassword.index),
      parameters: [{ type: "text", text: oneTimePassword.code }],
    });
  }
  return components;
}

function headerParametersOf(header: TextHeader | MediaHeader, mediaId: string | null): Parameter[] {
  if (header.type === "text") return header.values.map(textParameter);
  const source = sourceOf(header.link, mediaId);
  switch (header.type) {
    case "image":
      return [{ type: "image", image: source }];
    case "video":
      return [{ type: "video", video: source }];
    case "document":
      return [
        {
          type: "document",
          document: { ...source, ...(header.filename === null ? {} : { filename: header.filename }) },
        },
      ];
  }
}

function textParameter(value: PlaceholderValue): Parameter {
  return { type: "text", text: value.text, ...(value.name === null ? {} : { parameter_name: value.name }) };
}
