/** Begins a conversation with a number that was typed into the search. */
import { useQueryClient } from "@tanstack/react-query";
import { PenLine } from "lucide-react";
import { useState } from "react";
import { newFormKey, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { useChangeParameters } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { sentenceOf } from "../../ui/states.tsx";
import { strings } from "./search-strings.ts";
import { NO_SEARCH, SCREEN } from "./search-view.ts";

/** With a country code or without, and with separators. */
const PHONE = /^\+?[\d\s().-]{7,24}$/;

export function isPhone(text: string): boolean {
  return PHONE.test(text) && text.replace(/\D/g, "").length >= 7;
}

/** The person becomes a contact, without a consent. One who opted out stays so, and the conversation says it. */
export function WriteTo({ phone }: { phone: string }) {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const change = useChangeParameters(SCREEN);
  const [key] = useState(newFormKey);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const press = async () => {
    setIsBusy(true);
    setProblem(null);
    try {
      await request("PUT /w/{workspace}/contacts/{phone}", { workspace, phone, body: {} }, { key });
      const place = await request("GET /w/{workspace}/contacts/{phone}/inbox", { workspace, phone });
      await client.invalidateQueries({ queryKey: ["contacts", workspace] });
      if (place.contact_id === null) setProblem(strings.notYours);
      else await change({ ...NO_SEARCH, person: String(place.contact_id), at: undefined });
    } catch (reason) {
      setProblem(sentenceOf(reason));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <div className="mb-2 flex flex-col items-start gap-1">
      <Button small busy={isBusy} onClick={() => void press()}>
        <PenLine aria-hidden size={16} />
        {strings.writeTo(phone)}
      </Button>
      {problem !== null && (
        <p role="alert" className="text-red wrap-anywhere">
          {problem}
        </p>
      )}
    </div>
  );
}
