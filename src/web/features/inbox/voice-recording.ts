/**
 * Records a voice note: Ogg with Opus, which browsers record as it is or in WebM, whose packets are then put into Ogg. Nothing
 * leaves the page before the note is sent.
 */
import { inWords, uploadBytesMax } from "#src/domain/media/upload.ts";
import { strings } from "./composer-strings.ts";
import { oggOfWebm } from "./ogg-opus.ts";

const TYPE = "audio/ogg";
const RECORDED_TYPES = ["audio/ogg;codecs=opus", "audio/webm;codecs=opus"];
const BITS_PER_SECOND = 24_000;
const MINUTES_MAX = 10;
const PIECE_MS = 1_000;

export interface Recording {
  /** Ends it: the note goes to `onNote`. */
  stop(): void;
  /** Ends it without a note. */
  discard(): void;
}

interface Listeners {
  /** `notice`: what has to be said of it; null: nothing. */
  onNote(file: File, notice: string | null): void;
  /** In words. */
  onFailure(sentence: string): void;
}

/** Resolves when it records. Null: it cannot, and `onFailure` says why. */
export async function startRecording({ onNote, onFailure }: Listeners): Promise<Recording | null> {
  const fail = (sentence: string) => {
    onFailure(sentence);
    return null;
  };
  // Without HTTPS, the browser has no microphone.
  if (navigator.mediaDevices === undefined) return fail(strings.voiceInsecure);
  const recorded = RECORDED_TYPES.find((type) => globalThis.MediaRecorder?.isTypeSupported(type));
  if (recorded === undefined) return fail(strings.voiceUnable);
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  } catch (error) {
    return fail(faultOf(error));
  }
  const pieces: Blob[] = [];
  const recorder = new MediaRecorder(stream, { mimeType: recorded, audioBitsPerSecond: BITS_PER_SECOND });
  const bytesMax = uploadBytesMax({ mimeType: TYPE, isAnimated: false }, Number.POSITIVE_INFINITY) ?? 0;
  let isDiscarded = false;
  let isFull = false;
  let size = 0;
  const stop = () => {
    if (recorder.state !== "inactive") recorder.stop();
  };
  const full = () => {
    isFull = true;
    stop();
  };
  const timer = setTimeout(full, MINUTES_MAX * 60_000);
  recorder.ondataavailable = ({ data }) => {
    pieces.push(data);
    size += data.size;
    // The next piece has to fit as well.
    if (size > bytesMax - 2 * (size / pieces.length)) full();
  };
  recorder.onstop = async () => {
    clearTimeout(timer);
    for (const track of stream.getTracks()) track.stop();
    if (isDiscarded) return;
    try {
      const file = await noteOf(new Blob(pieces), recorded);
      if (file === null) onFailure(strings.voiceEmpty);
      else onNote(file, isFull ? strings.voiceStopped(MINUTES_MAX, inWords(bytesMax)) : null);
    } catch {
      onFailure(strings.voiceUnable);
    }
  };
  recorder.start(PIECE_MS);
  return {
    stop,
    discard() {
      isDiscarded = true;
      stop();
    },
  };
}

async function noteOf(blob: Blob, recorded: string): Promise<File | null> {
  if (blob.size === 0) return null;
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const ogg = recorded.startsWith(TYPE) ? bytes : oggOfWebm(bytes);
  return ogg === null ? null : new File([ogg], `${strings.voiceFile}.ogg`, { type: TYPE });
}

function faultOf(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError" || name === "SecurityError") return strings.voiceRefused;
  return name === "NotFoundError" ? strings.voiceNone : strings.voiceBusy;
}
