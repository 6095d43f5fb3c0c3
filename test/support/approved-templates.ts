/**
 * Approved templates as real shops have them, written after public descriptions: every kind of component, each with a
 * request that sends it and the components of Meta's request that it becomes (the shapes of Meta's pages). The tests of
 * templates walk this table.
 */

export interface ApprovedCase {
  category: "MARKETING" | "UTILITY" | "AUTHENTICATION";
  components: Record<string, unknown>[];
  /** Members of the request beside `to` and `template`. */
  body: Record<string, unknown>;
  /** `template.components` of Meta's request. */
  sent: Record<string, unknown>[] | undefined;
  isNamed?: true;
  /** A broadcast has one body for many people, and this is for one. */
  isSingle?: true;
}

export const CATALOG = "194836987003835";
const IMAGE = "https://files.example.com/a.jpg";
const VIDEO = "https://files.example.com/a.mp4";
const PDF = "https://files.example.com/Invoice%207.pdf";

const header = (text: string) => ({ type: "HEADER", format: "TEXT", text });
const top = (format: string) => ({ type: "HEADER", format });
const body = (text: string) => ({ type: "BODY", text });
const footer = (text: string) => ({ type: "FOOTER", text });
const buttons = (...all: Record<string, unknown>[]) => ({ type: "BUTTONS", buttons: all });
const reply = (text: string) => ({ type: "QUICK_REPLY", text });
const url = (text: string, address: string) => ({ type: "URL", text, url: address });
const phone = (text: string) => ({ type: "PHONE_NUMBER", text, phone_number: "+442079460100" });
const copy = { type: "COPY_CODE", text: "Copy offer code" };
const flow = (text: string) => ({ type: "FLOW", text, flow_id: "1197715005513101", flow_action: "NAVIGATE" });
const offer = (text: string, ends = true) => ({
  type: "LIMITED_TIME_OFFER",
  limited_time_offer: { text, has_expiration: ends },
});
const carousel = (count: number, components: Record<string, unknown>[]) => ({
  type: "CAROUSEL",
  cards: Array.from({ length: count }, () => ({ components })),
});

const text = (value: string) => ({ type: "text", text: value });
const named = (name: string, value: string) => ({ type: "text", parameter_name: name, text: value });
const inHeader = (...parameters: object[]) => ({ type: "header", parameters });
const inBody = (...values: string[]) => ({ type: "body", parameters: values.map(text) });
const link = (index: number, value: string) => button("url", index, text(value));
const payload = (index: number, value: string) => button("quick_reply", index, { type: "payload", payload: value });
const code = (index: number, value: string) => button("copy_code", index, { type: "coupon_code", coupon_code: value });
const action = (sub: string, index: number, of: object) => button(sub, index, { type: "action", action: of });
function button(sub: string, index: number, parameter: object) {
  return { type: "button", sub_type: sub, index: String(index), parameters: [parameter] };
}
const ends = (at: string) => ({
  type: "limited_time_offer",
  parameters: [{ type: "limited_time_offer", limited_time_offer: { expiration_time_ms: Date.parse(at) } }],
});
const cards = (...all: object[][]) => ({
  type: "carousel",
  cards: all.map((components, index) => ({ card_index: index, components })),
});
const image = inHeader({ type: "image", image: { link: IMAGE } });
const video = inHeader({ type: "video", video: { link: VIDEO } });
const product = (id: string) =>
  inHeader({ type: "product", product: { product_retailer_id: id, catalog_id: CATALOG } });

const END = "2027-11-30T20:00:00+01:00";
const SHOP = { latitude: 48.1371, longitude: 11.5754, name: "Corner Shop", address: "Marienplatz 1, Munich" };
const place = inHeader({ type: "location", location: { ...SHOP, latitude: "48.1371", longitude: "11.5754" } });
const atImage = { media: { link: IMAGE } };

const amount = (value: number) => ({ value, offset: 100 });
const pix = {
  reference_id: "order-10042",
  type: "digital-goods",
  payment_type: "br",
  payment_settings: [
    {
      type: "pix_dynamic_code",
      pix_dynamic_code: {
        code: "00020101021226700014br.gov",
        merchant_name: "Loja",
        key: "39580525000189",
        key_type: "CNPJ",
      },
    },
  ],
  currency: "BRL",
  total_amount: amount(50_000),
  order: {
    status: "pending",
    tax: amount(0),
    items: [{ retailer_id: "1234567", name: "Bolo", amount: amount(50_000), quantity: 1 }],
    subtotal: amount(50_000),
  },
};
const upi = {
  ...{ reference_id: "order-10043", type: "physical-goods", currency: "INR", total_amount: amount(65_000) },
  payment_configuration: "shop_upi",
  payment_type: "upi",
};

const MARKETING = "MARKETING";
const UTILITY = "UTILITY";

