/** The sample of a header that shows a file: chosen, uploaded, and named in the draft by the upload's id. */
import { useRef, useState } from "react";
import { uploadForm } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorLine } from "../../ui/states.tsx";
import { useChecked } from "./checked.tsx";
import { at, setSampleFile, textAt } from "./content.ts";
import { StudioPlace } from "./fields.tsx";
import { strings } from "./strings.ts";

const ACCEPT: Readonly<Record<string, string>> = {
  IMAGE: "image/jpeg,image/png",
  VIDEO: "video/mp4",
  GIF: "video/mp4",
  DOCUMENT: "application/pdf",
};

interface Props {
  /** Path of the header component. */
  part: string;
  /** Where the upload's id belongs. */
  path: string;
  format: string;
  of?: string;
}

export function SampleFile({ part, path, format, of = "" }: Props) {
  const { id: workspace } = useWorkspace();
  const { content, change } = useChecked();
  const input = useRef<HTMLInputElement>(null);
  const [progress, setProgress] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const abort = useRef<AbortController>(undefined);
  const given = at(content, path);
  const hasHandle = textAt(content, `${part}.example.header_handle.0`) !== "";
  const isThere = typeof given === "number" || hasHandle;
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    abort.current?.abort();
    const mine = new AbortController();
    abort.current = mine;
    setError(null);
    setProgress(0);
    try {
      const options = { signal: mine.signal, onProgress: setProgress };
      const { id } = await uploadForm("POST /w/{workspace}/media", { workspace }, file, options);
      change((all) => setSampleFile(all, path, part, id));
    } catch (reason) {
      if (!mine.signal.aborted) setError(reason);
    }
    if (abort.current === mine) setProgress(null);
  };
  return (
    <div className="flex flex-col gap-1">
      <span className="font-semibold">{of + strings.sample}</span>
      <div className="flex flex-wrap items-center gap-3">
        <input
          ref={input}
          type="file"
          hidden
          data-sample={path}
          accept={ACCEPT[format]}
          onChange={({ target }) => {
            void choose(target.files?.[0]);
            // The same file may be chosen again.
            target.value = "";
          }}
        />
        <Button small busy={progress !== null} onClick={() => input.current?.click()}>
          {of + (isThere ? strings.sampleReplace : strings.sampleChoose)}
        </Button>
        <span role="status" className="text-quiet">
          {progress !== null && strings.uploading(Math.round(progress * 100))}
          {progress === null && typeof given === "number" && strings.sampleThere}
          {progress === null && typeof given !== "number" && hasHandle && strings.sampleHandle}
        </span>
        {isThere && (
          <Button small tone="quiet" onClick={() => change((all) => setSampleFile(all, path, part, null))}>
            {of + strings.sampleRemove}
          </Button>
        )}
      </div>
      <p className="text-label text-quiet">{strings.sampleHint[format]}</p>
      <ErrorLine error={error} />
      <StudioPlace path={path} />
      <StudioPlace path={`${part}.example.header_handle`} />
    </div>
  );
}
