/**
 * The business profile of a number, which customers see in WhatsApp, and its username: what the network takes, in code
 * points. The console's bundle contains this file, so it imports nothing.
 */

/** The network's words for what a business does, and ours. An empty word cannot be set again once another one was. */
export const verticals = {
  UNDEFINED: "Not given",
  AUTO: "Cars and vehicles",
  BEAUTY: "Beauty, spa and salon",
  APPAREL: "Clothing",
  EDU: "Education",
  ENTERTAIN: "Entertainment",
  EVENT_PLAN: "Event planning",
  FINANCE: "Finance and banking",
  GROCERY: "Food and groceries",
  GOVT: "Public service",
  HOTEL: "Hotel and lodging",
  HEALTH: "Medicine and health",
  NONPROFIT: "Non-profit",
  PROF_SERVICES: "Professional services",
  RETAIL: "Shopping and retail",
  TRAVEL: "Travel and transport",
  RESTAURANT: "Restaurant",
  NOT_A_BIZ: "Not a business",
  OTHER: "Other",
} as const;

type Vertical = keyof typeof verticals;
export const verticalNames = Object.keys(verticals) as Vertical[];

export const profileLimits = { about: 139, description: 512, address: 256, email: 128, website: 256, websites: 2 };

/** A square JPEG; the network scales a larger one down to 640 pixels. */
export const photoLimits = { bytesMax: 5 * 1024 * 1024, sideMin: 192, sideShown: 640 };

/** Empty texts: nothing is given. */
export interface ProfileTexts {
  about: string;
  description: string;
  address: string;
  email: string;
  websites: readonly string[];
  vertical: string;
}

type FieldProblems = Record<string, string[]>;

/** What the network would refuse, by field; `before`: as the profile is now. */
export function findProfileProblems(given: ProfileTexts, before: Pick<ProfileTexts, "about">): FieldProblems {
  const problems: FieldProblems = {};
  const add = (field: string, says: string): void => {
    problems[field] = [...(problems[field] ?? []), says];
  };
  for (const field of ["about", "description", "address", "email"] as const) {
    const over = lengthOf(given[field]) - profileLimits[field];
    if (over > 0) add(field, `At most ${profileLimits[field]} characters: ${over} too many.`);
  }
  if (given.about === "" && before.about !== "")
    add("about", "WhatsApp does not take this text away once there is one.");
  if (given.email !== "" && !isEmail(given.email)) add("email", "This is no e-mail address.");
  if (given.websites.length > profileLimits.websites) add("websites", `At most ${profileLimits.websites} websites.`);
  given.websites.forEach((website, index) => {
    const says = websiteProblem(website);
    if (says !== null) add(`websites.${index}`, says);
  });
  if (!(given.vertical in verticals)) add("vertical", `Must be one of ${verticalNames.join(", ")}.`);
  return problems;
}

function websiteProblem(website: string): string | null {
  if (lengthOf(website) > profileLimits.website) return `At most ${profileLimits.website} characters.`;
  const isWeb = URL.canParse(website) && /^https?:$/.test(new URL(website).protocol);
  return isWeb ? null : "Begin with https:// or http://.";
}

function isEmail(text: string): boolean {
  const [name = "", host = "", ...more] = text.split("@");
  return name !== "" && /^[^\s.]/.test(host) && /\.[^\s.]+$/.test(host) && more.length === 0 && !/\s/.test(text);
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** The ends that the network knows as those of domains. */
const DOMAIN_ENDS = /\.(com|org|net|int|edu|gov|mil|us|in|html|io|ai)$/;

/** What the network would refuse of a username, which is in small letters; null: nothing. */
export function findUsernameProblem(username: string): string | null {
  if (username.length < 3 || username.length > 35) return "A username has 3 to 35 characters.";
  if (!/^[a-z0-9._]+$/.test(username)) return "Only the letters a to z, digits, full stops and underscores.";
  if (!/[a-z]/.test(username)) return "At least one letter.";
  if (/^\.|\.$|\.\./.test(username)) return "No full stop at the beginning or end, and no two side by side.";
  if (username.startsWith("www")) return "It must not begin with www.";
  if (DOMAIN_ENDS.test(username)) return "It must not end as a web address does, such as .com.";
  return null;
}

/** The address at which a person begins to write to the number; `text`: their first words, empty for none. */
export function linkTo(phone: string, text: string): string {
  const query = text === "" ? "" : `?text=${encodeURIComponent(text)}`;
  return `https://wa.me/${phone.replace(/\D/g, "")}${query}`;
}