export const approvedTemplates: Record<string, ApprovedCase> = {
  // Texts and files alone.
  hello: { category: UTILITY, components: [body("Welcome to the Corner Shop.")], body: {}, sent: undefined },
  order_confirmed: {
    category: UTILITY,
    components: [body("Thank you {{1}}, your order {{2}} is confirmed."), footer("Corner Shop")],
    body: { variables: ["Anna", "A-17"] },
    sent: [inBody("Anna", "A-17")],
  },
  order_shipped_named: {
    category: UTILITY,
    isNamed: true,
    components: [body("Hi {{first_name}}, order {{order}} is on its way.")],
    body: { variables: { body: { order: "A-17", first_name: "Anna" } } },
    sent: [{ type: "body", parameters: [named("first_name", "Anna"), named("order", "A-17")] }],
  },
  receipt: {
    category: UTILITY,
    components: [
      top("DOCUMENT"),
      body("Your receipt, {{1}}."),
      buttons(phone("Call"), url("Help", "https://s.example/help")),
    ],
    body: { variables: ["Anna"], media: { link: PDF } },
    sent: [inHeader({ type: "document", document: { link: PDF, filename: "Invoice 7.pdf" } }), inBody("Anna")],
  },
  new_collection: {
    category: MARKETING,
    components: [top("IMAGE"), body("The new collection is here, {{1}}."), buttons(reply("Stop promotions"))],
    body: { ...atImage, variables: ["Anna"] },
    sent: [image, inBody("Anna")],
  },
  how_it_works: {
    category: MARKETING,
    components: [top("VIDEO"), body("See how it works.")],
    body: { media: { link: VIDEO } },
    sent: [video],
  },
  appointment_header: {
    category: UTILITY,
    components: [header("Appointment on {{1}}"), body("Dear {{1}}, we expect you at {{2}}.")],
    body: { variables: { header: ["Monday"], body: ["Anna", "10:00"] } },
    sent: [inHeader(text("Monday")), inBody("Anna", "10:00")],
  },
  appointment_named: {
    category: UTILITY,
    isNamed: true,
    components: [header("On {{day}}"), body("Dear {{name}}, we expect you at {{time}}.")],
    body: { variables: { header: { day: "Monday" }, body: { time: "10:00", name: "Anna" } } },
    sent: [
      inHeader(named("day", "Monday")),
      { type: "body", parameters: [named("name", "Anna"), named("time", "10:00")] },
    ],
  },
  login_code: {
    category: "AUTHENTICATION",
    components: [
      { type: "BODY", add_security_recommendation: true },
      { type: "FOOTER", code_expiration_minutes: 10 },
      buttons(url("Copy code", "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}")),
    ],
    body: { variables: ["482913"] },
    sent: [inBody("482913"), link(0, "482913")],
  },
  login_one_tap: {
    category: "AUTHENTICATION",
    components: [
      { type: "BODY", add_security_recommendation: false },
      buttons({ type: "OTP", otp_type: "ONE_TAP", text: "Copy code", package_name: "com.example.shop" }),
    ],
    body: { variables: ["482914"] },
    sent: [inBody("482914"), link(0, "482914")],
  },
  share_number: {
    category: UTILITY,
    components: [body("May we have your number?"), buttons({ type: "REQUEST_CONTACT_INFO", text: "Share" })],
    body: {},
    sent: undefined,
  },

  // Links.
  track_order: {
    category: UTILITY,
    components: [body("Order {{1}} is on its way."), buttons(url("Track", "https://s.example/orders/{{1}}"))],
    body: { variables: { body: ["A-17"], buttons: ["A-17"] } },
    sent: [inBody("A-17"), link(0, "A-17")],
  },
  track_without_values: {
    category: UTILITY,
    components: [body("Your order is on its way."), buttons(url("Track", "https://s.example/orders?id={{1}}"))],
    body: { variables: { buttons: [10042] } },
    sent: [link(0, "10042")],
  },
  track_named: {
    category: UTILITY,
    isNamed: true,
    components: [body("Hi {{name}}, your order is on its way."), buttons(url("Track", "https://s.example/o/{{1}}"))],
    body: { variables: { body: { name: "Anna" }, buttons: ["A-17"] } },
    sent: [{ type: "body", parameters: [named("name", "Anna")] }, link(0, "A-17")],
  },
  two_links: {
    category: MARKETING,
    components: [
      body("Rate your purchase, {{1}}."),
      buttons(url("Rate", "https://s.example/rate/{{1}}"), url("Invoice", "https://s.example/invoice/{{1}}")),
    ],
    body: { variables: { body: ["Anna"], buttons: ["r-1", "i-1"] } },
    sent: [inBody("Anna"), link(0, "r-1"), link(1, "i-1")],
  },
  link_after_plain_link: {
    category: MARKETING,
    components: [
      body("New in our shop."),
      buttons(url("Shop", "https://s.example/"), url("Your offer", "https://s.example/offers?for={{1}}")),
    ],
    body: { variables: { buttons: ["anna-9001"] } },
    sent: [link(1, "anna-9001")],
  },
  link_after_phone: {
    category: UTILITY,
    components: [body("Questions about {{1}}?"), buttons(phone("Call"), url("Chat", "https://s.example/chat/{{1}}"))],
    body: { variables: { body: ["A-17"], buttons: ["A-17"] } },
    sent: [inBody("A-17"), link(1, "A-17")],
  },
  link_with_image: {
    category: MARKETING,
    components: [top("IMAGE"), body("Save {{1}} today."), buttons(url("Shop", "https://s.example/sale/{{1}}"))],
    body: { ...atImage, variables: { body: ["20%"], buttons: ["summer?u=1&v=ü"] } },
    sent: [image, inBody("20%"), link(0, "summer?u=1&v=ü")],
  },
  link_with_document: {
    category: UTILITY,
    components: [top("DOCUMENT"), body("Your bill."), buttons(url("Pay", "https://pay.example/{{1}}"))],
    body: { media: { link: PDF, filename: "Bill.pdf" }, variables: { buttons: ["b-7"] } },
    sent: [inHeader({ type: "document", document: { link: PDF, filename: "Bill.pdf" } }), link(0, "b-7")],
  },
  boarding_pass: {
    category: UTILITY,
    components: [
      header("Flight {{1}}"),
      body("Gate {{1}}, seat {{2}}."),
      footer("Have a good trip"),
      buttons(url("Boarding pass", "https://air.example/pass/{{1}}")),
    ],
    body: { variables: { header: ["LH 1"], body: ["B 12", "3A"], buttons: ["x9"] } },
    sent: [inHeader(text("LH 1")), inBody("B 12", "3A"), link(0, "x9")],
  },

  // Quick replies.
  survey: {
    category: MARKETING,
    components: [body("Do you like it?"), buttons(reply("Yes"), reply("No"), reply("Stop promotions"))],
    body: { variables: { buttons: ["yes-7", "no-7", null] } },
    sent: [payload(0, "yes-7"), payload(1, "no-7")],
  },
  survey_own_words: {
    category: MARKETING,
    components: [body("Do you like it?"), buttons(reply("Yes"), reply("No"))],
    body: { variables: { buttons: [] } },
    sent: undefined,
  },
  confirm_visit: {
    category: UTILITY,
    components: [body("See you at {{1}}?"), buttons(reply("Confirm"), reply("Reschedule"))],
    body: { variables: { body: ["10:00"], buttons: ["confirm:7", "move:7"] } },
    sent: [inBody("10:00"), payload(0, "confirm:7"), payload(1, "move:7")],
  },
  reply_and_link: {
    category: MARKETING,
    components: [body("Back in stock."), buttons(reply("Stop promotions"), url("Buy", "https://s.example/p/{{1}}"))],
    body: { variables: { buttons: ["stop-9", "p7"] } },
    sent: [payload(0, "stop-9"), link(1, "p7")],
  },
  reply_and_link_alone: {
    category: MARKETING,
    components: [body("Back in stock."), buttons(url("Buy", "https://s.example/p/{{1}}"), reply("Stop promotions"))],
    body: { variables: { buttons: ["p7"] } },
    sent: [link(0, "p7")],
  },
  ten_buttons: {
    category: MARKETING,
    components: [
      body("What do you look for?"),
      buttons(
        ...["Shoes", "Bags", "Hats", "Coats", "Shirts", "Socks", "Belts"].map(reply),
        url("Shop", "https://s.example/{{1}}"),
        url("Map", "https://s.example/map"),
        phone("Call"),
      ),
    ],
    body: { variables: { buttons: ["sale"] } },
    sent: [link(7, "sale")],
  },
  opt_in: {
    category: MARKETING,
    components: [top("IMAGE"), body("May we write to you?"), buttons(reply("Yes, please"), reply("No, thanks"))],
    body: { ...atImage, variables: { buttons: ["in", "out"] } },
    sent: [image, payload(0, "in"), payload(1, "out")],
  },

  // Codes to copy.
  coupon: {
    category: MARKETING,
    components: [header("Our winter sale"), body("Use {{1}} to get {{2}} off."), buttons(reply("Unsubscribe"), copy)],
    body: { variables: { body: ["25OFF", "25%"], buttons: [null, "25OFF"] } },
    sent: [inBody("25OFF", "25%"), code(1, "25OFF")],
  },
  coupon_alone: {
    category: MARKETING,
    components: [body("A gift for you."), buttons(copy)],
    body: { variables: { buttons: ["GIFT2027"] } },
    sent: [code(0, "GIFT2027")],
  },
  coupon_and_link: {
    category: MARKETING,
    components: [top("IMAGE"), body("For you, {{1}}."), buttons(copy, url("Shop", "https://s.example/?c={{1}}"))],
    body: { ...atImage, variables: { body: ["Anna"], buttons: ["ANNA20", "ANNA20"] } },
    sent: [image, inBody("Anna"), code(0, "ANNA20"), link(1, "ANNA20")],
  },
  coupon_plain_link: {
    category: MARKETING,
    components: [body("20% for you."), buttons(copy, url("Shop", "https://s.example/"), phone("Call"))],
    body: { variables: { buttons: ["fLBponPDsqF0KQThzkrf"] } },
    sent: [code(0, "fLBponPDsqF0KQThzkrf")],
  },

  // Limited-time offers.
  offer_full: {
    category: MARKETING,
    components: [
      top("IMAGE"),
      offer("Expiring offer!"),
      body("Good news, {{1}}! Use code {{2}}."),
      buttons(copy, url("Book now", "https://travel.example/offers?code={{1}}")),
    ],
    body: {
      ...atImage,
      offer_expires_at: END,
      variables: { body: ["Pablo", "CARIBE25"], buttons: ["CARIBE25", "n3mtql"] },
    },
    sent: [image, inBody("Pablo", "CARIBE25"), ends(END), code(0, "CARIBE25"), link(1, "n3mtql")],
  },
  offer_video: {
    category: MARKETING,
    components: [top("VIDEO"), offer("Last days"), body("Only now."), buttons(url("Book", "https://t.example/{{1}}"))],
    body: { media: { link: VIDEO }, offer_expires_at: END, variables: { buttons: ["b"] } },
    sent: [video, ends(END), link(0, "b")],
  },
  offer_plain_link: {
    category: MARKETING,
    components: [offer("Ends soon"), body("Only now."), buttons(copy, url("Shop", "https://s.example/"))],
    body: { offer_expires_at: "2027-12-01", variables: { buttons: ["NOW10"] } },
    sent: [ends("2027-12-01T00:00:00+01:00"), code(0, "NOW10")],
  },
  offer_without_end: {
    category: MARKETING,
    components: [offer("For members", false), body("Only for you."), buttons(copy)],
    body: { variables: { buttons: ["MEMBER"] } },
    sent: [code(0, "MEMBER")],
  },

  // Places.
  delivery: {
    category: UTILITY,
    components: [
      top("LOCATION"),
      body("Good news {{1}}! Order {{2}} is on its way here."),
      buttons(reply("Stop updates")),
    ],
    body: { location: SHOP, variables: ["Mark", "566701"] },
    sent: [place, inBody("Mark", "566701")],
  },
  find_us: {
    category: MARKETING,
    components: [top("LOCATION"), body("We have moved."), buttons(url("Route", "https://maps.example/{{1}}"))],
    body: { location: { latitude: -0.0000001, longitude: 180 }, variables: { buttons: ["shop-7"] } },
    sent: [
      inHeader({ type: "location", location: { latitude: "-0.000000100000000", longitude: "180" } }),
      link(0, "shop-7"),
    ],
  },
  pick_up: {
    category: UTILITY,
    components: [top("LOCATION"), body("Ready for pick-up.")],
    body: { location: { latitude: 48.1371, longitude: 11.5754, name: "Locker 7" } },
    sent: [inHeader({ type: "location", location: { latitude: "48.1371", longitude: "11.5754", name: "Locker 7" } })],
  },

  // Forms and calls.
  sign_up_form: {
    category: MARKETING,
    components: [body("Join our club, {{1}}."), buttons(flow("Sign up"))],
    body: { variables: { body: ["Anna"], buttons: ["club-7"] } },
    sent: [inBody("Anna"), action("flow", 0, { flow_token: "club-7" })],
  },
  feedback_form: {
    category: UTILITY,
    components: [top("IMAGE"), body("How was it?"), buttons(reply("Not now"), flow("Tell us"))],
    body: { ...atImage, variables: { buttons: ["feedback-7"] } },
    sent: [image, action("flow", 1, { flow_token: "feedback-7" })],
  },
  call_permission: {
    category: MARKETING,
    components: [body("We would like to call you about order {{1}}."), { type: "CALL_PERMISSION_REQUEST" }],
    body: { variables: ["A-17"] },
    sent: [inBody("A-17")],
  },
  call_us: {
    category: UTILITY,
    components: [body("Any questions?"), buttons({ type: "VOICE_CALL", text: "Call on WhatsApp" })],
    body: {},
    sent: undefined,
  },
  call_and_link: {
    category: UTILITY,
    components: [
      body("Help?"),
      buttons({ type: "VOICE_CALL", text: "Call" }, url("Help", "https://s.example/help/{{1}}")),
    ],
    body: { variables: { buttons: ["A-17"] } },
    sent: [link(1, "A-17")],
  },

  // Catalogues and products.
  catalogue: {
    category: MARKETING,
    components: [body("Rs {{1}} off."), footer("Best deals"), buttons({ type: "CATALOG", text: "View catalog" })],
    body: { variables: ["100"], products: { thumbnail: "2lc20305pt" } },
    sent: [inBody("100"), action("CATALOG", 0, { thumbnail_product_retailer_id: "2lc20305pt" })],
  },
  catalogue_first_picture: {
    category: MARKETING,
    components: [body("See all."), buttons({ type: "CATALOG", text: "View catalog" })],
    body: { products: {} },
    sent: [{ type: "button", sub_type: "CATALOG", index: "0" }],
  },
  abandoned_cart: {
    category: MARKETING,
    components: [header("Forget something, {{1}}?"), body("Use {{1}}."), buttons({ type: "MPM", text: "View items" })],
    body: {
      variables: { header: ["Pablo"], body: ["10OFF"] },
      products: {
        thumbnail: "2lc20305pt",
        sections: [
          { title: "Popular bundles", items: ["2lc20305pt", "nseiw1x3ch"] },
          { title: "Premium packages", items: ["n6k6x0y7oe"] },
        ],
      },
    },
    sent: [
      inHeader(text("Pablo")),
      inBody("10OFF"),
      action("mpm", 0, {
        thumbnail_product_retailer_id: "2lc20305pt",
        sections: [
          {
            title: "Popular bundles",
            product_items: [{ product_retailer_id: "2lc20305pt" }, { product_retailer_id: "nseiw1x3ch" }],
          },
          { title: "Premium packages", product_items: [{ product_retailer_id: "n6k6x0y7oe" }] },
        ],
      }),
    ],
  },
  picks_of_the_week: {
    category: MARKETING,
    components: [body("Our picks."), buttons({ type: "MPM", text: "View items" })],
    body: { products: { thumbnail: "a", sections: [{ items: ["a", "b"] }] } },
    sent: [
      action("mpm", 0, {
        thumbnail_product_retailer_id: "a",
        sections: [{ product_items: [{ product_retailer_id: "a" }, { product_retailer_id: "b" }] }],
      }),
    ],
  },
  one_product: {
    category: MARKETING,
    components: [top("PRODUCT"), body("Use {{1}} for {{2}} off."), buttons({ type: "SPM", text: "View" })],
    body: { variables: ["25OFF", "25%"], products: { catalog_id: CATALOG, thumbnail: "nqryix03ez" } },
    sent: [product("nqryix03ez"), inBody("25OFF", "25%")],
  },
  one_product_named: {
    category: MARKETING,
    isNamed: true,
    components: [
      top("PRODUCT"),
      body("Use {{code}} to get {{percent}} off."),
      footer("Ends soon"),
      buttons({ type: "SPM", text: "View" }),
    ],
    body: {
      variables: { body: { code: "25OFF", percent: "25%" } },
      products: { catalog_id: CATALOG, thumbnail: "n7" },
    },
    sent: [product("n7"), { type: "body", parameters: [named("code", "25OFF"), named("percent", "25%")] }],
  },

  // Carousels.
  carousel_media: {
    category: MARKETING,
    components: [
      body("Rare succulents, {{1}}: {{2}} with {{3}}."),
      carousel(3, [top("IMAGE"), buttons(reply("More like this"), url("Shop", "https://s.example/succulents/{{1}}"))]),
    ],
    body: {
      variables: ["Pablo", "20%", "20OFF"],
      cards: [
        { ...atImage, buttons: ["more-aloes", "blue-elf"] },
        { ...atImage, buttons: ["more-crassulas", "buddhas-temple"] },
        { ...atImage, buttons: ["more-echeverias", "black-prince"] },
      ],
    },
    sent: [
      inBody("Pablo", "20%", "20OFF"),
      cards(
        [image, payload(0, "more-aloes"), link(1, "blue-elf")],
        [image, payload(0, "more-crassulas"), link(1, "buddhas-temple")],
        [image, payload(0, "more-echeverias"), link(1, "black-prince")],
      ),
    ],
  },
  carousel_texts: {
    category: MARKETING,
    components: [
      body("This week."),
      carousel(2, [top("IMAGE"), body("{{1}} for {{2}} only."), buttons(url("Buy", "https://s.example/{{1}}"))]),
    ],
    body: {
      cards: [
        { ...atImage, body: ["Aloe", "€ 9"], buttons: ["aloe"] },
        { ...atImage, body: ["Agave", 12], buttons: ["agave"] },
      ],
    },
    sent: [cards([image, inBody("Aloe", "€ 9"), link(0, "aloe")], [image, inBody("Agave", "12"), link(0, "agave")])],
  },
  carousel_named: {
    category: MARKETING,
    isNamed: true,
    components: [
      body("For you, {{name}}."),
      carousel(2, [top("IMAGE"), body("{{plant}} for {{price}}."), buttons(url("Buy", "https://s.example/{{1}}"))]),
    ],
    body: {
      variables: { body: { name: "Anna" } },
      cards: [
        { ...atImage, body: { price: "€ 9", plant: "Aloe" }, buttons: ["aloe"] },
        { ...atImage, body: { plant: "Agave", price: "€ 12" }, buttons: ["agave"] },
      ],
    },
    sent: [
      { type: "body", parameters: [named("name", "Anna")] },
      cards(
        [image, { type: "body", parameters: [named("plant", "Aloe"), named("price", "€ 9")] }, link(0, "aloe")],
        [image, { type: "body", parameters: [named("plant", "Agave"), named("price", "€ 12")] }, link(0, "agave")],
      ),
    ],
  },
  carousel_video: {
    category: MARKETING,
    components: [
      body("Watch."),
      carousel(2, [top("VIDEO"), buttons(url("Shop", "https://s.example/"), phone("Call"))]),
    ],
    body: { cards: [{ media: { link: VIDEO } }, { media: { link: VIDEO } }] },
    sent: [cards([video], [video])],
  },
  carousel_replies: {
    category: MARKETING,
    components: [
      body("Which one?"),
      carousel(2, [top("IMAGE"), body("Look."), buttons(reply("This one"), reply("More"))]),
    ],
    body: { cards: [{ ...atImage, buttons: ["one", null] }, atImage] },
    sent: [cards([image, payload(0, "one")], [image])],
  },
  carousel_ten: {
    category: MARKETING,
    components: [
      body("Ten rooms in {{1}}."),
      carousel(10, [top("IMAGE"), buttons(url("Book", "https://h.example/{{1}}"))]),
    ],
    body: {
      variables: ["Rome"],
      cards: Array.from({ length: 10 }, (_, index) => ({ ...atImage, buttons: [`r${index}`] })),
    },
    sent: [inBody("Rome"), cards(...Array.from({ length: 10 }, (_, index) => [image, link(0, `r${index}`)]))],
  },
  carousel_products: {
    category: MARKETING,
    components: [body("For you, {{1}}."), carousel(2, [top("PRODUCT"), buttons({ type: "SPM", text: "View" })])],
    body: {
      variables: ["Pablo"],
      products: { catalog_id: CATALOG },
      cards: [{ product: "vrpj01fvwp" }, { product: "va2l5ioeat" }, { product: "sqpjv0mgde" }],
    },
    sent: [inBody("Pablo"), cards([product("vrpj01fvwp")], [product("va2l5ioeat")], [product("sqpjv0mgde")])],
  },
  carousel_product_links: {
    category: MARKETING,
    components: [body("New."), carousel(2, [top("PRODUCT"), buttons(url("Buy now", "https://s.example/buy/{{1}}"))])],
    body: {
      products: { catalog_id: CATALOG },
      cards: [
        { product: "a", buttons: ["a"] },
        { product: "b", buttons: ["b"] },
      ],
    },
    sent: [cards([product("a"), link(0, "a")], [product("b"), link(0, "b")])],
  },

  // Orders to pay.
  pay_by_pix: {
    category: UTILITY,
    isSingle: true,
    components: [body("Your order {{1}}."), buttons({ type: "ORDER_DETAILS", text: "Copy Pix code" })],
    body: { variables: ["A-17"], order_details: pix },
    sent: [inBody("A-17"), action("order_details", 0, { order_details: pix })],
  },
  pay_by_upi: {
    category: UTILITY,
    isSingle: true,
    components: [top("DOCUMENT"), body("Your bill."), buttons({ type: "ORDER_DETAILS", text: "Review and Pay" })],
    body: { media: { link: PDF }, order_details: upi },
    sent: [
      inHeader({ type: "document", document: { link: PDF, filename: "Invoice 7.pdf" } }),
      action("order_details", 0, { order_details: upi }),
    ],
  },
  pay_nothing: {
    category: UTILITY,
    isSingle: true,
    components: [body("Your bill."), buttons({ type: "ORDER_DETAILS", text: "Review and Pay" })],
    body: { order_details: { ...upi, total_amount: { value: 0, offset: 1 } } },
    sent: [action("order_details", 0, { order_details: { ...upi, total_amount: { value: 0, offset: 1 } } })],
  },
};

