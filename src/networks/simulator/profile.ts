/**
 * A number as its customers see it, and whom it blocks, on the simulated network: it takes and refuses what Meta does. The
 * limits stand here once more, apart from those that are checked before the network is asked, so that a mistake in
 * either is found. (Meta: business-profiles, reference/business-usernames, block-users.)
 */
import type { BlockPort, ProfilePort, Sender } from "../network.ts";
import type { BlockedPage, BlockedPerson, ProfileChanges } from "../profile-request.ts";
import type { Submitted } from "../template-request.ts";
import { failed } from "../whatsapp/account-answer.ts";
import { BLOCK_WORDS } from "../whatsapp/blocked-people.ts";

/** What the network keeps of its numbers. Reads and writes may reject: then the network is out of reach. */
export interface SimulatedNumbers {
  read(sender: Sender): { profile: ProfileChanges; username: string | null; photo: Uint8Array | null };
  change(
    sender: Sender,
    change: Partial<{ profile: ProfileChanges; username: string | null; photo: Uint8Array }>,
  ): Promise<void>;
  /** `same`: another number of the same business has it. */
  ownerOf(sender: Sender, username: string): "nobody" | "itself" | "same" | "other";
  /** Takes the username from the number that has it. */
  takeUsername(sender: Sender, username: string): Promise<void>;
  /** When the person last wrote to the number; null: never. */
  wroteAt(sender: Sender, person: BlockedPerson): number | null;
  countBlocked(sender: Sender): number;
  setBlocked(sender: Sender, person: BlockedPerson, isBlocked: boolean): Promise<void>;
  listBlocked(sender: Sender, after: string | null, limit: number): BlockedPage;
}

interface Simulated {
  numbers: SimulatedNumbers;
  now: () => number;
  isReachable: () => boolean;
}

const DAY_MS = 24 * 60 * 60_000;
const BLOCKED_MAX = 64_000;
const TEXT_LIMITS = { about: 139, description: 512, address: 256, email: 128 } as const;
const VERTICALS =
  "UNDEFINED OTHER AUTO BEAUTY APPAREL EDU ENTERTAIN EVENT_PLAN FINANCE GROCERY GOVT HOTEL HEALTH NONPROFIT PROF_SERVICES RETAIL TRAVEL RESTAURANT NOT_A_BIZ";
const OUT_OF_REACH = "The simulated network is out of reach.";

export function createSimulatedProfile(simulated: Simulated): { profile: ProfilePort; blocks: BlockPort } {
  const { numbers, now, isReachable } = simulated;

  async function answer(refusal: () => Refused | null, act: () => Promise<void>): Promise<Submitted<null>> {
    if (!isReachable()) return { kind: "later", message: OUT_OF_REACH, retryAfterMs: null };
    try {
      const found = refusal();
      if (found !== null) return found;
      await act();
      return { kind: "accepted", value: null, at: now() };
    } catch {
      return { kind: "later", message: OUT_OF_REACH, retryAfterMs: null };
    }
  }

  async function read<T>(get: () => T) {
    if (!isReachable()) return failed("unreachable", OUT_OF_REACH, "later");
    try {
      return { ok: true as const, value: get(), at: now() };
    } catch {
      return failed("unreachable", OUT_OF_REACH, "later");
    }
  }

  return {
    profile: {
      fetchProfile: (sender) =>
        read(() => {
          const { profile, photo } = numbers.read(sender);
          return { ...profile, websites: [...profile.websites], photoUrl: photo === null ? null : "simulated:photo" };
        }),
      fetchPhoto: (sender) => read(() => numbers.read(sender).photo),
      changeProfile: (sender, profile) =>
        answer(
          () => refuseProfile(profile),
          () => numbers.change(sender, { profile }),
        ),
      async changePhoto(sender, photo) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of photo.read()) chunks.push(chunk);
        const bytes = Buffer.concat(chunks);
        return answer(
          () => (photo.contentType === "image/jpeg" ? null : refuse("100", "The photo must be a JPEG.")),
          () => numbers.change(sender, { photo: bytes }),
        );
      },
      fetchUsername: (sender) =>
        read(() => {
          const { username } = numbers.read(sender);
          return username === null ? null : { username, status: "approved" };
        }),
      suggestUsernames: () => read(() => []),
      reserveUsername: (sender, username, transfers) =>
        answer(
          () => refuseUsername(username, numbers.ownerOf(sender, username), transfers),
          () => numbers.takeUsername(sender, username),
        ),
      releaseUsername: (sender) =>
        answer(
          () => null,
          () => numbers.change(sender, { username: null }),
        ),
    },
    blocks: {
      setBlocked: (sender, person, isBlocked) =>
        answer(
          () => (isBlocked ? refuseBlock(simulated, sender, person) : null),
          () => numbers.setBlocked(sender, person, isBlocked),
        ),
      listBlocked: (sender, after, limit) => read(() => numbers.listBlocked(sender, after, limit)),
    },
  };
}

type Refused = Extract<Submitted<never>, { kind: "refused" }>;

function refuse(code: string, message: string): Refused {
  return { kind: "refused", code, message };
}

function refuseProfile(given: ProfileChanges): Refused | null {
  for (const [name, max] of Object.entries(TEXT_LIMITS) as [keyof typeof TEXT_LIMITS, number][]) {
    if ([...given[name]].length > max) return refuse("100", `Param ${name} must be at most ${max} characters long.`);
  }
  if (given.websites.length > 2) return refuse("100", "Param websites must have at most 2 items.");
  if (given.websites.some((one) => one.length > 256 || !/^https?:\/\//.test(one)))
    return refuse("100", "Param websites must hold valid URLs.");
  return VERTICALS.split(" ").includes(given.vertical)
    ? null
    : refuse("100", "Param vertical must be one of the enum.");
}

function refuseUsername(
  username: string,
  owner: ReturnType<SimulatedNumbers["ownerOf"]>,
  transfers: boolean,
): Refused | null {
  const isWellFormed = /^(?!\.)(?!.*\.\.)(?!www)(?=.*[a-z])[a-z0-9._]{3,35}(?<!\.)$/i.test(username);
  if (!isWellFormed) return refuse("100", "The username has a wrong format.");
  if (owner === "other") return refuse("147001", "This username is not available. Choose another one.");
  if (owner === "same" && !transfers)
    return refuse("147005", "Another number of the business has this username. It can be moved here.");
  return null;
}

function refuseBlock({ numbers, now }: Simulated, sender: Sender, person: BlockedPerson): Refused | null {
  const words = (code: string): Refused => refuse(code, BLOCK_WORDS[code] ?? "");
  if (person.phone === sender.phone) return words("131021");
  const wroteAt = numbers.wroteAt(sender, person);
  if (wroteAt === null || wroteAt <= now() - DAY_MS) return words("131047");
  return numbers.countBlocked(sender) >= BLOCKED_MAX ? words("139101") : null;
}
