/**
 * What WhatsApp tends to put in another category or to reject in a review, as its pages say. A hint is about what a reviewer
 * may find, so it stops nothing. Words are known in some languages only, and a text without them may be found all the same.
 */
import { allButtons, allPartsOf, buttonsOf, type Candidate, formatOf, isLogin, partsOf, textIn } from "./candidate.ts";
import type { Finding, TemplateRule } from "./rule.ts";
import { countWords, namesIn } from "./text.ts";

const CATEGORIES = "templates/template-categorization";
const REVIEW = "templates/template-review";

/** Below Meta's documentation of WhatsApp. */
const PAGES = "https://developers.facebook.com/documentation/business-messaging/whatsapp/";

/** The page that a hint is taken from. */
export function sourceOf({ from }: Pick<TemplateRule, "from">): string {
  return PAGES + from;
}

/** Fewer words say too little for a reviewer to tell what the message is about. */
const CLEAR_WORDS = 4;

/** Expressions, by language: English, German, Spanish, Portuguese, French, Italian, Indonesian, Hindi, Arabic. */
const OFFERS = [
  "\\d+ ?% off|discounts?|discounted|sale|clearance|special offers?|limited[- ]time|coupons?|vouchers?|promo|promo codes?|promotions?",
  "free (?:shipping|delivery|gift|trial)|(?:buy|shop|order|upgrade) now|hot deals|cashback|double points|exclusive offers?|new arrivals",
  "rabatt|gutschein|gutscheincode|sonderangebote?|aktionspreis|jetzt (?:kaufen|shoppen|zugreifen)|versandkostenfrei",
  "descuentos?|ofertas?|cup[oó]n|promoci[oó]n|promociones|rebajas?|compra ahora|env[ií]o gratis",
  "descontos?|cupom|promoç(?:ão|ões)|compre agora|frete gr[aá]tis",
  "remises?|soldes|code promo|bon d'achat|achetez maintenant|livraison gratuite",
  "sconto|sconti|offerta|promozione|promozioni|acquista ora|spedizione gratuita",
  "diskon|gratis ongkir|beli sekarang",
  "छूट|डिस्काउंट|ऑफ़र|ऑफर",
  "خصم|تخفيضات|عرض خاص|كوبون",
];
const RETURNS = [
  "(?:left|forgot) (?:something|items?|it|them)?[^.]{0,20}in your cart|your cart (?:is|misses)|abandoned cart|complete your purchase",
  "(?:we|we've) miss(?:ed)? you|come back (?:to us|soon)|haven't seen you",
  "(?:in|aus) (?:deinem|ihrem) warenkorb|wir vermissen (?:dich|sie)",
  "(?:en|de) (?:tu|su) carrito|te extrañamos|no seu carrinho|sentimos sua falta|dans votre panier|nel (?:tuo|suo) carrello",
  "di keranjang",
];
const APPS = [
  "(?:download|install|get) (?:our|the) (?:new )?app|(?:unsere|die) app (?:herunterladen|laden|installieren)",
  "descarga (?:nuestra|la) app|baixe (?:o|nosso) app|t[eé]l[eé]chargez (?:notre|l')\\s?appli(?:cation)?|scarica (?:la nostra|l')\\s?app",
];
const GREETINGS = [
  "happy (?:birthday|new year|diwali|holidays|easter|eid|holi|anniversary)|merry christmas|season's greetings|eid mubarak|ramadan kareem",
  "alles gute zum geburtstag|frohe weihnachten|frohes neues jahr|feliz (?:cumpleaños|navidad|año nuevo|anivers[aá]rio|natal|ano novo)",
  "joyeux (?:anniversaire|no[eë]l)|bonne année|buon (?:compleanno|natale|anno)|selamat (?:ulang tahun|natal|tahun baru|idul fitri)",
];
const SECRETS = [
  "(?:full |credit |debit )?card number|cvv|cvc|passwords?|bank account number|account number and|social security number|passport number",
  "national id(?:entification)? number|aadhaar(?: number)?|kreditkartennummer|passwort|ausweisnummer|número de tarjeta|contraseña",
  "número do cartão|senha|cpf completo|numéro de carte|mot de passe|numero di carta",
];
const ASKING =
  "reply with|send (?:us|me)|share|enter|provide|confirm|tell us|give us|senden sie|schicken sie|geben sie|envíe|envíanos|indique|envie|informe|envoyez|indiquez|inviaci";
const THREATS = [
  "legal action|lawsuits?|sue you|take you to court|report you to the police|tell your (?:family|friends|employer)|publish your name",
  "rechtliche schritte|anzeige erstatten|acciones legales|ações judiciais|medidas judiciais|poursuites judiciaires|azioni legali",
];
const SHORTENED = [
  "bit\\.ly",
  "tinyurl\\.com",
  "goo\\.gl",
  "t\\.co",
  "ow\\.ly",
  "is\\.gd",
  "cutt\\.ly",
  "rebrand\\.ly",
];
const CHATS = ["wa\\.me", "api\\.whatsapp\\.com", "chat\\.whatsapp\\.com"];

