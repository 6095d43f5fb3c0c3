/** A number as its customers see it, and whom it blocks: what the network shows of them and takes. */

/** Empty texts: the network has none. */
export interface BusinessProfile {
  about: string;
  description: string;
  address: string;
  email: string;
  /** In the network's word. */
  vertical: string;
  websites: readonly string[];
  /** Null: there is no photo. */
  photoUrl: string | null;
}

export type ProfileChanges = Omit<BusinessProfile, "photoUrl">;

/** Null: the number has no username. `status`: in the network's word, in small letters. */
export type Username = { username: string; status: string } | null;

/** By whichever the network knows: E.164 with `+`, its own id, or both. */
export interface BlockedPerson {
  phone: string | null;
  userId: string | null;
}

/** `next`: the cursor of the page behind it; null: it is the last one. */
export interface BlockedPage {
  people: BlockedPerson[];
  next: string | null;
}
