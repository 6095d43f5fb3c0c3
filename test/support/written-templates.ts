/**
 * Templates as shops write them before WhatsApp has seen them: right ones, wrong ones each with the rule that stops it, and
 * the limits. Written after the public pages of Meta's documentation, without the rules of `src`: so a mistake in a rule
 * is found here.
 */

type Kind = "image" | "video" | "document";
type Component = Record<string, unknown>;

export interface Written {
  name: string;
  language?: string;
  category?: "MARKETING" | "UTILITY" | "AUTHENTICATION";
  components: Component[];
  parameter_format?: string;
  message_send_ttl_seconds?: number;
  /** Kinds of files that are uploaded and given as `sample_media`. */
  samples?: { header?: Kind; cards?: Kind[] };
}

const header = (text: string, ...example: string[]): Component => ({
  ...{ type: "HEADER", format: "TEXT", text },
  ...(example.length === 0 ? {} : { example: { header_text: example } }),
});
const top = (format: string): Component => ({ type: "HEADER", format });
const handled = (format: string, handle: string): Component => ({
  type: "HEADER",
  format,
  example: { header_handle: [handle] },
});
const body = (text: string, ...example: string[]): Component => ({
  ...{ type: "BODY", text },
  ...(example.length === 0 ? {} : { example: { body_text: [example] } }),
});
const named = (type: "HEADER" | "BODY", text: string, values: Record<string, string>): Component => ({
  ...(type === "HEADER" ? { type, format: "TEXT", text } : { type, text }),
  example: {
    [type === "HEADER" ? "header_text_named_params" : "body_text_named_params"]: Object.entries(values).map(
      ([param_name, example]) => ({ param_name, example }),
    ),
  },
});
const footer = (text: string): Component => ({ type: "FOOTER", text });
const buttons = (...all: Component[]): Component => ({ type: "BUTTONS", buttons: all });
const reply = (text: string): Component => ({ type: "QUICK_REPLY", text });
const url = (text: string, address: string, ...example: string[]): Component => ({
  ...{ type: "URL", text, url: address },
  ...(example.length === 0 ? {} : { example }),
});
const phone = (text: string, number = "+442079460100"): Component => ({
  type: "PHONE_NUMBER",
  text,
  phone_number: number,
});
const copy = (example: string): Component => ({ type: "COPY_CODE", example });
const flow = (text: string, more: Component = { flow_id: "1197715005513101" }): Component => ({
  type: "FLOW",
  text,
  ...more,
});
const offer = (text: string, more: Component = { has_expiration: true }): Component => ({
  type: "LIMITED_TIME_OFFER",
  limited_time_offer: { text, ...more },
});
const otp = (more: Component): Component => ({ type: "OTP", ...more });
const cards = (count: number, ...components: Component[]): Component => ({
  type: "CAROUSEL",
  cards: Array.from({ length: count }, () => ({ components })),
});
const carouselOf = (...all: Component[][]): Component => ({
  type: "CAROUSEL",
  cards: all.map((components) => ({ components })),
});
const app = { package_name: "com.example.shop", signature_hash: "K8a/AINcGX7" };

const MARKETING = "MARKETING";
const UTILITY = "UTILITY";
const AUTHENTICATION = "AUTHENTICATION";
const STOP = reply("Stop promotions");

