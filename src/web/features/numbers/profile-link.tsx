/** The address at which people begin to write, and its QR code on a sheet to print. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";
import { reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { FieldFrame, inputClass } from "../../ui/field.tsx";
import { Section } from "../../ui/page.tsx";
import { QrCode, qrFile } from "../../ui/qr-code.tsx";
import { Loaded } from "../../ui/states.tsx";
import type { SendingNumber } from "./number-view.ts";
import { strings } from "./profile-strings.ts";

/** The code follows the text when the typing rests. */
const REST_MS = 300;
const TEXT_MAX = 300;

export function LinkSection({ number }: { number: SendingNumber }) {
  const { id: workspace } = useWorkspace();
  const field = useId();
  const [typed, setTyped] = useState("");
  const [text, setText] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setText(typed.trim()), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const link = useQuery({
    ...reading("GET /w/{workspace}/numbers/{id}/link", { workspace, id: number.id, query: { text } }, [
      "number-link",
      workspace,
      number.id,
      text,
    ]),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Section title={strings.link} lead={strings.linkLead}>
      <div className="flex max-w-3xl flex-col gap-4">
        <FieldFrame id={field} label={strings.firstWords} hint={strings.firstWordsHint} error={undefined}>
          <textarea
            id={field}
            aria-describedby={`${field}-hint`}
            rows={2}
            maxLength={TEXT_MAX}
            className={inputClass}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </FieldFrame>
        <Loaded query={link}>
          {(data) => (
            <>
              <Copyable text={data.link} label={strings.copyLink} />
              <div data-sheet className="flex flex-col items-start gap-2">
                <div>
                  <QrCode modules={data.modules} label={strings.code(data.link)} />
                </div>
                <p className="hidden text-title font-semibold print:block">{strings.sheetText}</p>
                <p className="hidden text-section print:block figures">{number.phone}</p>
              </div>
              <div className="flex flex-wrap gap-3">
                <Button onClick={() => window.print()}>{strings.print}</Button>
                <a
                  className={buttonClass("plain")}
                  href={`data:image/svg+xml,${encodeURIComponent(qrFile(data.modules))}`}
                  download={`whatsapp-${number.phone.slice(1)}.svg`}
                >
                  {strings.download}
                </a>
              </div>
            </>
          )}
        </Loaded>
      </div>
    </Section>
  );
}
