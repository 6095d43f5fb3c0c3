/** The photo of the business: any picture that the browser can read, cut to a square and written as a JPEG here. */
import { useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { photoLimits } from "#src/domain/numbers/business-profile.ts";
import { upload } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { sentenceOf } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { SendingNumber } from "./number-view.ts";
import { strings } from "./profile-strings.ts";

const SIDE = photoLimits.sideShown;
const QUALITY = 0.92;

interface Chosen {
  file: File;
  /** As the preview shows it: a data URL. */
  shown: string;
}

interface PhotoFieldProps {
  number: SendingNumber;
  /** The photo that was chosen and not saved; null: the saved one is shown. */
  onPreview: (shown: string | null) => void;
}

export function PhotoField({ number: { id }, onPreview }: PhotoFieldProps) {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const field = useId();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const show = (next: Chosen | null) => {
    setChosen(next);
    onPreview(next?.shown ?? null);
    if (next === null && input.current !== null) input.current.value = "";
  };
  const choose = async (file: File | undefined) => {
    setError(null);
    if (file === undefined) return show(null);
    try {
      show(await squareOf(file));
    } catch {
      show(null);
      setError(strings.photoUnreadable);
    }
  };
  const save = async () => {
    if (chosen === null || isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      const saved = await upload("PUT /w/{workspace}/numbers/{id}/photo", { workspace, id }, chosen.file);
      client.setQueryData(["number-profile", workspace, id], saved);
      show(null);
      showToast(strings.photoSaved);
    } catch (reason) {
      setError(sentenceOf(reason));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <div className="flex flex-col items-start gap-3">
      <label
        htmlFor={field}
        className={`${buttonClass("plain")} cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring`}
      >
        {strings.choosePhoto}
        <input
          ref={input}
          id={field}
          type="file"
          accept="image/*"
          className="sr-only"
          onChange={({ target }) => void choose(target.files?.[0])}
        />
      </label>
      {chosen !== null && (
        <div className="flex flex-wrap gap-3">
          <Button tone="primary" busy={isBusy} onClick={() => void save()}>
            {strings.usePhoto}
          </Button>
          <Button disabled={isBusy} onClick={() => show(null)}>
            {strings.discardPhoto}
          </Button>
        </div>
      )}
      {error !== null && (
        <p role="alert" className="text-red">
          {error}
        </p>
      )}
    </div>
  );
}

/** The middle of the picture. Rejects for what is no picture. */
async function squareOf(file: File): Promise<Chosen> {
  const picture = await createImageBitmap(file);
  const side = Math.min(picture.width, picture.height);
  const canvas = document.createElement("canvas");
  canvas.width = SIDE;
  canvas.height = SIDE;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser draws no pictures");
  // What is transparent would become black.
  context.fillStyle = "white";
  context.fillRect(0, 0, SIDE, SIDE);
  const [left, top] = [(picture.width - side) / 2, (picture.height - side) / 2];
  context.drawImage(picture, left, top, side, side, 0, 0, SIDE, SIDE);
  picture.close();
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
  if (blob === null) throw new Error("this browser writes no JPEG");
  return {
    file: new File([blob], "photo.jpg", { type: "image/jpeg" }),
    shown: canvas.toDataURL("image/jpeg", QUALITY),
  };
}