/** Each is submitted as it is. */
export const rightTemplates: Written[] = [
  // Texts.
  { name: "welcome", category: UTILITY, components: [body("Welcome to the Corner Shop. Your account is ready.")] },
  {
    name: "order_confirmed",
    category: UTILITY,
    components: [body("Thank you {{1}}, your order {{2}} is confirmed.", "Anna", "A-17"), footer("Corner Shop")],
  },
  {
    name: "order_shipped_named",
    category: UTILITY,
    parameter_format: "NAMED",
    components: [
      named("BODY", "Hi {{first_name}}, your order {{order}} is on its way.", { first_name: "Anna", order: "A-17" }),
    ],
  },
  {
    name: "reservation_named",
    category: UTILITY,
    components: [
      named("HEADER", "Your table on {{day}}", { day: "Monday" }),
      named("BODY", "A table for {{number_of_guests}} people at {{time}} is yours.", {
        number_of_guests: "4",
        time: "19:30",
      }),
    ],
  },
  {
    name: "seasonal_promotion",
    language: "en",
    category: MARKETING,
    components: [
      header("Our {{1}} is on!", "Summer Sale"),
      body("Shop now through {{1}} and use code {{2}} to get {{3}} off of all merchandise.", "August", "25OFF", "25%"),
      footer("Use the buttons below to manage your subscriptions"),
      buttons(reply("Unsubscribe from promos"), reply("Unsubscribe from all")),
    ],
  },
  {
    name: "paragraphs",
    category: UTILITY,
    components: [body("*You are all set!*\n\nYour order {{1}} is packed.\nWe call before we come.", "A-17")],
  },
  {
    name: "repeated_value",
    category: UTILITY,
    components: [body("Order {{1}} is ready. Show {{1}} at the counter.", "A-17")],
  },
  {
    name: "order_of_numbers",
    category: UTILITY,
    components: [body("On {{2}} we deliver order {{1}} to your door.", "A-17", "Monday")],
  },
  {
    name: "single_value_text",
    category: UTILITY,
    components: [{ type: "BODY", text: "Your order {{1}} has arrived.", example: { body_text: "A-17" } }],
  },
  {
    name: "single_value_list",
    category: UTILITY,
    components: [{ type: "BODY", text: "Your order {{1}} has arrived today.", example: { body_text: ["A-17"] } }],
  },
  {
    name: "lower_case_types",
    category: UTILITY,
    components: [
      { type: "body", text: "Your parcel is at the door." },
      { type: "footer", text: "Corner Shop" },
    ],
  },
  {
    name: "some_emoji",
    category: MARKETING,
    components: [body("New shoes 👟 and bags 👜 are here today 🎉."), buttons(STOP)],
  },
  {
    name: "much_emoji_utility",
    category: UTILITY,
    components: [body("Ready: 1🎉2🎉3🎉4🎉5🎉6🎉7🎉8🎉9🎉10🎉11🎉 parcels.")],
  },
  { name: "braces_that_are_none", category: UTILITY, components: [body("Your code word {blue} is saved with us.")] },
  {
    name: "percent_and_hash",
    category: MARKETING,
    components: [body("Order #5 has 10% off, and #6 too."), buttons(STOP)],
  },
  // Other languages.
  {
    name: "bestellung_unterwegs",
    language: "de",
    category: UTILITY,
    components: [body("Guten Tag {{1}}, Ihre Bestellung {{2}} ist unterwegs.", "Anna", "A-17")],
  },
  {
    name: "pedido_enviado",
    language: "pt_BR",
    category: UTILITY,
    components: [body("Olá {{1}}, seu pedido {{2}} saiu para entrega hoje.", "Ana", "A-17")],
  },
  {
    name: "pedido_listo",
    language: "es_MX",
    category: UTILITY,
    components: [body("Hola {{1}}, tu pedido ya está listo.", "Ana")],
  },
  {
    name: "order_hindi",
    language: "hi",
    category: UTILITY,
    components: [body("नमस्ते {{1}}, आपका ऑर्डर भेज दिया गया है।", "आशा")],
  },
  {
    name: "order_arabic",
    language: "ar",
    category: UTILITY,
    components: [body("مرحبا {{1}}، طلبك في الطريق إليك.", "سارة")],
  },
  {
    name: "order_japanese",
    language: "ja",
    category: UTILITY,
    components: [body("ご注文の{{1}}を発送しました。", "A-17")],
  },
  { name: "order_thai", language: "th", category: UTILITY, components: [body("คำสั่งซื้อ{{1}}ของคุณถูกจัดส่งแล้ว", "A-17")] },
  {
    name: "order_chinese",
    language: "zh_CN",
    category: UTILITY,
    components: [body("您的订单{{1}}已经发货，请留意。", "A-17")],
  },
  // Files and places.
  {
    name: "receipt",
    category: UTILITY,
    samples: { header: "document" },
    components: [top("DOCUMENT"), body("Thank you, {{1}}. Your receipt is above.", "Anna")],
  },
  {
    name: "new_collection",
    category: MARKETING,
    samples: { header: "image" },
    components: [top("IMAGE"), body("The new collection is here, {{1}}, come in.", "Anna"), buttons(STOP)],
  },
  {
    name: "how_it_works",
    category: MARKETING,
    samples: { header: "video" },
    components: [top("VIDEO"), body("See how the new lamp works."), buttons(STOP)],
  },
  {
    name: "own_handle",
    category: MARKETING,
    components: [handled("IMAGE", "4::aW1hZ2UvanBn:ARYy"), body("The winter collection is here."), buttons(STOP)],
  },
  {
    name: "delivery_place",
    category: UTILITY,
    components: [
      top("LOCATION"),
      body("Good news {{1}}! Your order {{2}} waits at the place above.", "Mark", "566701"),
    ],
  },
  { name: "flag_header", category: UTILITY, components: [header("Order no. 5 (paid)"), body("We pack it today.")] },
  {
    name: "name_in_header",
    category: UTILITY,
    components: [
      named("HEADER", "Hello {{first_name}}", { first_name: "Anna" }),
      body("Your parcel is at the counter."),
    ],
  },
  // Buttons.
  {
    name: "track_order",
    category: UTILITY,
    components: [
      body("Order {{1}} left our house today.", "A-17"),
      buttons(url("Track", "https://s.example/orders/{{1}}", "A-17")),
    ],
  },
  {
    name: "track_query",
    category: UTILITY,
    components: [
      body("Your order is on its way."),
      buttons(url("Track", "https://s.example/orders?id={{1}}", "https://s.example/orders?id=5")),
    ],
  },
  {
    name: "two_links",
    category: MARKETING,
    components: [
      body("Rate your last purchase today."),
      buttons(url("Rate", "https://s.example/rate"), url("Invoice", "https://s.example/invoice")),
    ],
  },
  {
    name: "call_us",
    category: UTILITY,
    components: [
      body("Questions about your order? We are here."),
      buttons(phone("Call"), url("Help", "https://s.example/help")),
    ],
  },
  {
    name: "ten_buttons",
    category: MARKETING,
    components: [
      body("Which size do you wear?"),
      buttons(...Array.from({ length: 10 }, (_, index) => reply(`Size ${index}`))),
    ],
  },
  {
    name: "replies_first",
    category: MARKETING,
    components: [
      body("Shall we keep it for you?"),
      buttons(reply("Yes"), STOP, url("Look", "https://s.example/"), phone("Call")),
    ],
  },
  {
    name: "replies_last",
    category: MARKETING,
    components: [body("Shall we keep one for you?"), buttons(url("Look", "https://s.example/"), reply("Yes"), STOP)],
  },
  {
    name: "coupon",
    category: MARKETING,
    components: [
      header("Our Fall Sale is on!"),
      body("Use the code below at the counter."),
      buttons(reply("Unsubscribe"), copy("250FF")),
    ],
  },
  {
    name: "survey",
    category: MARKETING,
    components: [
      body("Tell us how it was, please."),
      buttons(flow("Answer", { flow_id: "1197715005513101", flow_action: "navigate", navigate_screen: "RATE" })),
    ],
  },
  {
    name: "survey_by_name",
    category: UTILITY,
    components: [
      body("Tell us when you are at home."),
      buttons(flow("Answer", { flow_name: "visit", flow_action: "data_exchange" })),
    ],
  },
  {
    name: "share_number",
    category: UTILITY,
    components: [body("May we have your phone number?"), buttons({ type: "REQUEST_CONTACT_INFO" })],
  },
  {
    name: "call_on_whatsapp",
    category: UTILITY,
    components: [body("Speak to us about your repair."), buttons({ type: "VOICE_CALL", text: "Call now" })],
  },
  {
    name: "may_we_call",
    category: UTILITY,
    components: [body("We would like to call you about your order."), { type: "call_permission_request" }],
  },
  {
    name: "may_we_call_you",
    category: MARKETING,
    components: [body("We would like to call you about our offers."), { type: "CALL_PERMISSION_REQUEST" }],
  },
  {
    name: "pay_order",
    category: UTILITY,
    components: [
      body("Your order {{1}} waits for its payment.", "A-17"),
      buttons({ type: "ORDER_DETAILS", text: "Copy Pix code" }),
    ],
  },
  // Products.
  {
    name: "intro_catalog",
    category: MARKETING,
    components: [
      body("Shop your favourite products right here on WhatsApp!"),
      footer("Best grocery deals"),
      buttons({ type: "CATALOG", text: "View catalog" }),
    ],
  },
  {
    name: "abandoned_cart",
    category: MARKETING,
    components: [
      header("Forget something, {{1}}?", "Pablo"),
      body("Use code {{1}} and you get 10% off all of them!", "10OFF"),
      buttons({ type: "MPM", text: "View items" }),
    ],
  },
  {
    name: "single_product",
    category: MARKETING,
    components: [top("PRODUCT"), body("This lamp is new in our shop."), buttons({ type: "SPM", text: "View" })],
  },
  {
    name: "product_cards",
    category: MARKETING,
    components: [
      body("Rare plants for sale! {{1}}, add them to your collection.", "Pablo"),
      cards(2, { type: "header", format: "product" }, { type: "buttons", buttons: [{ type: "spm", text: "View" }] }),
    ],
  },
  {
    name: "product_cards_links",
    category: MARKETING,
    components: [
      body("Rare plants are for sale today."),
      cards(2, top("PRODUCT"), buttons(url("Buy", "https://s.example/{{1}}", "BUDDHA"))),
    ],
  },
  // Carousels.
  {
    name: "image_cards",
    category: MARKETING,
    samples: { cards: ["image", "image", "image"] },
    components: [
      body("Look at our three new lamps."),
      cards(3, top("IMAGE"), buttons(reply("More like this"), url("Shop", "https://s.example/{{1}}", "BLUE"))),
    ],
  },
  {
    name: "video_cards",
    category: MARKETING,
    samples: { cards: ["video", "video"] },
    components: [
      body("Look at our two new lamps."),
      cards(2, top("VIDEO"), body("A lamp for {{1}} with oak.", "reading"), buttons(phone("Call"))),
    ],
  },
  {
    name: "ten_cards",
    category: MARKETING,
    components: [
      body("Ten lamps for ten rooms."),
      cards(10, handled("IMAGE", "4::aW1hZ2UvanBn:ARa5"), buttons(reply("More"))),
    ],
  },
  {
    name: "cards_without_buttons",
    category: MARKETING,
    components: [
      body("Two lamps for two rooms."),
      cards(2, handled("IMAGE", "4::aW1hZ2UvanBn:ARa5"), body("Oak, with a linen shade.")),
    ],
  },
  // Offers.
  {
    name: "offer_with_code",
    category: MARKETING,
    samples: { header: "image" },
    components: [
      top("IMAGE"),
      offer("Expiring offer!"),
      body("Good news, {{1}}! Use code {{2}} to get 25% off all packages!", "Pablo", "CARIBE25"),
      buttons(copy("CARIBE25"), url("Book now!", "https://s.example/offers?code={{1}}", "n3mtql")),
    ],
  },
  {
    name: "offer_without_code",
    category: MARKETING,
    components: [
      offer("Ends soon", { has_expiration: false }),
      body("All lamps are 10% off today."),
      buttons(url("Look", "https://s.example/")),
    ],
  },
  // Login codes.
  {
    name: "login_copy",
    category: AUTHENTICATION,
    message_send_ttl_seconds: 60,
    components: [
      { type: "BODY", add_security_recommendation: true },
      { type: "FOOTER", code_expiration_minutes: 5 },
      buttons(otp({ otp_type: "COPY_CODE", text: "Copy Code" })),
    ],
  },
  {
    name: "login_plain",
    category: AUTHENTICATION,
    components: [{ type: "body" }, { type: "buttons", buttons: [{ type: "otp", otp_type: "copy_code" }] }],
  },
  {
    name: "login_one_tap",
    category: AUTHENTICATION,
    message_send_ttl_seconds: -1,
    components: [
      { type: "BODY", add_security_recommendation: false },
      buttons(otp({ otp_type: "ONE_TAP", text: "Copy Code", autofill_text: "Autofill", ...app })),
    ],
  },
  {
    name: "login_zero_tap",
    category: AUTHENTICATION,
    components: [
      { type: "BODY" },
      { type: "FOOTER", code_expiration_minutes: 90 },
      buttons(otp({ otp_type: "ZERO_TAP", zero_tap_terms_accepted: true, supported_apps: [app] })),
    ],
  },
  // Time to live.
  {
    name: "short_life",
    category: UTILITY,
    message_send_ttl_seconds: 43_200,
    components: [body("Your taxi waits at the door.")],
  },
  {
    name: "long_life",
    category: MARKETING,
    message_send_ttl_seconds: 2_592_000,
    components: [body("The sale ends this month."), buttons(STOP)],
  },
];

