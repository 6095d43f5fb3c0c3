/** The recorder of the composer: a voice note becomes the file of the draft, where it is heard, sent or removed. */
import { Square } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { note, write } from "./composer-draft.ts";
import { strings } from "./composer-strings.ts";
import { type Recording, startRecording } from "./voice-recording.ts";

/** Records as long as it is shown. What was recorded stays in the draft, unless it is discarded. */
export function VoiceRecorder({ draftId, onEnd }: { draftId: string; onEnd: () => void }) {
  const recording = useRef<Recording | null>(null);
  const stopButton = useRef<HTMLButtonElement>(null);
  const end = useRef(onEnd);
  end.current = onEnd;
  const [startedAt, setStartedAt] = useState<number | null>(null);
  useEffect(() => {
    let isGone = false;
    note(draftId, { error: null });
    const starting = startRecording({
      onNote: (file, notice) => {
        write(draftId, { file });
        if (notice !== null) note(draftId, { error: notice });
        end.current();
      },
      onFailure: (error) => {
        note(draftId, { error });
        end.current();
      },
    });
    void starting.then((started) => {
      if (started === null) return;
      recording.current = started;
      if (isGone) started.discard();
      else setStartedAt(performance.now());
    });
    return () => {
      isGone = true;
      recording.current?.stop();
    };
  }, [draftId]);
  const isRecording = startedAt !== null;
  useEffect(() => {
    if (isRecording) stopButton.current?.focus();
  }, [isRecording]);
  const discard = () => {
    recording.current?.discard();
    end.current();
  };
  return (
    <section
      aria-label={strings.recording}
      className="flex flex-wrap items-center gap-3 rounded-control border border-line p-2"
    >
      <span role="status" className="sr-only">
        {isRecording ? strings.recording : strings.asking}
      </span>
      {isRecording ? <Elapsed since={startedAt} /> : <p className="text-quiet">{strings.asking}</p>}
      <span className="flex-1" />
      <Button small onClick={discard}>
        {strings.discard}
      </Button>
      {isRecording && (
        <Button ref={stopButton} small tone="primary" onClick={() => recording.current?.stop()}>
          <Square aria-hidden size={14} />
          {strings.stop}
        </Button>
      )}
    </section>
  );
}

function Elapsed({ since }: { since: number }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - since) / 1_000)), 250);
    return () => clearInterval(timer);
  }, [since]);
  return (
    <p role="timer" className="flex items-center gap-2 figures">
      <span aria-hidden className="size-2.5 rounded-full bg-red" />
      {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, "0")}
    </p>
  );
}
