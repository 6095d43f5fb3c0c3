/** The buttons of a message or a card: added, removed, and moved by keyboard or by dragging. */
import { ArrowDown, ArrowUp, GripVertical, X } from "lucide-react";
import { type ReactNode, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button, IconButton } from "../../ui/button.tsx";
import { inputClass } from "../../ui/field.tsx";
import { useChecked } from "./checked.tsx";
import { addPart, at, type Content, findPart, move, partsAt, put, textAt, typeOf } from "./content.ts";
import { StudioPlace, StudioSelect, StudioSwitch, StudioText } from "./fields.tsx";
import { strings } from "./strings.ts";

const FIRST: Readonly<Record<string, Content>> = {
  CATALOG: { text: "View catalog" },
  MPM: { text: "View items" },
  SPM: { text: "View" },
  OTP: { otp_type: "COPY_CODE" },
};

/** Where a label is the sender's own. */
const LABELLED = [
  "QUICK_REPLY",
  "URL",
  "PHONE_NUMBER",
  "FLOW",
  "CATALOG",
  "MPM",
  "SPM",
  "ORDER_DETAILS",
  "VOICE_CALL",
  "OTP",
];

interface Props {
  /** Path of the list of components. */
  list: string;
  kinds: readonly string[];
  /** Said before the names of the controls, where the page has several lists. */
  of?: string;
}

export function ButtonsEditor({ list, kinds, of = "" }: Props) {
  const { content, change } = useChecked();
  const part = findPart(content, list, "BUTTONS");
  const path = part === null ? null : `${part}.buttons`;
  const buttons = path === null ? [] : partsAt(content, path);
  const [kind, setKind] = useState(kinds[0] ?? "QUICK_REPLY");
  const chosen = kinds.includes(kind) ? kind : (kinds[0] ?? "QUICK_REPLY");
  const [dragged, setDragged] = useState<number | null>(null);
  const items = useRef<HTMLOListElement>(null);
  const id = useId();
  /** The next key finds the focus there. */
  const changeAndFocus = (next: Parameters<typeof change>[0], index: number, control: string) => {
    flushSync(() => change(next));
    const item = items.current?.children[index];
    const wished = item?.querySelector<HTMLElement>(control) ?? item?.querySelector<HTMLElement>("input, button");
    wished?.focus();
  };
  const add = () => {
    const button = { type: chosen, ...FIRST[chosen] };
    const next = (all: Content) => {
      const known = findPart(all, list, "BUTTONS");
      if (known === null) return addPart(all, list, { type: "BUTTONS", buttons: [button] });
      return put(all, `${known}.buttons`, [...partsAt(all, `${known}.buttons`), button]);
    };
    changeAndFocus(next, buttons.length, "input");
  };
  const remove = (index: number) => {
    const next = (all: Content) => {
      if (part === null || path === null) return all;
      return partsAt(all, path).length <= 1 ? put(all, part, undefined) : put(all, `${path}.${index}`, undefined);
    };
    changeAndFocus(next, Math.max(0, index - 1), "[data-remove]");
  };
  const moveTo = (from: number, to: number, control: string) => {
    if (path === null || to < 0 || to >= buttons.length) return;
    changeAndFocus((all) => move(all, path, from, to), to, control);
  };
  return (
    <div className="flex flex-col gap-3">
      {path !== null && (
        <ol ref={items} className="flex flex-col gap-3">
          {buttons.map((button, index) => {
            const name = of + strings.button(index + 1, strings.kinds[typeOf(button)] ?? typeOf(button));
            return (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: a button has no name of its own; its fields hold no state.
                key={index}
                className={`rounded-control border border-line p-3 ${dragged === index ? "opacity-60" : ""}`}
                onDragOver={(event) => dragged !== null && event.preventDefault()}
                onDrop={(event) => {
                  event.preventDefault();
                  if (dragged !== null) moveTo(dragged, index, "[data-up]");
                  setDragged(null);
                }}
              >
                <div className="mb-2 flex items-center gap-1">
                  <span
                    role="img"
                    aria-label={strings.drag(name)}
                    draggable
                    className="cursor-grab p-2 text-quiet"
                    onDragStart={(event) => {
                      event.dataTransfer.effectAllowed = "move";
                      event.dataTransfer.setData("text/plain", String(index));
                      setDragged(index);
                    }}
                    onDragEnd={() => setDragged(null)}
                  >
                    <GripVertical aria-hidden size={16} />
                  </span>
                  <strong className="flex-1 font-semibold">{name}</strong>
                  <IconButton
                    label={strings.up(name)}
                    data-up
                    aria-disabled={index === 0}
                    onClick={() => moveTo(index, index - 1, "[data-up]")}
                  >
                    <ArrowUp aria-hidden size={16} />
                  </IconButton>
                  <IconButton
                    label={strings.down(name)}
                    data-down
                    aria-disabled={index === buttons.length - 1}
                    onClick={() => moveTo(index, index + 1, "[data-down]")}
                  >
                    <ArrowDown aria-hidden size={16} />
                  </IconButton>
                  <IconButton label={strings.remove(name)} data-remove onClick={() => remove(index)}>
                    <X aria-hidden size={16} />
                  </IconButton>
                </div>
                <ButtonFields path={`${path}.${index}`} kind={typeOf(button)} name={name} />
              </li>
            );
          })}
        </ol>
      )}
      {path !== null && <StudioPlace path={path} />}
      <div className="flex flex-wrap items-end gap-2">
        <label htmlFor={id} className="sr-only">
          {of + strings.buttonKind}
        </label>
        <select
          id={id}
          className={`${inputClass} max-w-60`}
          value={chosen}
          onChange={({ target }) => setKind(target.value)}
        >
          {kinds.map((one) => (
            <option key={one} value={one}>
              {strings.kinds[one]}
            </option>
          ))}
        </select>
        <Button onClick={add}>{of + strings.addButton}</Button>
      </div>
    </div>
  );
}

