/**
 * Names of columns in files that other programs export and people write, in nine languages, folded to letters and digits
 * without accents. The names of profile fields that are not here stand in `profile-fields.ts`.
 */

export const EXTRA_NAMES: Readonly<Record<string, readonly string[]>> = {
  name: [
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
    "email1value",
    "email1address",
    "emailadresse",
    "direcciondecorreoelectronico",
    "enderecodeemail",
    "adressedemessagerie",
    "adressemail",
    "indirizzopostaelettronica",
    "alamatemail",
    "primaryemail",
    "emailid",
    "surel",
    "ईमेल",
    "البريدالالكتروني",
    "courriel",
    "indirizzoemail",
  ],
  city: [
    "homecity",
    "businesscity",
    "address1city",
    "wohnort",
    "municipio",
    "kota",
    "citta",
    "defaultaddresscity",
    "शहर",
    "المدينة",
  ],
  state: [
    "stateregion",
    "homestate",
    "businessstate",
    "address1region",
    "provinsi",
    "defaultaddressprovincecode",
    "राज्य",
    "regione",
  ],
  postal_code: [
    "homepostalcode",
    "businesspostalcode",
    "address1postalcode",
    "kodepos",
    "cap",
    "codepostal",
    "postleitzahl",
    "defaultaddresszip",
    "पिनकोड",
    "الرمزالبريدي",
  ],
  company: [
    "perusahaan",
    "azienda",
    "entreprise",
    "societe",
    "unternehmen",
    "organizationname",
    "organization1name",
    "associatedcompany",
    "defaultaddresscompany",
    "कंपनी",
    "الشركة",
  ],
  birthday: [
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
    ...["टैग", "وسوم"],
  ],
};

/** The answer in the column says whether the person agreed. */
const CONSENT_NAMES = [
  "consent",
  "consentstatus",
  "optin",
  "optedin",
  "optinstatus",
  "whatsappoptin",
  "whatsappconsent",
  "marketingconsent",
  "einwilligung",
  "consentimiento",
  "consentimento",
  "consentement",
  "consenso",
  "persetujuan",
].map(foldName);
/** A no in the column is a no; a yes is about something else, such as e-mail. */
const ACCEPTS_NAMES = [
  "acceptsmarketing",
  "acceptsemailmarketing",
  "acceptssmsmarketing",
  "emailmarketingconsent",
  "smsmarketingconsent",
  "emailsubscriberstatus",
  "smssubscriberstatus",
  "marketingcontactstatus",
  "emailmarketingstatus",
  "allowbroadcast",
  "allowsms",
  "subscribed",
  "subscription",
  "subscriptionstatus",
  "status",
  "statut",
  "stato",
].map(foldName);
/** A yes, or a time, is a refusal. */
const REFUSED_NAMES = [
  "unsubscribed",
  "optout",
  "optedout",
  "unsubtime",
  "unsubscribetime",
  "donotcontact",
  "donotcall",
  "dnd",
  "blocked",
  "isblocked",
  "stop",
].map(foldName);

/** What the names of such columns hold in the nine languages, however the rest of the name is worded. */
const REFUSED_PART =
  /unsubscri|optout|optedout|desuscri|descadastr|desinscri|disiscri|abgemeldet|abbestellt|donotcontact|donotcall|donotdisturb/;
const AGREES =
  /accept|acept|aceit|accett|akzeptiert|erlaubt|zustimm|einwillig|einverst|permit|permis|autori|allow|agree|consent|optin|suscri|subscri|inscri|abonn|iscri|setuju|izin|langganan/;
const ABOUT =
  /market|promo|offer|ofert|offert|angebot|werbung|newsletter|campa|broadcast|sms|whatsapp|mail|messag|mensa|nachricht|pesan/;
const AGREEMENT = /^newsletter$|सहमत|موافق|اشتراك/;

/** How a column of this folded name speaks of consent; null: it does not. */
export function consentColumnOf(folded: string): "answer" | "accepts" | "refused" | null {
  if (CONSENT_NAMES.includes(folded)) return "answer";
  if (REFUSED_NAMES.includes(folded) || REFUSED_PART.test(folded)) return "refused";
  return ACCEPTS_NAMES.includes(folded) || isAgreement(folded) ? "accepts" : null;
}

/** Words of agreement to messages, or a word that says both. */
function isAgreement(folded: string): boolean {
  return AGREEMENT.test(folded) || (AGREES.test(folded) && ABOUT.test(folded));
}

/** Values of such columns. */
const OUT = [
  "optedout",
  "optout",
  "unsubscribed",
  "unsubscribe",
  "stop",
  "stopped",
  "blocked",
  "donotcontact",
  "dnd",
  "abgemeldet",
  "baja",
  "desuscrito",
  "descadastrado",
  "desinscrit",
  "disiscritto",
  "berhenti",
  "cancelled",
  "revoked",
];
const NO = [
  "no",
  "n",
  "false",
  "0",
  "never",
  "notsubscribed",
  "nonsubscribed",
  "unconfirmed",
  "pending",
  "declined",
  "denied",
  "cleaned",
  "bounced",
  "nein",
  "nao",
  "non",
  "tidak",
  "नहीं",
  "لا",
  "rejected",
].map(foldName);
const YES = [
  "yes",
  "y",
  "true",
  "1",
  "optedin",
  "optin",
  "subscribed",
  "ja",
  "si",
  "sim",
  "oui",
  "ya",
  "हां",
  "हाँ",
  "نعم",
  "granted",
  "accepted",
  "x",
].map(foldName);

/** What a value says about consent; null: it says something else. */
export function readConsentWord(value: string): "out" | "no" | "yes" | null {
  const folded = foldName(value);
  if (OUT.includes(folded)) return "out";
  if (NO.includes(folded)) return "no";
  return YES.includes(folded) ? "yes" : null;
}

/** A cell that stands for no value. */
export const NO_VALUE = /^(?:[-–—.?/]+|n\/?a|null|none)$/i;

/** Letters and digits only, without accents and case: "E-mail Address" becomes "emailaddress". */
export function foldName(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
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
  "september sep sept septiembre setembro set septembre settembre सितंबर सितम्बर سبتمبر",
  "october oct octubre outubro out octobre oktober okt ottobre ott अक्टूबर أكتوبر",
  "november nov noviembre novembro novembre nopember नवंबर नवम्बर نوفمبر",
  "december dec diciembre dic dezembro dez décembre déc dezember dicembre desember des दिसंबर दिसम्बर ديسمبر",
];

/** The number of a month by its name. */
export const MONTH_NAMES: Readonly<Record<string, number>> = Object.fromEntries(
  MONTHS.flatMap((names, index) => names.split(" ").map((name) => [foldName(name), index + 1])),
);
