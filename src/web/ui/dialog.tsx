/**
 * Dialogs. `Dialog` holds a form or text. `Confirm` asks before an irreversible action: it describes the effect, its
 * buttons name the action, and for grave actions the user must type a name.
 */
import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { newFormKey } from "../data/api.ts";
import { Button, IconButton, type Tone } from "./button.tsx";
import { inputClass } from "./field.tsx";
import { ErrorLine } from "./states.tsx";

const backdrop = "fixed inset-0 z-40 bg-ink/30 dark:bg-page/70";
const popup =
  "floats fixed start-1/2 top-1/2 z-40 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col gap-4 overflow-y-auto rounded-panel border border-line bg-surface p-6 shadow-float";

interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** Neither Esc nor a click outside closes it, because its content is shown only once. */
  isSticky?: boolean;
}

export function Dialog({ title, isOpen, onClose, children, isSticky = false }: DialogProps) {
  return (
    <Base.Root
      open={isOpen}
      disablePointerDismissal={isSticky}
      onOpenChange={(open, details) => {
        if (open || (isSticky && details.reason === "escape-key")) return;
        onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={backdrop} />
        <Base.Popup className={`${popup} max-w-xl`}>
          <div className="flex items-start justify-between gap-4">
            <Base.Title className="text-section font-semibold">{title}</Base.Title>
            {!isSticky && (
              <IconButton label="Close" onClick={onClose}>
                <X aria-hidden size={18} />
              </IconButton>
            )}
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface ConfirmProps {
  title: string;
  children: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  /** Label of the confirming button: "Revoke key". */
  action: string;
  /** Label of the cancelling button: "Keep key". */
  cancelLabel: string;
  /** Text that the user must type before the button is enabled. */
  confirmationText?: string;
  /** `key`: this dialog's idempotency key, so that a second press acts once. */
  act: (key: string) => Promise<unknown>;
}

export function Confirm(props: ConfirmProps) {
  return (
    <AlertDialog.Root open={props.isOpen} onOpenChange={(open) => !open && props.onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdrop} />
        <AlertDialog.Popup className={`${popup} max-w-md`}>
          <ConfirmBody {...props} />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

interface ConfirmButtonProps extends Omit<ConfirmProps, "isOpen" | "onClose"> {
  tone?: Tone;
  small?: boolean;
  className?: string;
}

/** A button that asks before it acts; the question's button has the same label. Not inside of a form: its keys would send it. */
export function ConfirmButton({ tone = "plain", small = false, className = "", ...question }: ConfirmButtonProps) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button tone={tone} small={small} className={className} onClick={() => setIsAsking(true)}>
        {question.action}
      </Button>
      <Confirm {...question} isOpen={isAsking} onClose={() => setIsAsking(false)} />
    </>
  );
}

/** A separate component, so that each opening mounts it with a new key. */
function ConfirmBody({ title, children, onClose, action, cancelLabel, confirmationText, act }: ConfirmProps) {
  const [key] = useState(newFormKey);
  const [typed, setTyped] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const id = useId();
  const press = async () => {
    if (isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      await act(key);
      onClose();
    } catch (reason) {
      setError(reason);
      setIsBusy(false);
    }
  };
  return (
    <>
      <AlertDialog.Title className="text-section font-semibold">{title}</AlertDialog.Title>
      <AlertDialog.Description render={<div />} className="text-quiet">
        {children}
      </AlertDialog.Description>
      {confirmationText !== undefined && (
        <div className="flex flex-col gap-1">
          <label htmlFor={id}>
            Type <strong className="font-semibold">{confirmationText}</strong> to continue
          </label>
          <input
            id={id}
            className={inputClass}
            value={typed}
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
      )}
      <ErrorLine error={error} />
      <div className="flex flex-wrap justify-end gap-3">
        <Button onClick={onClose}>{cancelLabel}</Button>
        <Button
          tone="danger"
          busy={isBusy}
          disabled={confirmationText !== undefined && typed.trim() !== confirmationText}
          onClick={() => void press()}
        >
          {action}
        </Button>
      </div>
    </>
  );
}
