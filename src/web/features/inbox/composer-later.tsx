/** The time at which a reply is to be sent. */
import { Clock, X } from "lucide-react";
import { IconButton } from "../../ui/button.tsx";
import { inputClass } from "../../ui/field.tsx";
import { write } from "./composer-draft.ts";
import { strings } from "./composer-strings.ts";

interface LaterProps {
  draftId: string;
  disabled: boolean;
}

export function LaterButton({ draftId, disabled }: LaterProps) {
  return (
    <IconButton label={strings.later} disabled={disabled} onClick={() => write(draftId, { sendAt: "" })}>
      <Clock aria-hidden size={18} />
    </IconButton>
  );
}

export function SendAt({ draftId, disabled, sendAt, zone }: LaterProps & { sendAt: string; zone: string }) {
  return (
    <div className="flex items-end gap-3">
      <label className="flex min-w-0 flex-1 flex-col gap-1">
        <span className="text-label">{strings.sendAt(zone)}</span>
        <input
          type="datetime-local"
          className={inputClass}
          value={sendAt}
          readOnly={disabled}
          onChange={({ target }) => write(draftId, { sendAt: target.value })}
        />
      </label>
      <IconButton label={strings.sendNow} disabled={disabled} onClick={() => write(draftId, { sendAt: null })}>
        <X aria-hidden size={18} />
      </IconButton>
    </div>
  );
}