export interface Wrong {
  rule: string;
  path: string;
  template: Record<string, unknown>;
}

const plain = body("Your parcel is at the door.");
const wrong = (rule: string, path: string, template: Record<string, unknown>): Wrong => ({
  ...{ rule, path },
  template: { name: "parcel", language: "en_US", category: UTILITY, components: [plain], ...template },
});
const inBody = (rule: string, text: string, ...example: string[]): Wrong =>
  wrong(rule, "components.0.text", { components: [body(text, ...example)] });
const above = (rule: string, part: Component, path = "components.0.text"): Wrong =>
  wrong(rule, path, { components: [part, plain] });
const below = (rule: string, path: string, ...all: Component[]): Wrong =>
  wrong(rule, path, { category: MARKETING, components: [plain, buttons(...all)] });
const first = "components.1.buttons.0";
const login = (rule: string, path: string, ...components: Component[]): Wrong =>
  wrong(rule, path, { category: AUTHENTICATION, components });
const code = buttons(otp({ otp_type: "COPY_CODE" }));
const ending = (rule: string, path: string, ...components: Component[]): Wrong =>
  wrong(rule, path, { category: MARKETING, components });
const look = buttons(url("Look", "https://s.example/"));
const picture = handled("IMAGE", "4::aW1hZ2UvanBn:ARa5");

