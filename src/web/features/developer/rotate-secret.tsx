/** Asks whether a webhook address gets a new secret, and how long the old one signs too. */
import { useId, useState } from "react";
import { type Output, request } from "../../data/api.ts";
import { Confirm } from "../../ui/dialog.tsx";
import { inputClass } from "../../ui/field.tsx";
import { strings } from "./strings.ts";

interface RotateSecretProps {
  workspaceId: number;
  webhookId: number;
  isOpen: boolean;
  onClose: () => void;
  onRotated: (rotated: Output<"POST /w/{workspace}/webhooks/{id}/rotate-secret">) => void;
}

export function RotateSecret({ workspaceId, webhookId, isOpen, onClose, onRotated }: RotateSecretProps) {
  const [overlap, setOverlap] = useState("");
  const overlapId = useId();
  return (
    <Confirm
      isOpen={isOpen}
      title={strings.rotateTitle}
      action={strings.rotateAction}
      cancelLabel={strings.keepSecret}
      onClose={onClose}
      act={async (key) =>
        onRotated(
          await request(
            "POST /w/{workspace}/webhooks/{id}/rotate-secret",
            { workspace: workspaceId, id: webhookId, body: overlap === "" ? {} : { overlap } },
            { key },
          ),
        )
      }
    >
      <div className="flex flex-col gap-1">
        <label htmlFor={overlapId}>{strings.oldSecret}</label>
        <select
          id={overlapId}
          className={inputClass}
          value={overlap}
          onChange={({ target }) => setOverlap(target.value)}
        >
          {strings.overlaps.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <p>{overlap === "" ? strings.rotateText : strings.overlapText}</p>
      </div>
    </Confirm>
  );
}