/** What a template needs beside texts and a file, by the members of its request. */
export function membersOf({ body: given }: ApprovedCase): string[] {
  const { variables, media: _, ...parts } = given;
  const values = (variables as { buttons?: unknown[] } | undefined)?.buttons ?? [];
  return [...(values.length > 0 ? ["variables.buttons"] : []), ...Object.keys(parts)];
}

interface Limit {
  /** The field that is refused at `max` + 1. */
  field: string;
  max: number;
  template: string;
  body: (size: number) => Record<string, unknown>;
}

const x = (size: number) => "x".repeat(size);
const TRACK = "https://s.example/orders/".length;
const CARD = "{{1}} for {{2}} only.";

/** Every limit of what a request gives a template. */
export const templateLimits: Limit[] = [
  {
    field: "variables.buttons.0",
    max: 2_000 - TRACK,
    template: "track_order",
    body: (size) => ({ variables: { body: ["A"], buttons: [x(size)] } }),
  },
  {
    field: "variables.buttons.0",
    max: 20,
    template: "coupon_alone",
    body: (size) => ({ variables: { buttons: [x(size)] } }),
  },
  {
    field: "variables.buttons.0",
    max: 256,
    template: "survey",
    body: (size) => ({ variables: { buttons: [x(size), null, null] } }),
  },
  {
    field: "variables.buttons.0",
    max: 256,
    template: "sign_up_form",
    body: (size) => ({ variables: { body: ["A"], buttons: [x(size)] } }),
  },
  {
    field: "variables.buttons",
    max: 2,
    template: "two_links",
    body: (size) => ({ variables: { body: ["A"], buttons: Array.from({ length: size }, () => "a") } }),
  },
  {
    field: "products.thumbnail",
    max: 100,
    template: "catalogue",
    body: (size) => ({ variables: ["1"], products: { thumbnail: x(size) } }),
  },
  {
    field: "products.sections.0.title",
    max: 24,
    template: "picks_of_the_week",
    body: (size) => ({ products: { thumbnail: "a", sections: [{ title: x(size), items: ["a"] }] } }),
  },
  {
    field: "products.sections",
    max: 10,
    template: "picks_of_the_week",
    body: (size) => ({
      products: {
        thumbnail: "a",
        sections: Array.from({ length: size }, (_, at) => ({ title: `s${at}`, items: ["a"] })),
      },
    }),
  },
  {
    field: "products.sections.0.items",
    max: 30,
    template: "picks_of_the_week",
    body: (size) => ({ products: { thumbnail: "a", sections: [{ items: Array.from({ length: size }, () => "a") }] } }),
  },
  {
    field: "products.sections",
    max: 30,
    template: "picks_of_the_week",
    body: (size) => ({
      products: {
        thumbnail: "a",
        sections: [
          { title: "one", items: Array.from({ length: 15 }, () => "a") },
          { title: "two", items: Array.from({ length: size - 15 }, () => "a") },
        ],
      },
    }),
  },
  {
    field: "cards",
    max: 3,
    template: "carousel_media",
    body: (size) => ({
      variables: ["A", "B", "C"],
      cards: Array.from({ length: size }, () => ({ ...atImage, buttons: ["a", "b"] })),
    }),
  },
  {
    field: "cards",
    max: 10,
    template: "carousel_products",
    body: (size) => ({
      variables: ["A"],
      products: { catalog_id: CATALOG },
      cards: Array.from({ length: size }, () => ({ product: "a" })),
    }),
  },
  {
    field: "cards.1.body",
    max: 160,
    template: "carousel_texts",
    body: (size) => ({
      cards: [
        { ...atImage, body: ["A", "B"], buttons: ["a"] },
        { ...atImage, body: ["A", x(size - CARD.length + "{{1}}{{2}}".length - 1)], buttons: ["a"] },
      ],
    }),
  },
  {
    field: "cards.0.buttons.0",
    max: 256,
    template: "carousel_replies",
    body: (size) => ({ cards: [{ ...atImage, buttons: [x(size), null] }, atImage] }),
  },
  {
    field: "cards.0.buttons.0",
    max: 2_000 - "https://s.example/".length,
    template: "carousel_texts",
    body: (size) => ({
      cards: [
        { ...atImage, body: ["A", "B"], buttons: [x(size)] },
        { ...atImage, body: ["A", "B"], buttons: ["a"] },
      ],
    }),
  },
  {
    field: "order_details.reference_id",
    max: 35,
    template: "pay_by_upi",
    body: (size) => ({ media: { link: PDF }, order_details: { ...upi, reference_id: x(size) } }),
  },
];

