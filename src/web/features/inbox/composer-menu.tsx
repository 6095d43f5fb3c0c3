/** What can be added to a message, in one menu beside its field. */
import { Menu } from "@base-ui/react/menu";
import {
  ContactRound,
  ExternalLink,
  LayoutTemplate,
  List,
  MapPin,
  Mic,
  Paperclip,
  Plus,
  RectangleHorizontal,
} from "lucide-react";
import { type ReactNode, useRef } from "react";
import { IconButton } from "../../ui/button.tsx";
import { useKeys } from "../../ui/keys.ts";
import { focusReply } from "./composer-actions.tsx";
import type { Draft } from "./composer-draft.ts";
import { FileInput } from "./composer-file.tsx";
import { partStrings, strings } from "./composer-strings.ts";

type Part = NonNullable<Draft["part"]>;

const ITEMS = [
  ["buttons", partStrings.names.buttons, RectangleHorizontal],
  ["list", partStrings.names.list, List],
  ["location", partStrings.names.location, MapPin],
  ["contacts", partStrings.names.contacts, ContactRound],
  ["link", partStrings.names.link, ExternalLink],
  ["template", strings.template, LayoutTemplate],
] as const;
const itemClass =
  "flex min-h-10 cursor-pointer items-center gap-3 rounded-control px-3 outline-none data-highlighted:bg-sunken max-mid:min-h-11";

interface AddMenuProps {
  draftId: string;
  disabled: boolean;
  onPart: (part: Part) => void;
  onVoice: () => void;
  /** Rendered behind the menu. */
  children: ReactNode;
}

export function AddMenu({ draftId, disabled, onPart, onVoice, children }: AddMenuProps) {
  const input = useRef<HTMLInputElement>(null);
  useKeys((key) => {
    if (key !== "f" || disabled || input.current === null) return false;
    input.current.addEventListener("change", focusReply, { once: true });
    input.current.click();
    return true;
  });
  // What opens takes the focus.
  const hasOpened = useRef(false);
  const open = (act: () => void) => () => {
    hasOpened.current = true;
    act();
  };
  return (
    <>
      <FileInput draftId={draftId} input={input} />
      <Menu.Root
        onOpenChange={(isOpen) => {
          if (isOpen) hasOpened.current = false;
        }}
      >
        <Menu.Trigger
          aria-label={strings.attach}
          title={strings.attach}
          disabled={disabled}
          className="inline-flex size-9 shrink-0 items-center justify-center rounded-control text-quiet hover:bg-sunken hover:text-ink max-mid:size-11"
        >
          <Plus aria-hidden size={20} />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner side="top" align="start" sideOffset={4} className="z-50">
            <Menu.Popup
              finalFocus={() => !hasOpened.current}
              className="floats min-w-52 rounded-panel border border-line bg-surface p-1 shadow-float outline-none"
            >
              <Menu.Item className={itemClass} onClick={() => input.current?.click()}>
                <Paperclip aria-hidden size={16} />
                {strings.photoOrFile}
              </Menu.Item>
              <Menu.Item className={itemClass} onClick={open(onVoice)}>
                <Mic aria-hidden size={16} />
                {strings.voiceFile}
              </Menu.Item>
              {ITEMS.map(([part, label, Icon]) => (
                <Menu.Item key={part} className={itemClass} onClick={open(() => onPart(part))}>
                  <Icon aria-hidden size={16} />
                  {label}
                </Menu.Item>
              ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {children}
      <IconButton
        label={strings.photoOrFile}
        keyName="f"
        className="max-mid:hidden"
        disabled={disabled}
        onClick={() => input.current?.click()}
      >
        <Paperclip aria-hidden size={18} />
      </IconButton>
    </>
  );
}
