/** What a person wrote may mean that they want to stop: since when, and one click to keep sending to them. */
import { usePress } from "../../data/press.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Failed, Notice } from "../../ui/states.tsx";
import { exact } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { Contact } from "./contact-view.ts";
import { strings } from "./strings.ts";

interface DoubtNoticeProps {
  contact: Contact;
  /** What the person wrote, where the screen has it. */
  words?: string | undefined;
  keep: (formKey: string) => Promise<void>;
}

export function DoubtNotice({ contact, words, keep }: DoubtNoticeProps) {
  const { timezone } = useWorkspace();
  const { press, isBusy, error } = usePress();
  const { may_want_to_stop_since: since } = contact.consent;
  if (since === null) return null;
  const act = async (formKey: string) => {
    await keep(formKey);
    showToast(strings.kept);
  };
  return (
    <Notice>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1">{strings.mayWantToStopText(exact(Date.parse(since), timezone), words)}</p>
        <Button small busy={isBusy} onClick={() => void press(act)}>
          {strings.keep}
        </Button>
      </div>
      {error !== null && <Failed error={error} />}
    </Notice>
  );
}
