/** The parts of a template, in the order in which WhatsApp shows them. */

import { Button } from "../../ui/button.tsx";
import { Tick } from "../../ui/field.tsx";
import { ButtonsEditor } from "./buttons-editor.tsx";
import { CARD, Carousel } from "./cards-editor.tsx";
import { useChecked } from "./checked.tsx";
import { addPart, at, type Content, findPart, partsAt, put, textAt, tidied, typeOf } from "./content.ts";
import { StudioNumber, StudioPlace, StudioSwitch, StudioText } from "./fields.tsx";
import { Group, Header, limitOf, Unknown } from "./header-editor.tsx";
import { strings } from "./strings.ts";
import { PlainText, TextEditor } from "./text-editor.tsx";

const LIST = "components";
const KNOWN = ["HEADER", "LIMITED_TIME_OFFER", "BODY", "FOOTER", "BUTTONS", "CAROUSEL", "CALL_PERMISSION_REQUEST"];
const BUTTONS = Object.keys(strings.kinds).filter((kind) => kind !== "OTP");

export function PartsEditor() {
  const { content } = useChecked();
  const isLogin = content.category === "AUTHENTICATION";
  const hasHeader = findPart(content, LIST, "HEADER") !== null;
  return (
    <>
      {(!isLogin || hasHeader) && (
        <Group title={strings.header}>
          <Header list={LIST} sample="sample_media.header" formats={Object.keys(strings.headerKinds)} />
          <StudioPlace path="sample_media" />
        </Group>
      )}
      <Offer />
      <Group title={strings.body}>
        <Body isLogin={isLogin} />
        <StudioPlace path={LIST} />
        <StudioPlace path="parameter_format" />
      </Group>
      <Group title={strings.footer}>
        <Footer isLogin={isLogin} />
      </Group>
      <Group title={strings.buttons}>
        <ButtonsEditor list={LIST} kinds={isLogin ? ["OTP"] : BUTTONS} />
      </Group>
      <Carousel />
      <Others />
      <Group title={strings.more}>
        {!isLogin && <MoreParts />}
        <StudioNumber path="message_send_ttl_seconds" label={strings.life} hint={strings.lifeHint} />
      </Group>
    </>
  );
}

function Body({ isLogin }: { isLogin: boolean }) {
  const { content, change } = useChecked();
  const part = findPart(content, LIST, "BODY");
  const hasOffer = findPart(content, LIST, "LIMITED_TIME_OFFER") !== null;
  if (part === null) {
    return (
      <Button onClick={() => change((all) => addPart(all, LIST, { type: "BODY", text: "" }))}>{strings.body}</Button>
    );
  }
  const hasSwitch = isLogin || at(content, `${part}.add_security_recommendation`) !== undefined;
  return (
    <>
      {(!isLogin || at(content, `${part}.text`) !== undefined) && (
        <TextEditor
          part={part}
          label={strings.bodyText}
          limit={limitOf(hasOffer ? "offer_body_too_long" : "body_too_long")}
          hint={strings.bodyHint}
        />
      )}
      {hasSwitch && (
        <StudioSwitch
          path={`${part}.add_security_recommendation`}
          label={strings.loginBody}
          isOn={at(content, `${part}.add_security_recommendation`) === true}
          onChange={(isOn) => change((all) => put(all, `${part}.add_security_recommendation`, isOn ? true : undefined))}
        />
      )}
      <StudioPlace path={part} />
    </>
  );
}

/** A footer that is emptied is no part any more. */
function Footer({ isLogin }: { isLogin: boolean }) {
  const { content, change } = useChecked();
  const part = findPart(content, LIST, "FOOTER");
  if (part === null) {
    const member = isLogin ? { code_expiration_minutes: 10 } : { text: "" };
    return (
      <div>
        <Button small onClick={() => change((all) => addPart(all, LIST, { type: "FOOTER", ...member }))}>
          {strings.addFooter}
        </Button>
      </div>
    );
  }
  const minutes = `${part}.code_expiration_minutes`;
  return (
    <>
      {(!isLogin || at(content, `${part}.text`) !== undefined) && (
        <PlainText part={part} label={strings.footerText} limit={limitOf("footer_too_long")} />
      )}
      {(isLogin || at(content, minutes) !== undefined) && <StudioNumber path={minutes} label={strings.expiry} />}
      <StudioPlace path={part} />
      <div>
        <Button small tone="quiet" onClick={() => change((all) => put(all, part, undefined))}>
          {strings.removeFooter}
        </Button>
      </div>
    </>
  );
}

function Offer() {
  const { content, change } = useChecked();
  const part = findPart(content, LIST, "LIMITED_TIME_OFFER");
  if (part === null) return null;
  const path = `${part}.limited_time_offer`;
  return (
    <Group title={strings.offer}>
      <StudioText
        path={`${path}.text`}
        label={strings.offerText}
        hint={strings.of([...textAt(content, `${path}.text`)].length, limitOf("offer_text_too_long"))}
      />
      <StudioSwitch
        path={`${path}.has_expiration`}
        label={strings.offerEnds}
        isOn={at(content, `${path}.has_expiration`) !== false}
        onChange={(isOn) => change((all) => put(all, `${path}.has_expiration`, isOn))}
      />
      <StudioPlace path={part} />
    </Group>
  );
}

/** Parts without fields, and second ones of a type: they can be taken out. */
function Others() {
  const { content } = useChecked();
  const parts = partsAt(content, LIST);
  const others = parts.flatMap((part, index) => {
    const type = typeOf(part);
    const isFirst = parts.findIndex((one) => typeOf(one) === type) === index;
    return KNOWN.includes(type) && isFirst && type !== "CALL_PERMISSION_REQUEST" ? [] : [`${LIST}.${index}`];
  });
  return others.map((path) => <Unknown key={path} path={path} />);
}

const ADDED: readonly { type: string; label: string; part: Content }[] = [
  {
    type: "LIMITED_TIME_OFFER",
    label: strings.offer,
    part: { type: "LIMITED_TIME_OFFER", limited_time_offer: { text: "", has_expiration: true } },
  },
  { type: "CAROUSEL", label: strings.carousel, part: { type: "CAROUSEL", cards: [CARD, CARD] } },
  { type: "CALL_PERMISSION_REQUEST", label: strings.call, part: { type: "CALL_PERMISSION_REQUEST" } },
];

function MoreParts() {
  const { content, change } = useChecked();
  return (
    <div className="flex flex-col">
      {ADDED.map(({ type, label, part }) => {
        const known = findPart(content, LIST, type);
        return (
          <Tick
            key={type}
            checked={known !== null}
            onChange={({ target }) =>
              change((all) => {
                const there = findPart(all, LIST, type);
                if (target.checked) return addPart(all, LIST, part);
                return there === null ? all : tidied(put(put(all, there, undefined), "sample_media.cards", undefined));
              })
            }
          >
            {label}
          </Tick>
        );
      })}
    </div>
  );
}
