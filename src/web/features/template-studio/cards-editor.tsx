/** The cards of a carousel: each has a header, a text and buttons. */
import { Button } from "../../ui/button.tsx";
import { ButtonsEditor } from "./buttons-editor.tsx";
import { useChecked } from "./checked.tsx";
import { addPart, at, type Content, findPart, partsAt, put, tidied, typeOf } from "./content.ts";
import { StudioPlace } from "./fields.tsx";
import { Group, Header, limitOf, Unknown } from "./header-editor.tsx";
import { strings } from "./strings.ts";
import { TextEditor } from "./text-editor.tsx";

const CARD_BUTTONS = ["QUICK_REPLY", "URL", "PHONE_NUMBER", "SPM"];
/** What a new card has. */
export const CARD: Content = { components: [{ type: "HEADER", format: "IMAGE" }] };

export function Carousel() {
  const { content, change } = useChecked();
  const part = findPart(content, "components", "CAROUSEL");
  if (part === null) return null;
  const cards = partsAt(content, `${part}.cards`);
  const add = () =>
    change((all) => {
      const known = partsAt(all, `${part}.cards`);
      // All cards have the same parts, so a further one begins like the last.
      const last = known.at(-1) as Content | undefined;
      const alike = last === undefined ? CARD : { ...last, components: partsAt(last, "components").map(withoutSample) };
      return put(all, `${part}.cards`, [...known, alike]);
    });
  return (
    <Group title={strings.carousel}>
      {cards.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a card has no name of its own.
        <CardEditor key={index} path={`${part}.cards.${index}`} index={index} />
      ))}
      <StudioPlace path={`${part}.cards`} />
      <StudioPlace path="sample_media.cards" />
      <StudioPlace path={part} />
      <div>
        <Button small onClick={add}>
          {strings.addCard}
        </Button>
      </div>
    </Group>
  );
}

function withoutSample(part: unknown): unknown {
  return typeOf(part) === "HEADER" ? put(part as Content, "example", undefined) : part;
}

function CardEditor({ path, index }: { path: string; index: number }) {
  const { content, change } = useChecked();
  const list = `${path}.components`;
  const body = findPart(content, list, "BODY");
  const name = strings.card(index + 1);
  const remove = () =>
    change((all) => {
      const cards = at(all, "sample_media.cards");
      const without = put(all, path, undefined);
      return Array.isArray(cards) ? tidied(put(without, "sample_media.cards", cards.toSpliced(index, 1))) : without;
    });
  const known = ["HEADER", "BODY", "BUTTONS"];
  return (
    <fieldset className="flex flex-col gap-3 rounded-control border border-line p-3">
      <legend className="px-1 font-semibold">{name}</legend>
      <Header
        list={list}
        sample={`sample_media.cards.${index}`}
        formats={["IMAGE", "VIDEO", "PRODUCT"]}
        of={`${name}: `}
      />
      {body === null ? (
        <div>
          <Button small onClick={() => change((all) => addPart(all, list, { type: "BODY", text: "" }))}>
            {`${name}: ${strings.addCardText}`}
          </Button>
        </div>
      ) : (
        <>
          <TextEditor part={body} label={`${name}: ${strings.cardText}`} limit={limitOf("card_body_too_long")} />
          <div>
            <Button small tone="quiet" onClick={() => change((all) => put(all, body, undefined))}>
              {strings.remove(`${name}: ${strings.cardText}`)}
            </Button>
          </div>
        </>
      )}
      <ButtonsEditor list={list} kinds={CARD_BUTTONS} of={`${name}: `} />
      {partsAt(content, list).map(
        (part, position) =>
          !known.includes(typeOf(part)) && (
            // biome-ignore lint/suspicious/noArrayIndexKey: a part has no name of its own.
            <Unknown key={position} path={`${list}.${position}`} />
          ),
      )}
      <StudioPlace path={list} />
      <div>
        <Button small tone="quiet" onClick={remove}>
          {strings.remove(name)}
        </Button>
      </div>
    </fieldset>
  );
}
