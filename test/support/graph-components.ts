/**
 * What the fake Cloud API takes as components of a template message, by Meta's pages below `templates/`: each component has
 * the parameters of its kind, never an empty list, and each parameter the member that its type names.
 */
export type Loose = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}

export function areComponents(value: unknown): value is Loose[] {
  return Array.isArray(value) && value.every(isComponent);
}

function isComponent(component: unknown): boolean {
  if (!isObject(component)) return false;
  if (component.type === "carousel") return isCarousel(component.cards);
  if (component.type === "button") return isButton(component);
  const parameters = listOf(component);
  if (component.type === "header") return isOne(parameters, (one) => isParameter(one, HEADER_TYPES));
  if (component.type === "body") return parameters.length > 0 && parameters.every((one) => isParameter(one, ["text"]));
  if (component.type !== "limited_time_offer") return false;
  return isOne(parameters, (one) => isParameter(one, ["limited_time_offer"]));
}

const HEADER_TYPES = ["text", "image", "video", "document", "location", "product"];

/** By the kind of the button, the type of its only parameter. */
const BUTTON_TYPES: Readonly<Record<string, string>> = {
  url: "text",
  quick_reply: "payload",
  copy_code: "coupon_code",
  flow: "action",
  catalog: "action",
  mpm: "action",
  order_details: "action",
};

function isButton(component: Loose): boolean {
  const kind = String(component.sub_type).toLowerCase();
  if (!isText(component.index, /^\d$/)) return false;
  if (kind === "catalog" && component.parameters === undefined) return true;
  const type = BUTTON_TYPES[kind];
  if (type === undefined) return false;
  return isOne(
    listOf(component),
    (one) => isParameter(one, [type]) && (type !== "action" || isAction(kind, one.action)),
  );
}

function isAction(kind: string, action: unknown): boolean {
  if (!isObject(action)) return false;
  const hasThumbnail = isText(action.thumbnail_product_retailer_id, /^.{1,100}$/);
  switch (kind) {
    case "flow":
      return isText(action.flow_token, /^.+$/);
    case "catalog":
      return hasThumbnail;
    case "mpm":
      return (
        hasThumbnail &&
        Array.isArray(action.sections) &&
        action.sections.length <= 10 &&
        action.sections.every(isSection)
      );
    default:
      return isObject(action.order_details) && isText(action.order_details.reference_id, /^.{1,35}$/);
  }
}

function isSection(section: unknown): boolean {
  if (!isObject(section) || !Array.isArray(section.product_items)) return false;
  if (section.title !== undefined && !isText(section.title, /^.{1,24}$/)) return false;
  return section.product_items.every((item) => isObject(item) && isText(item.product_retailer_id, /^.+$/));
}

function isCarousel(cards: unknown): boolean {
  if (!Array.isArray(cards) || cards.length < 2 || cards.length > 10) return false;
  return cards.every(
    (card, index) =>
      isObject(card) &&
      card.card_index === index &&
      areComponents(card.components) &&
      card.components.every(({ type }) => type === "header" || type === "body" || type === "button") &&
      card.components.some(({ type }) => type === "header"),
  );
}

function isParameter(parameter: unknown, types: readonly string[]): parameter is Loose {
  if (!isObject(parameter) || !types.includes(String(parameter.type))) return false;
  switch (parameter.type) {
    case "text":
      return isText(parameter.text, /^[^\n\t]+$/);
    case "payload":
      return isText(parameter.payload, /^.{1,256}$/);
    case "coupon_code":
      return isText(parameter.coupon_code, /^[A-Za-z0-9]{1,20}$/);
    case "action":
      return isObject(parameter.action);
    case "location": {
      const { location } = parameter;
      const degrees = /^-?\d+(\.\d+)?$/;
      return isObject(location) && isText(location.latitude, degrees) && isText(location.longitude, degrees);
    }
    case "product": {
      const { product } = parameter;
      return isObject(product) && isText(product.product_retailer_id, /./) && isText(product.catalog_id, /./);
    }
    case "limited_time_offer": {
      const { limited_time_offer: offer } = parameter;
      return isObject(offer) && Number.isSafeInteger(offer.expiration_time_ms);
    }
    default:
      return isFile(parameter);
  }
}

function isFile(parameter: Loose): boolean {
  const media = parameter[String(parameter.type)];
  if (!isObject(media) || (media.link === undefined) === (media.id === undefined)) return false;
  if (media.id === undefined ? !isText(media.link, /^https:\/\//) : !isText(media.id, /^\d{5,30}$/)) return false;
  return media.filename === undefined || parameter.type === "document";
}

function listOf({ parameters }: Loose): unknown[] {
  return Array.isArray(parameters) ? parameters : [];
}

function isOne(parameters: readonly unknown[], is: (one: Loose) => boolean): boolean {
  const [one, ...others] = parameters;
  return others.length === 0 && isObject(one) && is(one);
}
