/**
 * A short, quiet tone when a customer writes. The switch is stored in this browser, as that of the keys is: a computer at a
 * counter and a laptop in a meeting have the same user.
 */
const SWITCH = "waxwing-sound";
/** When the last tone was played, by any tab. */
const PLAYED = "waxwing-sound-played";
/** The number of unread conversations that the tabs know of, by workspace and user. */
const KNOWN = "waxwing-sound-known";
const LOCK = "waxwing-sound";
const PAUSE_MS = 5_000;
const VOLUME = 0.06;

export function isSoundOn(): boolean {
  return localStorage.getItem(SWITCH) !== "off";
}

export function switchSound(isOn: boolean): void {
  if (isOn) localStorage.removeItem(SWITCH);
  else localStorage.setItem(SWITCH, "off");
}

/** Call it where the user has pressed something: browsers play nothing before that. */
export function playTone(): void {
  const audio = new AudioContext();
  const start = audio.currentTime;
  const gain = audio.createGain();
  gain.connect(audio.destination);
  gain.gain.setValueAtTime(VOLUME, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + 0.4);
  const tone = audio.createOscillator();
  tone.frequency.setValueAtTime(660, start);
  tone.frequency.setValueAtTime(880, start + 0.12);
  tone.connect(gain);
  tone.onended = () => void audio.close();
  tone.start(start);
  tone.stop(start + 0.4);
}

interface Unread {
  /** Of whom the numbers are: a workspace and its user. */
  owner: string;
  count: number;
  /** What this tab knew before. */
  before: number;
  /** The inbox is in sight here, which needs no sound. */
  isSeen: boolean;
}

/**
 * Plays the tone if conversations became unread that no tab has told of. Each tab asks the server at its own times, so the
 * number that is known is shared: the first tab that learns of a new one plays. Never twice within 5 seconds.
 */
export async function tellUnread(unread: Unread): Promise<void> {
  try {
    // On plain HTTP except on localhost there are no locks: two tabs may then play at the same moment.
    if (navigator.locks === undefined) tell(unread);
    else await navigator.locks.request(LOCK, () => tell(unread));
  } catch {
    // The browser stores nothing or has no sound.
  }
}

function tell({ owner, count, before, isSeen }: Unread): void {
  const key = `${KNOWN} ${owner}`;
  const known = Number(localStorage.getItem(key) ?? count);
  const isNew = count > before && count > known;
  const wantsTone = isNew && !isSeen && isSoundOn();
  // A tab in which nothing was pressed yet leaves it to another one.
  if (wantsTone && !navigator.userActivation.hasBeenActive) return;
  localStorage.setItem(key, String(count));
  if (!wantsTone) return;
  const since = Date.now() - Number(localStorage.getItem(PLAYED) ?? 0);
  if (since >= 0 && since < PAUSE_MS) return;
  localStorage.setItem(PLAYED, String(Date.now()));
  playTone();
}