/** Requests that do not fit their template, with the fields of the refusal. */
export const wrongParts: Record<string, [template: string, body: Record<string, unknown>, fields: string[]]> = {
  "a place without a place at the top": ["hello", { location: SHOP }, ["location"]],
  "an end without an offer": ["hello", { offer_expires_at: END }, ["offer_expires_at"]],
  "an end of an offer without one": [
    "offer_without_end",
    { offer_expires_at: END, variables: { buttons: ["A"] } },
    ["offer_expires_at"],
  ],
  "an offer that is over": [
    "offer_plain_link",
    { offer_expires_at: "2020-01-01", variables: { buttons: ["A"] } },
    ["offer_expires_at"],
  ],
  "an end that is no time": [
    "offer_plain_link",
    { offer_expires_at: "soon", variables: { buttons: ["A"] } },
    ["offer_expires_at"],
  ],
  "cards without a carousel": ["hello", { cards: [{ product: "a" }] }, ["cards"]],
  "products without any": ["hello", { products: {} }, ["products"]],
  "an order without one": ["hello", { order_details: upi }, ["order_details"]],
  "values without buttons": ["hello", { variables: { buttons: ["a"] } }, ["variables.buttons"]],
  "sections of a catalogue": [
    "catalogue",
    { variables: ["1"], products: { sections: [{ items: ["a"] }] } },
    ["products.sections"],
  ],
  "products without a picture and sections": [
    "picks_of_the_week",
    { products: {} },
    ["products.sections", "products.thumbnail"],
  ],
  "sections without titles": [
    "picks_of_the_week",
    { products: { thumbnail: "a", sections: [{ items: ["a"] }, { items: ["b"] }] } },
    ["products.sections.0.title", "products.sections.1.title"],
  ],
  "a product without its catalogue": [
    "one_product",
    { variables: ["a", "b"], products: { thumbnail: "a" } },
    ["products.catalog_id"],
  ],
  "product cards without their products": [
    "carousel_products",
    { variables: ["A"], products: { catalog_id: CATALOG }, cards: [{}, { product: "a" }] },
    ["cards.0.product"],
  ],
  "one product card": [
    "carousel_products",
    { variables: ["A"], products: { catalog_id: CATALOG }, cards: [{ product: "a" }] },
    ["cards"],
  ],
  "a product on a card with a picture": [
    "carousel_replies",
    { cards: [{ ...atImage, product: "a" }, atImage] },
    ["cards.0.product"],
  ],
  "a file on a card with a product": [
    "carousel_products",
    { variables: ["A"], products: { catalog_id: CATALOG }, cards: [{ product: "a", ...atImage }, { product: "b" }] },
    ["cards.0.media"],
  ],
  "too few cards": ["carousel_replies", { cards: [atImage] }, ["cards"]],
  "values by position for named cards": [
    "carousel_named",
    {
      variables: { body: { name: "A" } },
      cards: [
        { ...atImage, body: ["a", "b"], buttons: ["c"] },
        { ...atImage, body: { plant: "a", price: "b" }, buttons: ["c"] },
      ],
    },
    ["cards.0.body"],
  ],
  "a name that a card does not have": [
    "carousel_named",
    {
      variables: { body: { name: "A" } },
      cards: [
        { ...atImage, body: { plnt: "a", price: "b" }, buttons: ["c"] },
        { ...atImage, body: { plant: "a", price: "b" }, buttons: ["c"] },
      ],
    },
    ["cards.0.body.plnt"],
  ],
  "names for numbered cards": [
    "carousel_texts",
    {
      cards: [
        { ...atImage, body: { a: "b" }, buttons: ["c"] },
        { ...atImage, body: ["a", "b"], buttons: ["c"] },
      ],
    },
    ["cards.0.body"],
  ],
  "a code with a hyphen": ["coupon_alone", { variables: { buttons: ["SUMMER-20"] } }, ["variables.buttons.0"]],
  "a whole address as its end": [
    "track_order",
    { variables: { body: ["A"], buttons: ["https://s.example/orders/A"] } },
    ["variables.buttons.0"],
  ],
  "a blank value of a button": ["track_order", { variables: { body: ["A"], buttons: [" "] } }, ["variables.buttons.0"]],
  "a value of a button with a line break": [
    "survey",
    { variables: { buttons: ["a\nb", null, null] } },
    ["variables.buttons.0"],
  ],
  "buttons that are no list": ["track_order", { variables: { body: ["A"], buttons: "A" } }, ["variables.buttons"]],
  "cards that are no list": ["carousel_media", { variables: ["A", "B", "C"], cards: {} }, ["cards"]],
  "a misspelt member of a card": [
    "carousel_replies",
    { cards: [{ ...atImage, buton: ["a"] }, atImage] },
    ["cards.0.buton"],
  ],
  "a place beyond the poles": ["pick_up", { location: { latitude: 91, longitude: 0 } }, ["location.latitude"]],
  "a card's link that is no https": [
    "carousel_replies",
    { cards: [{ media: { link: "http://a.example/a.jpg" } }, atImage] },
    ["cards.0.media.link"],
  ],
  "a card with a link and an upload": [
    "carousel_replies",
    { cards: [{ media: { link: IMAGE, id: 1 } }, atImage] },
    ["cards.0.media.id", "cards.0.media.link"],
  ],
  "an unknown upload on a card": ["carousel_replies", { cards: [{ media: { id: 1 } }, atImage] }, ["cards.0.media.id"]],
  "a place with a blank name": ["pick_up", { location: { ...SHOP, name: " " } }, ["location.name"]],
  "no sections": ["picks_of_the_week", { products: { thumbnail: "a", sections: [] } }, ["products.sections"]],
  "a section without products": [
    "picks_of_the_week",
    { products: { thumbnail: "a", sections: [{ items: [] }] } },
    ["products.sections.0.items"],
  ],
  "a blank product": [
    "picks_of_the_week",
    { products: { thumbnail: " ", sections: [{ items: ["a"] }] } },
    ["products.thumbnail"],
  ],
  "a blank product on a card": [
    "carousel_products",
    { variables: ["A"], products: { catalog_id: CATALOG }, cards: [{ product: " " }, { product: "a" }] },
    ["cards.0.product"],
  ],
  "an order with a blank reference": [
    "pay_by_pix",
    { variables: ["A"], order_details: { ...pix, reference_id: " " } },
    ["order_details.reference_id"],
  ],
  "an order below zero": [
    "pay_by_pix",
    { variables: ["A"], order_details: { ...pix, total_amount: amount(-1) } },
    ["order_details.total_amount.value"],
  ],
  "an order in units of nothing": [
    "pay_by_pix",
    { variables: ["A"], order_details: { ...pix, total_amount: { value: 1, offset: 0 } } },
    ["order_details.total_amount.offset"],
  ],
  "an order in a currency of four letters": [
    "pay_by_pix",
    { variables: ["A"], order_details: { ...pix, currency: "BRLL" } },
    ["order_details.currency"],
  ],
  "an order in small letters": [
    "pay_by_pix",
    { variables: ["A"], order_details: { ...pix, currency: "brl" } },
    ["order_details.currency"],
  ],
  "an order without its total": [
    "pay_by_pix",
    { variables: ["A"], order_details: { ...pix, total_amount: undefined } },
    ["order_details.total_amount"],
  ],
};

