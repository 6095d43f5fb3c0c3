/**
 * Names of columns in files that other programs export and people write, in nine languages, folded to letters and digits
 * without accents. The names of profile fields that are not here stand in `profile-fields.ts`.
 */

/** What programs put around the name of a field of a person's address. */
export const QUALIFIERS =
  /^(?:billing|mailing|primary|home|business|work|buyer|customer|contact|address1|defaultaddress|person)|(?:geschaftlich|privat|bureau|domicile|(?:de|del)?trabajo|particular|comercial|residencial|ufficio|abitazione)$/;

/** Names that may mean something else where another column has the field: the number of an order, the id of a customer. */
export const WEAK_NAMES: readonly string[] = [
  ...["number", "numero", "nummer", "kunde", "client", "cliente", "recipientname", "ansprechpartner", "contactperson"],
];

/** A first name in these columns makes "Name" beside it the last name; a last name in those, the first name. */
export const LAST_BESIDE: Readonly<Record<string, readonly string[]>> = { name: ["vorname"], nom: ["prenom"] };
export const FIRST_BESIDE: Readonly<Record<string, readonly string[]>> = {
  nombre: ["apellidos", "apellido"],
  nome: ["sobrenome", "cognome", "apelido"],
};

export const EXTRA_NAMES: Readonly<Record<string, readonly string[]>> = {
  name: [
    ...["contactperson", "clientname", "buyername", "recipientname", "personname", "kunde", "ansprechpartner"],
    ...["nombredelcliente", "nombrecliente", "nomedocliente", "nomecliente", "nomduclient", "nomclient", "client"],
    ...["naam", "ग्राहककानाम", "اسمالعميل", "姓名", "氏名", "имя", "adsoyad"],
    "pushname",
    "profilename",
    "namapelanggan",
    "nama",
    "namalengkap",
    "nombrecompleto",
    "nomecompleto",
    "nomcomplet",
    "nominativo",
    "vollstandigername",
    "kundenname",
    "cliente",
    "नाम",
    "पूरानाम",
    "الاسم",
    "اسم",
    "الاسمالكامل",
    "fn",
    "savedname",
    "publicname",
  ],
  first_name: ["fname", "namadepan", "primernombre", "nombres", "primeironome", "पहलानाम", "الاسمالاول"],
  last_name: ["lname", "namabelakang", "cognome", "nomdefamille", "उपनाम", "اسمالعائلة"],
  email: [
    ...["email1value", "email1address", "emailwork", "personemailwork"],
    "emailadresse",
    "direcciondecorreoelectronico",
    "enderecodeemail",
    "adressedemessagerie",
    "adressemail",
    "indirizzopostaelettronica",
    "alamatemail",
    "emailid",
    "surel",
    "ईमेल",
    "البريدالالكتروني",
    "courriel",
    "indirizzoemail",
  ],
  city: [
    ...["poblacion", "localidad", "comune", "suburb", "sheher", "城市"],
    "wohnort",
    "municipio",
    "kota",
    "citta",
    "शहर",
    "المدينة",
  ],
  state: ["stateregion", "provinsi", "provincecode", ...["stateprovince", "uf", "provinciaoestado"], "राज्य", "regione"],
  postal_code: [
    ...["zippostalcode", "cp", "codicepostale", "eircode"],
    "kodepos",
    "cap",
    "codepostal",
    "postleitzahl",
    "पिनकोड",
    "الرمزالبريدي",
  ],
  company: [
    ...["accountname", "organizacion", "organizacao", "organizzazione"],
    "perusahaan",
    "azienda",
    "entreprise",
    "societe",
    "unternehmen",
    "organizationname",
    "organization1name",
    "associatedcompany",
    "कंपनी",
    "الشركة",
  ],
  birthday: [
    ...["gebdatum", "geb", "geburtstagsdatum", "geborenam", "nele", "neele", "nacimiento", "natoil", "ttl", "bday"],
    "tanggallahir",
    "tgllahir",
    "datadenascimento",
    "fechadenacimiento",
    "datedenaissance",
    "datadinascita",
    "anniversaire",
    "compleanno",
    "जन्मदिन",
    "जन्मतिथि",
    "تاريخالميلاد",
    "birthdate",
  ],
  tags: [
    ...["categories", "groupmembership", "etiquetas", "schlagworte", "kategorien", "etiquettes", "etichette", "label"],
    ...["categorias", "categorie", "टैग", "وسوم"],
  ],
};