function ButtonFields({ path, kind, name }: { path: string; kind: string; name: string }) {
  const { content } = useChecked();
  // The heading of the button stands above its fields; a screen reader hears it with each.
  const own = (label: string): ReactNode => (
    <>
      {label}
      <span className="sr-only"> ({name})</span>
    </>
  );
  return (
    <div className="grid gap-3 mid:grid-cols-2">
      {(LABELLED.includes(kind) || at(content, `${path}.text`) !== undefined) && (
        <StudioText path={`${path}.text`} label={own(strings.label)} />
      )}
      {kind === "URL" && <LinkFields path={path} own={own} />}
      {kind === "PHONE_NUMBER" && (
        <StudioText path={`${path}.phone_number`} label={own(strings.phone)} hint={strings.phoneHint} inputMode="tel" />
      )}
      {kind === "COPY_CODE" && <Example path={path} label={own(strings.code)} />}
      {kind === "FLOW" && <FlowFields path={path} own={own} />}
      {kind === "OTP" && <OtpFields path={path} own={own} />}
      <StudioPlace path={path} />
    </div>
  );
}

interface FieldsOf {
  path: string;
  own: (label: string) => ReactNode;
}

function LinkFields({ path, own }: FieldsOf) {
  const { content } = useChecked();
  const takes = textAt(content, `${path}.url`).includes("{{") || at(content, `${path}.example`) !== undefined;
  return (
    <>
      <StudioText path={`${path}.url`} label={own(strings.url)} hint={strings.urlHint} inputMode="url" />
      {takes && <Example path={path} label={own(strings.urlSample)} isList />}
    </>
  );
}

/** A sample that Meta writes as a text or as a list of one. */
function Example({ path, label, isList = false }: { path: string; label: ReactNode; isList?: boolean }) {
  const { content, change } = useChecked();
  const sample = `${path}.example`;
  const given = at(content, sample);
  const value = textAt(content, Array.isArray(given) ? `${sample}.0` : sample);
  return (
    <StudioText
      path={sample}
      label={label}
      value={value}
      onValue={(text) => change((all) => put(all, sample, text === "" ? undefined : isList ? [text] : text))}
    />
  );
}

function FlowFields({ path, own }: FieldsOf) {
  return (
    <>
      <StudioText path={`${path}.flow_id`} label={own(strings.flowId)} />
      <StudioText path={`${path}.flow_name`} label={own(strings.flowName)} />
      <StudioSelect
        path={`${path}.flow_action`}
        label={own(strings.flowAction)}
        choices={Object.entries(strings.flowActions).map(([value, label]) => ({ value, label }))}
      />
      <StudioText path={`${path}.navigate_screen`} label={own(strings.flowScreen)} />
    </>
  );
}

export function OtpFields({ path, own }: FieldsOf) {
  const { content, change } = useChecked();
  const type = textAt(content, `${path}.otp_type`).toUpperCase();
  const isApp = ["ONE_TAP", "ZERO_TAP"].includes(type);
  const inList =
    at(content, `${path}.supported_apps`) !== undefined || at(content, `${path}.package_name`) === undefined;
  const app = inList ? `${path}.supported_apps.0` : path;
  return (
    <>
      <StudioSelect
        path={`${path}.otp_type`}
        label={own(strings.otpType)}
        value={type}
        onValue={(chosen) => change((all) => put(all, `${path}.otp_type`, chosen))}
        choices={Object.entries(strings.otpTypes).map(([value, label]) => ({ value, label }))}
      />
      {isApp && (
        <>
          <StudioText path={`${app}.package_name`} label={own(strings.otpPackage)} />
          <StudioText path={`${app}.signature_hash`} label={own(strings.otpHash)} />
          <StudioPlace path={`${path}.supported_apps`} />
        </>
      )}
      {type === "ZERO_TAP" && (
        <StudioSwitch
          path={`${path}.zero_tap_terms_accepted`}
          label={own(strings.otpTerms)}
          isOn={at(content, `${path}.zero_tap_terms_accepted`) === true}
          onChange={(isOn) => change((all) => put(all, `${path}.zero_tap_terms_accepted`, isOn ? true : undefined))}
        />
      )}
    </>
  );
}
