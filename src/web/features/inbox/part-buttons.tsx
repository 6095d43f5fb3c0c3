/** Adds or removes one of the several that a part has: a button, a row, a card. The focus goes to a field that is there. */
import { Plus, X } from "lucide-react";
import { Button, IconButton } from "../../ui/button.tsx";
import { focusField, type PartContext } from "./part-field.tsx";

interface PressProps {
  label: string;
  context: PartContext;
  /** Of the field that gets the focus, as `PartField` has it. */
  next: string;
  act: () => void;
}

export function Add({ label, context: { isLocked }, next, act }: PressProps) {
  return (
    <Button small className="self-start" disabled={isLocked} onClick={() => actThenFocus(act, next)}>
      <Plus aria-hidden size={14} />
      {label}
    </Button>
  );
}

export function Remove({ label, context: { isLocked }, next, act }: PressProps) {
  return (
    <IconButton label={label} disabled={isLocked} onClick={() => actThenFocus(act, next)}>
      <X aria-hidden size={16} />
    </IconButton>
  );
}

function actThenFocus(act: () => void, next: string): void {
  act();
  focusField(next);
}