/** What is missing, with the code of the refusal. */
export const missingParts: Record<string, [template: string, body: Record<string, unknown>, code: string]> = {
  "the end of a link": ["track_order", { variables: ["A"] }, "missing_variable"],
  "one of two links": ["two_links", { variables: { body: ["A"], buttons: ["a"] } }, "missing_variable"],
  "a link that is null": ["reply_and_link", { variables: { buttons: ["a", null] } }, "missing_variable"],
  "one of three payloads": ["survey", { variables: { buttons: ["a"] } }, "missing_variable"],
  "a coupon's code": ["coupon_alone", {}, "missing_variable"],
  "a token": ["sign_up_form", { variables: ["A"] }, "missing_variable"],
  "a place": ["pick_up", {}, "unsupported_template"],
  "the end of an offer": ["offer_plain_link", { variables: { buttons: ["A"] } }, "unsupported_template"],
  "the products": ["picks_of_the_week", {}, "unsupported_template"],
  "the catalogue": ["catalogue", { variables: ["1"] }, "unsupported_template"],
  "the cards": ["carousel_media", { variables: ["A", "B", "C"] }, "unsupported_template"],
  "the order": ["pay_by_pix", { variables: ["A"] }, "unsupported_template"],
  "a card's picture": ["carousel_replies", { cards: [{}, atImage] }, "missing_media"],
  "a card's value": [
    "carousel_texts",
    {
      cards: [
        { ...atImage, body: ["A"], buttons: ["a"] },
        { ...atImage, body: ["A", "B"], buttons: ["a"] },
      ],
    },
    "missing_variable",
  ],
  "the end of a card's link": [
    "carousel_texts",
    {
      cards: [
        { ...atImage, body: ["A", "B"] },
        { ...atImage, body: ["A", "B"], buttons: ["a"] },
      ],
    },
    "missing_variable",
  ],
  "a name of a card": [
    "carousel_named",
    {
      variables: { body: { name: "A" } },
      cards: [
        { ...atImage, body: { plant: "a" }, buttons: ["c"] },
        { ...atImage, body: { plant: "a", price: "b" }, buttons: ["c"] },
      ],
    },
    "missing_variable",
  ],
};