/** The answer in the column says whether the person agreed. */
const CONSENT_NAMES = [
  ...["consent", "consentstatus", "optin", "optedin", "optinstatus", "whatsappoptin", "whatsappconsent"],
  ...["marketingconsent", "einwilligung", "consentimiento", "consentimento", "consentement", "consenso", "persetujuan"],
];
/** Some values in the column are a no; the others are about something else. */
const STATUS_NAMES = ["status", "statut", "stato", "subscription", "subscriptionstatus", "marketingcontactstatus"];
/** A yes, or a time, is a refusal. */
const REFUSED_NAMES = ["unsubtime", "dnd", "ndnc", "blocked", "isblocked", "stop", "baja"];

/** What the names of such columns hold in the nine languages, however the rest of the name is worded. */
const REFUSED_PART =
  /unsubscri|optout|optedout|desuscri|descadastr|desinscri|disiscri|abgemeldet|abbestellt|donotcontact|donotcall|donotdisturb|dndstatus|blacklist|blocklist|suppress|widerspr|widerruf|werbesperre|keinewerbung|nocontact|nollamar|nepascontact|naocontat|naoperturb|noncontatt|jangandihubungi/;
const AGREES =
  /accept|acept|aceit|accett|akzeptiert|erlaubt|zustimm|einwillig|einverst|permit|permis|autori|allow|agree|consent|optin|suscri|subscri|inscri|abonn|iscri|setuju|izin|langganan|receives?(?!d)|recibe|recebe|recoit|erhalt|riceve/;
const ABOUT =
  /market|promo|offer|ofert|offert|angebot|werbung|newsletter|campa|broadcast|sms|whatsapp|mail|messag|mensa|nachricht|pesan/;
/** Words that say it alone. */
const AGREEMENT =
  /^newsletter$|^(?:marketing|promotions?|promotional)(?:e?mails?|sms|whatsapp|messages?)?$|optin|optedin|consent|consens|einwillig|einverst|erlaubnis|permissionto|permisopara|permissaopara|persetujuan|(?:can|may|okto)contact|gdpr|dsgvo|lgpd|rgpd|^(?:is|has)?subscribed$|सहमत|موافق|اشتراك/;
/** What stands beside an answer: when, where and how it was given. */
const CIRCUMSTANCE =
  /(?:time|timestamp|date|datum|fecha|ip|source|method|channel|url|version|text|type|by|updated|(?:optin|optedin|consent|subscribed)at)$|^(?:date|datum|fecha|data|tanggal)/;

export type ConsentColumn = "answer" | "accepts" | "status" | "refused";

/** How a column of this folded name speaks of consent; null: it does not. */
export function consentColumnOf(folded: string): ConsentColumn | null {
  if (CONSENT_NAMES.includes(folded)) return "answer";
  if (REFUSED_NAMES.includes(folded) || REFUSED_PART.test(folded)) return "refused";
  if (STATUS_NAMES.includes(folded) || /^(?:e?mail|sms)subscriberstatus$|marketingstatus$/.test(folded))
    return "status";
  if (CIRCUMSTANCE.test(folded)) return null;
  return AGREEMENT.test(folded) || (AGREES.test(folded) && ABOUT.test(folded)) ? "accepts" : null;
}

