/**
 * What Meta takes in the components of a template: the members of each, and the limit of each. As `limits.ts`, it shares
 * nothing with what the API checks. `from` names the page of Meta's documentation, below `whatsapp/`.
 */
import { file, list, needed, object, optional, type Shape, shapes, UNLIMITED, words } from "./limits.ts";

const TEMPLATES = "messages/template-messages";
const CAROUSEL = "templates/marketing-templates/media-card-carousel-templates";
const PRODUCT_CARDS = "templates/marketing-templates/product-card-carousel-templates";
const PRODUCTS = "templates/marketing-templates/mpm-templates";
const CATALOG = "templates/marketing-templates/catalog-templates";
const OFFER = "templates/marketing-templates/limited-time-offer-templates";
const COUPON = "templates/marketing-templates/coupon-templates";
const ORDER = "payments/payments-in/orderdetailstemplate";

const type = (from: string, ...taken: string[]): Shape => ({ is: "word", words: taken, from });

const textOf = (text: Shape): Shape =>
  object(TEMPLATES, {
    type: needed(type(TEMPLATES, "text")),
    text: needed(text),
    parameter_name: optional(words(UNLIMITED, TEMPLATES)),
  });
/** Blank values have a code of their own, in `evaluate-template.ts`. */
const textParameter = textOf({ ...words(UNLIMITED, TEMPLATES), isBlank: true } as Shape);

function parameter(name: string, shape: Shape, from: string): Shape {
  return object(from, { type: needed(type(from, name)), [name]: needed(shape) });
}

const product = object(PRODUCT_CARDS, {
  product_retailer_id: needed(words(UNLIMITED, PRODUCT_CARDS)),
  catalog_id: needed(words(UNLIMITED, PRODUCT_CARDS)),
});

const headerParameters: Readonly<Record<string, Shape>> = {
  text: textParameter,
  image: parameter("image", file("image"), TEMPLATES),
  video: parameter("video", file("video"), TEMPLATES),
  document: parameter("document", file("document", { filename: optional(words(UNLIMITED, TEMPLATES)) }), TEMPLATES),
  location: parameter("location", shapes.location ?? textParameter, "templates/components"),
  product: parameter("product", product, PRODUCT_CARDS),
};

/** `of`: the parameters, exactly one. */
function component(name: string, of: Shape, from: string, max = 1): Shape {
  return object(from, { type: needed(type(from, name)), parameters: needed(list(from, 1, max, of)) });
}

const body = component("body", textParameter, TEMPLATES, UNLIMITED);

function button(names: readonly string[], of: Shape, from: string, isOptional = false): [string, Shape][] {
  return names.map((name) => [
    name,
    object(from, {
      type: needed(type(from, "button")),
      sub_type: needed(type(from, name)),
      index: needed({ is: "index", max: 9, from: "templates/components" }),
      parameters: { shape: list(from, 1, 1, of), isOptional },
    }),
  ]);
}

function action(members: Parameters<typeof object>[1], from: string): Shape {
  return parameter("action", object(from, members), from);
}

const thumbnail = { thumbnail_product_retailer_id: needed(words(UNLIMITED, CATALOG)) };
const item = object(PRODUCTS, { product_retailer_id: needed(words(UNLIMITED, PRODUCTS)) });
const section = object(PRODUCTS, {
  title: optional(words(24, PRODUCTS)),
  product_items: needed(list(PRODUCTS, 1, 30, item)),
});
const amount = object(ORDER, {
  value: needed({ is: "count", from: ORDER }),
  offset: needed({ is: "count", from: ORDER }),
  description: optional(words(60, ORDER)),
});
const orderDetails = object(ORDER, {
  reference_id: needed(words(35, ORDER)),
  type: needed(type(ORDER, "digital-goods", "physical-goods")),
  currency: needed(words(3, ORDER)),
  total_amount: needed(amount),
  order: optional({ is: "any", from: ORDER }),
  payment_type: optional(words(UNLIMITED, ORDER)),
  payment_configuration: optional(words(60, ORDER)),
  payment_settings: optional(list(ORDER, 1, UNLIMITED, { is: "any", from: ORDER })),
});

const linkButton = button(["url"], textOf(words(UNLIMITED, TEMPLATES)), TEMPLATES);
const payload = parameter("payload", words(256, "messages/interactive-reply-buttons-messages"), TEMPLATES);
const replyButton = button(["quick_reply"], payload, TEMPLATES);
const code: Shape = { ...words(20, COUPON), isAlphanumeric: true } as Shape;

const buttons: Shape = {
  is: "variant",
  by: "sub_type",
  of: Object.fromEntries([
    ...linkButton,
    ...replyButton,
    ...button(["copy_code", "COPY_CODE"], parameter("coupon_code", code, COUPON), COUPON),
    ...button(
      ["flow"],
      action(
        {
          flow_token: optional(words(UNLIMITED, "OpenAPI")),
          flow_action_data: optional({ is: "any", from: "OpenAPI" }),
        },
        "OpenAPI",
      ),
      "OpenAPI",
    ),
    ...button(["catalog", "CATALOG"], action(thumbnail, CATALOG), CATALOG, true),
    ...button(
      ["mpm"],
      action(
        {
          ...thumbnail,
          sections: needed({ ...list(PRODUCTS, 1, 10, section), total: { of: "product_items", max: 30 } }),
        },
        PRODUCTS,
      ),
      PRODUCTS,
    ),
    ...button(["order_details"], action({ order_details: needed(orderDetails) }, ORDER), ORDER),
  ]),
};

const card = object(CAROUSEL, {
  card_index: needed({ is: "index", max: 9, from: CAROUSEL }),
  components: needed(
    list(CAROUSEL, 1, UNLIMITED, {
      is: "variant",
      by: "type",
      of: {
        header: component("header", variantOf("image", "video", "product"), CAROUSEL),
        body,
        button: { is: "variant", by: "sub_type", of: Object.fromEntries([...linkButton, ...replyButton]) },
      },
    }),
  ),
});

function variantOf(...names: string[]): Shape {
  return {
    is: "variant",
    by: "type",
    of: Object.fromEntries(names.map((name) => [name, headerParameters[name]])) as Record<string, Shape>,
  };
}

const offer = object(OFFER, { expiration_time_ms: needed({ is: "count", from: OFFER }) });

/** `template` of a request. */
export const templateShape = object(TEMPLATES, {
  name: needed(words(512, TEMPLATES)),
  language: needed(
    object(TEMPLATES, { code: needed(words(UNLIMITED, TEMPLATES)), policy: optional(words(UNLIMITED, TEMPLATES)) }),
  ),
  components: optional(
    list(TEMPLATES, 0, UNLIMITED, {
      is: "variant",
      by: "type",
      of: {
        header: component("header", variantOf(...Object.keys(headerParameters)), TEMPLATES),
        body,
        limited_time_offer: component("limited_time_offer", parameter("limited_time_offer", offer, OFFER), OFFER),
        button: buttons,
        carousel: object(CAROUSEL, {
          type: needed(type(CAROUSEL, "carousel")),
          cards: needed(list(CAROUSEL, 2, 10, card, ["card_index"])),
        }),
      },
    }),
  ),
});
