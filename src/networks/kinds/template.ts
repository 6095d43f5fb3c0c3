/** Templates: the components of Meta's request. Pure. */
import type {
  ButtonContent,
  CardContent,
  PlaceholderValue,
  ProductHeader,
  TemplateContent,
} from "#src/domain/messages/content.ts";
import { type MediaSource, type NetworkIds, type NetworkKind, sourceOf } from "./kind.ts";
import { degrees } from "./location.ts";

interface TemplatePayload {
  name: string;
  language: { code: string };
  components?: (Component | Carousel)[];
}

interface Carousel {
  type: "carousel";
  cards: { card_index: number; components: Component[] }[];
}

type Component =
  | { type: "header" | "body" | "limited_time_offer"; parameters: Parameter[] }
  | { type: "button"; sub_type: string; index: string; parameters?: Parameter[] };

type Parameter =
  | { type: "text"; text: string; parameter_name?: string }
  | { type: "image"; image: MediaSource }
  | { type: "video"; video: MediaSource }
  | { type: "document"; document: MediaSource & { filename?: string } }
  | { type: "location"; location: object }
  | { type: "product"; product: { product_retailer_id: string; catalog_id: string } }
  | { type: "limited_time_offer"; limited_time_offer: { expiration_time_ms: number } }
  | { type: "payload"; payload: string }
  | { type: "coupon_code"; coupon_code: string }
  | { type: "action"; action: object };

export const template: NetworkKind<TemplateContent> = {
  payload: (content, known) => ({ type: "template", template: templateOf(content, known) }),
  linkOf: ({ header }) => (header !== null && "link" in header ? header.link : null),
  needsPhone: ({ oneTimePassword }) => oneTimePassword !== null,
};

function templateOf(content: TemplateContent, known: NetworkIds): TemplatePayload {
  const components = componentsOf(content, known);
  return {
    name: content.name,
    language: { code: content.language },
    ...(components.length > 0 ? { components } : {}),
  };
}

/** Omits a component without values: Meta counts parameters, and rejects an empty list as a wrong count. */
function componentsOf(content: TemplateContent, known: NetworkIds): (Component | Carousel)[] {
  const { header, body, oneTimePassword, offerEndsAt, buttons = [], cards } = content;
  const components: (Component | Carousel)[] = [];
  const headerParameters = header === null ? [] : headerParametersOf(header, known);
  if (headerParameters.length > 0) components.push({ type: "header", parameters: headerParameters });
  if (body.length > 0) components.push(bodyOf(body));
  if (offerEndsAt !== undefined) {
    const parameter = { type: "limited_time_offer", limited_time_offer: { expiration_time_ms: offerEndsAt } } as const;
    components.push({ type: "limited_time_offer", parameters: [parameter] });
  }
  if (oneTimePassword !== null) {
    // Created as an OTP button, but filled like a URL button whose suffix is the code.
    const { index, code: value } = oneTimePassword;
    components.push(buttonOf({ gives: "link", index, value }));
  }
  components.push(...buttons.map(buttonOf));
  if (cards !== undefined) {
    // The sample, if there is one, is of the header.
    const ofCards = { ...known, sampleId: null };
    components.push({
      type: "carousel",
      cards: cards.map((card, index) => ({ card_index: index, components: cardComponentsOf(card, ofCards) })),
    });
  }
  return components;
}

function cardComponentsOf({ header, body, buttons }: CardContent, known: NetworkIds): Component[] {
  return [
    { type: "header", parameters: headerParametersOf(header, known) },
    ...(body.length > 0 ? [bodyOf(body)] : []),
    ...buttons.map(buttonOf),
  ];
}

function bodyOf(values: readonly PlaceholderValue[]): Component {
  return { type: "body", parameters: values.map(textParameter) };
}

function buttonOf(button: ButtonContent): Component {
  const named = { type: "button", index: String(button.index) } as const;
  switch (button.gives) {
    case "link":
      return { ...named, sub_type: "url", parameters: [{ type: "text", text: button.value }] };
    case "code":
      return { ...named, sub_type: "copy_code", parameters: [{ type: "coupon_code", coupon_code: button.value }] };
    case "payload":
      return { ...named, sub_type: "quick_reply", parameters: [{ type: "payload", payload: button.value }] };
    case "flow":
      return { ...named, sub_type: "flow", parameters: [{ type: "action", action: { flow_token: button.value } }] };
    case "catalog": {
      // Without parameters, Meta shows the picture of the catalogue's first product.
      const { thumbnail } = button;
      const action = { thumbnail_product_retailer_id: thumbnail };
      return {
        ...named,
        sub_type: "CATALOG",
        ...(thumbnail === null ? {} : { parameters: [{ type: "action", action }] }),
      };
    }
    case "products": {
      const sections = button.sections.map(({ title, items }) => ({
        ...(title === null ? {} : { title }),
        product_items: items.map((item) => ({ product_retailer_id: item })),
      }));
      const action = { thumbnail_product_retailer_id: button.thumbnail, sections };
      return { ...named, sub_type: "mpm", parameters: [{ type: "action", action }] };
    }
    case "order": {
      const action = { order_details: button.details };
      return { ...named, sub_type: "order_details", parameters: [{ type: "action", action }] };
    }
  }
}

function headerParametersOf(header: NonNullable<TemplateContent["header"]>, known: NetworkIds): Parameter[] {
  switch (header.type) {
    case "text":
      return header.values.map(textParameter);
    case "location": {
      const { latitude, longitude, ...more } = header.location;
      const location = { latitude: degrees(latitude), longitude: degrees(longitude), ...more };
      return [{ type: "location", location }];
    }
    case "product":
      return [productParameter(header)];
    case "image":
      return [{ type: "image", image: sourceOf(header, known) }];
    case "video":
      return [{ type: "video", video: sourceOf(header, known) }];
    case "document": {
      const name = header.filename === null ? {} : { filename: header.filename };
      return [{ type: "document", document: { ...sourceOf(header, known), ...name } }];
    }
  }
}

function productParameter({ productId, catalogId }: ProductHeader): Parameter {
  return { type: "product", product: { product_retailer_id: productId, catalog_id: catalogId } };
}

function textParameter(value: PlaceholderValue): Parameter {
  return { type: "text", text: value.text, ...(value.name === null ? {} : { parameter_name: value.name }) };
}