/** Not inside a longer word, in any script. */
function wordsOf(expressions: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${expressions.join("|")})(?![\\p{L}\\p{M}\\p{N}])`, "iu");
}

interface Text {
  path: string;
  text: string;
}

/** Every text that people read: headers, bodies and footers, of the message and of cards, and the labels of buttons. */
function shownTexts(candidate: Candidate): Text[] {
  if (isLogin(candidate)) return [];
  const texts = ["HEADER", "BODY", "FOOTER"].flatMap((type) => allPartsOf(candidate, type));
  return [
    ...texts.map(({ path, given }) => ({ path: `${path}.text`, text: textIn(given, "text") })),
    ...allButtons(candidate).map(({ path, text }) => ({ path: `${path}.text`, text })),
  ];
}

/** The first of the words in each text that has one. */
function finding(expressions: readonly string[]): (texts: readonly Text[]) => Finding[] {
  const words = wordsOf(expressions);
  return (texts) =>
    texts.flatMap(({ path, text }) => {
      const about = words.exec(text)?.[0];
      return about === undefined ? [] : [{ path, about }];
    });
}

const find = {
  offers: finding(OFFERS),
  returns: finding(RETURNS),
  apps: finding(APPS),
  greetings: finding(GREETINGS),
  secrets: finding(SECRETS),
  threats: finding(THREATS),
  shortened: finding(SHORTENED),
  chats: finding(CHATS),
};
const asking = wordsOf([ASKING]);

function ofUtility(candidate: Candidate, act: (texts: Text[]) => Finding[]): Finding[] {
  return candidate.category === "UTILITY" ? act(shownTexts(candidate)) : [];
}

/** The body of the message; none if it is empty, which a rule says. */
function body(candidate: Candidate): Text[] {
  if (isLogin(candidate)) return [];
  return partsOf(candidate, "BODY")
    .map(({ path, given }) => ({ path: `${path}.text`, text: textIn(given, "text") }))
    .filter(({ text }) => text.trim() !== "");
}

/** Whether any part differs from person to person. */
function isPersonal(candidate: Candidate): boolean {
  const texts = [...allPartsOf(candidate, "HEADER"), ...allPartsOf(candidate, "BODY")];
  if (texts.some((part) => namesIn(textIn(part.given, "text")).length > 0)) return true;
  if (partsOf(candidate, "HEADER").some((part) => ["DOCUMENT", "LOCATION"].includes(formatOf(part)))) return true;
  return partsOf(candidate, "BUTTONS")
    .flatMap(buttonsOf)
    .some(({ type, given }) => type === "ORDER_DETAILS" || namesIn(textIn(given, "url")).length > 0);
}

export const templateHints = {
  reads_as_offer: {
    from: CATEGORIES,
    says: "“%about” reads like an offer. WhatsApp makes a utility template that also advertises a marketing one, and bills it as that.",
    find: (candidate) => ofUtility(candidate, find.offers),
  },
  reads_as_reminder: {
    from: CATEGORIES,
    says: "“%about” reads like an invitation to come back. WhatsApp counts reminders of a cart or a visit as marketing.",
    find: (candidate) => ofUtility(candidate, find.returns),
  },
  reads_as_app_promotion: {
    from: CATEGORIES,
    says: "“%about” asks people to install an app. WhatsApp counts that as marketing.",
    find: (candidate) => ofUtility(candidate, find.apps),
  },
  reads_as_greeting: {
    from: CATEGORIES,
    says: "“%about” is a greeting. WhatsApp counts greetings on occasions as marketing.",
    find: (candidate) => ofUtility(candidate, find.greetings),
  },
  same_for_everybody: {
    from: CATEGORIES,
    says: "Everybody gets the same words. A utility message is about something of the person: name the order, the date or the account with a placeholder, or WhatsApp may count it as marketing.",
    find: (candidate) =>
      candidate.category === "UTILITY" && !isPersonal(candidate) ? body(candidate).map(({ path }) => ({ path })) : [],
  },
  purpose_unclear: {
    from: CATEGORIES,
    limit: CLEAR_WORDS,
    says: "From so few words WhatsApp cannot tell what the message is about: it may reject the template, or count it as marketing.",
    find: (candidate, limit) =>
      body(candidate).flatMap(({ path, text }) => (countWords(text) < limit ? [{ path }] : [])),
  },
  asks_for_secret: {
    from: REVIEW,
    says: "WhatsApp rejects templates that ask for “%about” in full. The last digits are allowed.",
    find: (candidate) => find.secrets(shownTexts(candidate).filter(({ text }) => asking.test(text))),
  },
  reads_as_threat: {
    from: REVIEW,
    says: "“%about” may be read as a threat, for which WhatsApp rejects a template.",
    find: (candidate) => find.threats(shownTexts(candidate)),
  },
  text_link_shortened: {
    from: REVIEW,
    says: "WhatsApp rejects short links such as %about, because they hide where they lead: write the whole address.",
    find: (candidate) => find.shortened(shownTexts(candidate)),
  },
  text_link_to_chat: {
    from: REVIEW,
    says: "WhatsApp rejects links to a WhatsApp chat, such as %about: people can answer the message.",
    find: (candidate) => find.chats(shownTexts(candidate)),
  },
  name_says_nothing: {
    from: REVIEW,
    says: "The name tells WhatsApp's reviewers nothing: take one that says what the message is for, such as order_ready.",
    find: ({ name }) =>
      /^(?:template|test|message|msg|new|untitled|temp)?[_\d]*$/.test(name) && name !== "" ? [{ path: "name" }] : [],
  },
} as const satisfies Readonly<Record<string, TemplateRule>>;