/** Each breaks one rule, at one place. */
export const wrongTemplates: Wrong[] = [
  wrong("member_unknown", "componentz", { componentz: [] }),
  wrong("name_format", "name", { name: "Order-Shipped" }),
  wrong("language_unknown", "language", { language: "en-US" }),
  wrong("category_unknown", "category", { category: "TRANSACTIONAL" }),
  wrong("parameter_format_unknown", "parameter_format", { parameter_format: "named" }),
  wrong("ttl_range", "message_send_ttl_seconds", { message_send_ttl_seconds: 29 }),
  wrong("ttl_range", "message_send_ttl_seconds", { category: MARKETING, message_send_ttl_seconds: -1 }),
  wrong("components_missing", "components", { components: [] }),
  wrong("component_form", "components.1.type", { components: [plain, "Your parcel"] }),
  wrong("component_member_unknown", "components.0.colour", { components: [{ ...plain, colour: "red" }] }),
  wrong("component_member_unknown", "components.1.buttons.0.payload", {
    components: [plain, { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Yes", payload: "yes" }] }],
  }),
  wrong("component_unknown", "components.1.type", { components: [plain, { type: "SIDEBAR" }] }),
  wrong("component_repeated", "components.2.type", {
    components: [plain, footer("Corner Shop"), footer("Corner Shop")],
  }),
  wrong("body_missing", "components", { components: [header("Your parcel")] }),
  above("header_format_unknown", { type: "HEADER", format: "AUDIO" }, "components.0.format"),
  above("header_text_missing", { type: "HEADER", format: "TEXT" }),
  above("header_placeholders", header("Hello {{1}} of {{2}}", "Anna", "Bonn")),
  above("header_line_break", header("Your\nparcel")),
  above("header_emoji", header("Your parcel 📦")),
  above("header_formatting", header("Your *parcel*")),
  above("header_formatting", header("Your _parcel_ is here")),
  inBody("body_text_missing", " "),
  wrong("body_emoji", "components.0.text", {
    category: MARKETING,
    components: [body(`New lamps ${"🎉".repeat(11)} are here`)],
  }),
  wrong("footer_text_missing", "components.1.text", { components: [plain, { type: "FOOTER" }] }),
  wrong("footer_placeholder", "components.1.text", { components: [plain, footer("For {{1}} only")] }),
  wrong("footer_line_break", "components.1.text", { components: [plain, footer("Corner\nShop")] }),
  wrong("footer_emoji", "components.1.text", { components: [plain, footer("Corner Shop ❤️")] }),
  inBody("placeholder_braces", "Your order {{1} is on its way."),
  inBody("placeholder_braces", "Your order {1}} is on its way."),
  wrong("placeholder_name", "components.0.text", {
    components: [named("BODY", "Your order {{Order}} is on its way.", { Order: "A" })],
  }),
  wrong("placeholder_name", "components.0.text", {
    components: [named("BODY", "Your order {{order#}} is on its way.", { "order#": "A" })],
  }),
  inBody("placeholder_sequence", "Your orders {{1}} and {{3}} are on their way today.", "A", "B"),
  inBody("placeholder_at_edge", "{{1}}, your order is on its way.", "Anna"),
  inBody("placeholder_at_edge", "Your order is on its way, {{1}}", "Anna"),
  inBody("placeholder_adjacent", "Hello dear {{1}} {{2}}, your order is on its way.", "Anna", "Lee"),
  inBody("placeholder_ratio", "Order {{1}} for {{2}} here.", "A-17", "Anna"),
  above("media_sample_missing", top("IMAGE"), "sample_media.header"),
  above("media_sample_form", handled("IMAGE", "https://s.example/a.jpg"), "components.0.example.header_handle"),
  wrong("sample_media_unused", "sample_media.header", { sample_media: { header: 5 } }),
  wrong("card_samples", "sample_media.cards", {
    category: MARKETING,
    components: [plain, cards(3, picture, buttons(reply("More")))],
    sample_media: { cards: [5, 6] },
  }),
  wrong("value_sample_missing", "components.0.example.body_text", {
    components: [body("Your order {{1}} is on its way.")],
  }),
  wrong("value_sample_missing", "components.0.example.body_text_named_params", {
    components: [named("BODY", "Your order {{order}} is on its way.", { name: "A" })],
  }),
  above("value_sample_missing", header("Order {{1}}"), "components.0.example.header_text"),
  wrong("value_samples_too_many", "components.0.example.body_text", {
    components: [body("Your order {{1}} is on its way.", "A", "B")],
  }),
  below("link_sample_missing", `${first}.example`, url("Track", "https://s.example/{{1}}")),
  below("code_sample_missing", `${first}.example`, { type: "COPY_CODE" }),
  below("code_sample_form", `${first}.example`, copy("25-OFF")),
  below("buttons_missing", "components.1.buttons"),
  below("button_unknown", `${first}.type`, { type: "FAX", text: "Fax" }),
  below(
    "button_kind_too_many",
    "components.1.buttons.2.type",
    ...["a", "b", "c"].map((one) => url(one, `https://s.example/${one}`)),
  ),
  below("button_kind_too_many", "components.1.buttons.1.type", phone("Call"), phone("Ring")),
  below("quick_replies_apart", "components.1.buttons", reply("Yes"), url("Look", "https://s.example/"), reply("No")),
  below("button_text_missing", `${first}.text`, { type: "QUICK_REPLY" }),
  below("button_text_placeholder", `${first}.text`, reply("Yes {{1}}")),
  below("button_text_emoji", `${first}.text`, reply("Yes 🎉")),
  below("button_text_form", `${first}.text`, reply("Yes\nplease")),
  below("button_text_form", `${first}.text`, reply("*Yes*")),
  below("button_text_repeated", "components.1.buttons.1.text", reply("Yes"), reply("Yes")),
  below("url_form", `${first}.url`, url("Look", "s.example/lamps")),
  below("url_placeholder_inside", `${first}.url`, url("Look", "https://s.example/{{1}}/lamps", "5")),
  below("url_placeholders", `${first}.url`, url("Look", "https://s.example/{{1}}/{{2}}", "5")),
  below("url_of_whatsapp", `${first}.url`, url("Chat", "https://wa.me/442079460100")),
  below("url_shortened", `${first}.url`, url("Look", "https://bit.ly/abc")),
  below("phone_number_form", `${first}.phone_number`, phone("Call", "020 7946 0100")),
  below("flow_missing", `${first}.flow_id`, flow("Answer", {})),
  below("flow_action_unknown", `${first}.flow_action`, flow("Answer", { flow_id: "5", flow_action: "open" })),
  wrong("category_of_part", `${first}.type`, { components: [plain, buttons(copy("25OFF"))] }),
  wrong("category_of_part", "components.1.type", { components: [plain, cards(2, picture, buttons(reply("More")))] }),
  wrong("category_of_part", `${first}.type`, { components: [plain, code] }),
  login("login_parts", "components.0.type", header("Your code"), { type: "BODY" }, code),
  login("login_body", "components.0.text", { type: "BODY", text: "Your code is 5" }, code),
  login(
    "login_footer",
    "components.1.text",
    { type: "BODY" },
    { type: "FOOTER", text: "Shop", code_expiration_minutes: 5 },
    code,
  ),
  login(
    "login_expiry",
    "components.1.code_expiration_minutes",
    { type: "BODY" },
    { type: "FOOTER", code_expiration_minutes: 0 },
    code,
  ),
  login("login_button", "components", { type: "BODY" }),
  login("login_button", "components.1.buttons", { type: "BODY" }, buttons(reply("Yes"))),
  login("otp_type_unknown", "components.1.buttons.0.otp_type", { type: "BODY" }, buttons(otp({ otp_type: "TAP" }))),
  login(
    "otp_app_missing",
    "components.1.buttons.0.supported_apps",
    { type: "BODY" },
    buttons(otp({ otp_type: "ONE_TAP" })),
  ),
  login(
    "zero_tap_terms",
    "components.1.buttons.0.zero_tap_terms_accepted",
    { type: "BODY" },
    buttons(otp({ otp_type: "ZERO_TAP", ...app })),
  ),
  wrong("login_member_elsewhere", "components.0.add_security_recommendation", {
    components: [{ ...plain, add_security_recommendation: true }],
  }),
  ending("offer_text_missing", "components.0.limited_time_offer.text", offer(""), plain, look),
  ending("offer_header", "components.0.format", header("Now"), offer("Ends soon"), plain, look),
  ending("offer_footer", "components.2.type", offer("Ends soon"), plain, footer("Corner Shop"), look),
  ending("offer_buttons", "components", offer("Ends soon"), plain),
  ending(
    "offer_buttons",
    "components.2.buttons",
    offer("Ends soon"),
    plain,
    buttons(url("Look", "https://s.example/"), copy("25OFF")),
  ),
  ending("cards_count", "components.1.cards", plain, cards(1, picture, buttons(reply("More")))),
  ending(
    "card_parts",
    "components.1.cards.1.components.1.type",
    plain,
    carouselOf([picture, footer("Shop")], [picture, footer("Shop")]),
  ),
  ending(
    "card_button_kind",
    "components.1.cards.0.components.1.buttons.0.type",
    plain,
    cards(2, picture, buttons(copy("25OFF"))),
  ),
  ending(
    "cards_differ",
    "components.1.cards.1.components",
    plain,
    carouselOf([picture, buttons(reply("More"))], [picture]),
  ),
  ending(
    "carousel_parts",
    "components.1.type",
    plain,
    footer("Corner Shop"),
    cards(2, picture, buttons(reply("More"))),
  ),
  ending("product_button", "components.1.buttons.0.type", plain, buttons({ type: "SPM", text: "View" })),
  ending("card_header", "components.1.cards.0.components", plain, cards(2, header("Lamp"), buttons(reply("More")))),
];

export interface WrittenLimit {
  rule: string;
  max: number;
  /** With so many of what is limited. */
  template: (count: number) => Record<string, unknown>;
}

const words = (count: number): string => `${"word ".repeat(Math.ceil(count / 5)).slice(0, count - 1)}w`;
const whole = (template: Record<string, unknown>): Record<string, unknown> => ({
  ...{ name: "parcel", language: "en_US", category: MARKETING, components: [plain] },
  ...template,
});
const replies = (count: number): Component =>
  buttons(...Array.from({ length: count }, (_, index) => reply(`Size ${index}`)));

/** Meta's limits: so many are right, one more is wrong. */
export const writtenLimits: WrittenLimit[] = [
  { rule: "name_too_long", max: 512, template: (count) => whole({ name: "a".repeat(count) }) },
  { rule: "header_too_long", max: 60, template: (count) => whole({ components: [header("h".repeat(count)), plain] }) },
  {
    rule: "header_placeholders",
    max: 1,
    template: (count) =>
      whole({
        components: [
          header(
            Array.from({ length: count }, (_, index) => `No {{${index + 1}}}`).join(" "),
            ...["a", "b"].slice(0, count),
          ),
          plain,
        ],
      }),
  },
  { rule: "body_too_long", max: 1_024, template: (count) => whole({ components: [body(words(count))] }) },
  {
    rule: "offer_body_too_long",
    max: 600,
    template: (count) => whole({ components: [offer("Ends soon"), body(words(count)), look] }),
  },
  {
    rule: "card_body_too_long",
    max: 160,
    template: (count) => whole({ components: [plain, cards(2, picture, body(words(count)), replies(1))] }),
  },
  {
    rule: "body_emoji",
    max: 10,
    template: (count) => whole({ components: [body(`Lamps ${"🎉".repeat(count)} are here`)] }),
  },
  { rule: "footer_too_long", max: 60, template: (count) => whole({ components: [plain, footer("f".repeat(count))] }) },
  { rule: "buttons_too_many", max: 10, template: (count) => whole({ components: [plain, replies(count)] }) },
  {
    rule: "card_buttons_too_many",
    max: 2,
    template: (count) => whole({ components: [plain, cards(2, picture, replies(count))] }),
  },
  {
    rule: "button_kind_too_many",
    max: 2,
    template: (count) =>
      whole({
        components: [
          plain,
          buttons(...Array.from({ length: count }, (_, index) => url(`Look ${index}`, "https://s.example/"))),
        ],
      }),
  },
  {
    rule: "button_text_too_long",
    max: 25,
    template: (count) => whole({ components: [plain, buttons(reply("b".repeat(count)))] }),
  },
  {
    rule: "url_too_long",
    max: 2_000,
    template: (count) =>
      whole({ components: [plain, buttons(url("Look", `https://s.example/${"u".repeat(count - 18)}`))] }),
  },
  {
    rule: "phone_number_form",
    max: 20,
    template: (count) => whole({ components: [plain, buttons(phone("Call", `+${"4".repeat(count - 1)}`))] }),
  },
  {
    rule: "code_sample_form",
    max: 20,
    template: (count) => whole({ components: [plain, buttons(copy("C".repeat(count)))] }),
  },
  {
    rule: "login_expiry",
    max: 90,
    template: (count) =>
      whole({
        category: AUTHENTICATION,
        components: [{ type: "BODY" }, { type: "FOOTER", code_expiration_minutes: count }, code],
      }),
  },
  {
    rule: "offer_text_too_long",
    max: 16,
    template: (count) => whole({ components: [offer("o".repeat(count)), plain, look] }),
  },
  {
    rule: "cards_count",
    max: 10,
    template: (count) => whole({ components: [plain, cards(count, picture, replies(1))] }),
  },
  { rule: "ttl_range", max: 2_592_000, template: (count) => whole({ message_send_ttl_seconds: count }) },
  {
    rule: "ttl_range",
    max: 43_200,
    template: (count) => whole({ category: UTILITY, message_send_ttl_seconds: count }),
  },
  {
    rule: "ttl_range",
    max: 900,
    template: (count) =>
      whole({ category: AUTHENTICATION, message_send_ttl_seconds: count, components: [{ type: "BODY" }, code] }),
  },
];