/** Values of such columns. */
const OUT = [
  ...["optedout", "optout", "unsubscribed", "unsubscribe", "stop", "stopped", "blocked", "donotcontact", "dnd"],
  ...["abgemeldet", "baja", "dadodebaja", "desuscrito", "descadastrado", "desinscrit", "desabonne", "disiscritto"],
  ...["berhenti", "cancelled", "revoked", "abgelehnt", "widerrufen", "blacklisted"],
];
const NO = [
  ...["no", "n", "false", "0", "off", "never", "notsubscribed", "nonsubscribed", "nonsubscriber", "neversubscribed"],
  ...["unconfirmed", "pending", "declined", "denied", "refused", "rejected", "notgiven", "cleaned", "bounced"],
  ...["nein", "nao", "non", "tidak", "nahi", "nahin", "नहीं", "لا"],
].map(foldName);
const YES = [
  ...["yes", "y", "true", "1", "on", "x", "optedin", "optin", "subscribed", "granted", "given", "accepted", "agreed"],
  ...["ja", "si", "sim", "oui", "ya", "haan", "हां", "हाँ", "نعم"],
].map(foldName);
const TICKED = /^[✓✔☑✅]/u;

/** What a value says about consent; null: it says something else. */
export function readConsentWord(value: string): "out" | "no" | "yes" | null {
  const folded = foldName(value);
  if (OUT.includes(folded)) return "out";
  if (NO.includes(folded)) return "no";
  return YES.includes(folded) || TICKED.test(value) ? "yes" : null;
}

/** A cell that stands for no value. "Na" and "Null" are names of people. */
export const NO_VALUE =
  /^(?:[-–—_.?/*]+|#?[nN]\/[aA]|[nN]\.[aA]\.?|[kK]\. ?[aA]\.?|#(?:REF|DIV\/0|VALUE|NAME|NUM|NULL)[!?]|null|NULL|NaN|undefined|[nN]one|NONE|[kK]eine?(?: Angaben?)?|[nN]inguno|[nN]enhum|[aA]ucune?|[nN]essuno|[tT]idak ada|لا يوجد)$/;
export const NO_VALUE_LENGTH_MAX = 14;

/** Letters and digits only, without accents and case: "E-mail Address" becomes "emailaddress". */
export function foldName(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** "Mobile (10 digits)", "D.O.B (DD/MM/YYYY)": how to write the value, not whose it is. */
const NOTED = /^([^([]*)[([]([^()[\]]*)[)\]]\s*$/;
const NOTE_WORDS: readonly string[] = [
  ...[
    "",
    "digit",
    "digits",
    "stellig",
    "required",
    "optional",
    "mandatory",
    "with",
    "country",
    "code",
    "whatsapp",
    "x",
  ],
  ...["d", "dd", "m", "mm", "mmm", "yy", "yyyy", "tt", "jj", "jjjj", "aa", "aaaa"],
];

/** The name of a column without such a note. */
export function withoutNote(name: string): string {
  const [, bare = "", note = "?"] = NOTED.exec(name) ?? [];
  const words = note.toLowerCase().split(/[\s\d.,/+:*_-]/);
  return words.every((word) => NOTE_WORDS.includes(word)) ? bare : name;
}

/** Months of the nine languages and their abbreviations. */
const MONTHS = [
  "january jan enero ene janeiro janvier janv januar jänner gennaio gen januari जनवरी يناير",
  "february feb febrero fevereiro fev février févr februar febbraio februari peb फरवरी فبراير",
  "march mar marzo março mars märz mrz maret मार्च مارس",
  "april apr abril abr avril avr aprile अप्रैल أبريل ابريل",
  "may mayo maio mai maggio mag mei मई مايو",
  "june jun junio junho juin juni giugno giu जून يونيو",
  "july jul julio julho juillet juil juli luglio lug जुलाई يوليو",
  "august aug agosto ago août agustus agu ags अगस्त أغسطس",
  "september sep sept septiembre setiembre setembro set septembre settembre सितंबर सितम्बर سبتمبر",
  "october oct octubre outubro out octobre oktober okt ottobre ott अक्टूबर أكتوبر",
  "november nov noviembre novembro novembre nopember नवंबर नवम्बर نوفمبر",
  "december dec diciembre dic dezembro dez décembre déc dezember dicembre desember des दिसंबर दिसम्बर ديسمبر",
];

/** The number of a month by its name. */
export const MONTH_NAMES: Readonly<Record<string, number>> = Object.fromEntries(
  MONTHS.flatMap((names, index) => names.split(" ").map((name) => [foldName(name), index + 1])),
);
