/** Plays a sound at the speed that the listener chooses. */
import { useRef, useState } from "react";
import { strings } from "./strings.ts";

const SPEEDS = [1, 1.5, 2] as const;

interface VoicePlayerProps {
  address: string;
  label: string;
  /** The browser cannot play it. */
  onError?: () => void;
}

export function VoicePlayer({ address, label, onError }: VoicePlayerProps) {
  const player = useRef<HTMLAudioElement>(null);
  const [place, setPlace] = useState(0);
  const speed = SPEEDS[place] ?? 1;
  const change = () => {
    const next = (place + 1) % SPEEDS.length;
    if (player.current !== null) player.current.playbackRate = SPEEDS[next] ?? 1;
    setPlace(next);
  };
  return (
    <div className="flex max-w-full items-center gap-1">
      {/* biome-ignore lint/a11y/useMediaCaption: a person's voice message has no captions. */}
      <audio
        ref={player}
        src={address}
        controls
        preload="metadata"
        aria-label={label}
        onError={onError}
        className="w-64 min-w-0 shrink"
      />
      <button
        type="button"
        aria-label={strings.speed(speed)}
        title={strings.speed(speed)}
        className="min-h-8 min-w-11 shrink-0 rounded-control text-label font-semibold text-ink hover:bg-sunken max-mid:min-h-11 figures"
        onClick={change}
      >
        {speed}×
      </button>
    </div>
  );
}
