/**
 * The form of what a message is beside its text, and how the customer's phone shows it. Loaded when it is first opened.
 */
import { limits } from "#src/domain/messages/kinds/limits.ts";
import { type Draft, writePart } from "./composer-draft.ts";
import { coordinatesIn, type Faults, isBlank, NO_ROW, type PartName, partOf, takesText } from "./composer-parts.ts";
import { partStrings as strings } from "./composer-strings.ts";
import { Add, Remove } from "./part-buttons.tsx";
import { CardsForm } from "./part-cards.tsx";
import { type FormProps, type PartContext, PartField } from "./part-field.tsx";
import { PartPreview } from "./part-preview.tsx";

interface PartFormProps {
  draftId: string;
  draft: Draft;
  name: PartName;
  faults: Faults;
  hasFocus: boolean;
}

export function PartForm({ draftId, draft, name, faults, hasFocus }: PartFormProps) {
  const context = { faults, isLocked: draft.isSending, hasFocus };
  const form = { draftId, draft, context };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 wide:grid-cols-[minmax(0,1fr)_14rem]">
      <div className="flex min-w-0 flex-col gap-3">
        {name === "buttons" && <ButtonsForm {...form} />}
        {name === "list" && <ListForm {...form} />}
        {name === "link" && <LinkForm {...form} />}
        {name === "location" && <PlaceForm {...form} />}
        {name === "contacts" && <CardsForm {...form} />}
        {!takesText(name) && !isBlank(draft.text) && <p className="text-label text-quiet">{strings.textStays}</p>}
      </div>
      <PartPreview name={name} draft={draft} />
    </div>
  );
}

interface AroundProps<Part> {
  context: PartContext;
  part: Part;
  change: (part: Part) => void;
  /** A file stands in the headline's place. */
  hasFile?: boolean;
}

/** What stands above and below the text. */
function Around<Part extends { header: string; footer: string }>({
  context,
  part,
  change,
  hasFile = false,
}: AroundProps<Part>) {
  return (
    <div className="flex flex-col gap-3">
      {!hasFile && (
        <PartField
          context={context}
          path="interactive.header"
          label={strings.header}
          maxLength={limits.header}
          value={part.header}
          onValue={(header) => change({ ...part, header })}
        />
      )}
      <PartField
        context={context}
        path="interactive.footer"
        label={strings.footer}
        maxLength={limits.footer}
        value={part.footer}
        onValue={(footer) => change({ ...part, footer })}
      />
    </div>
  );
}

function ButtonsForm({ draftId, draft: { parts, file }, context }: FormProps) {
  const part = partOf(parts, "buttons");
  const change = (changed: typeof part) => writePart(draftId, "buttons", changed);
  const { titles } = part;
  return (
    <>
      <div className="flex flex-col gap-3">
        {titles.map((title, index) => (
          <PartField
            // biome-ignore lint/suspicious/noArrayIndexKey: buttons are told apart by their place alone.
            key={index}
            context={context}
            path={`interactive.buttons.${index}.title`}
            label={strings.button(index + 1)}
            maxLength={limits.buttonTitle}
            isFirst={index === 0}
            value={title}
            onValue={(text) => change({ ...part, titles: titles.with(index, text) })}
            beside={
              titles.length > 1 && (
                <Remove
                  label={strings.removeButton(index + 1)}
                  context={context}
                  next={`interactive.buttons.${Math.max(0, index - 1)}.title`}
                  act={() => change({ ...part, titles: titles.toSpliced(index, 1) })}
                />
              )
            }
          />
        ))}
      </div>
      {titles.length < limits.buttons && (
        <Add
          label={strings.addButton}
          context={context}
          next={`interactive.buttons.${titles.length}.title`}
          act={() => change({ ...part, titles: [...titles, ""] })}
        />
      )}
      <Around context={context} part={part} change={change} hasFile={file !== null} />
    </>
  );
}

function LinkForm({ draftId, draft: { parts, file }, context }: FormProps) {
  const part = partOf(parts, "link");
  const change = (changed: typeof part) => writePart(draftId, "link", changed);
  return (
    <>
      <div className="flex flex-col gap-3">
        <PartField
          context={context}
          path="interactive.link.title"
          label={strings.linkTitle}
          maxLength={limits.linkTitle}
          isFirst
          value={part.title}
          onValue={(title) => change({ ...part, title })}
        />
        <PartField
          context={context}
          path="interactive.link.url"
          label={strings.url}
          type="url"
          inputMode="url"
          dir="ltr"
          placeholder="https://"
          maxLength={limits.linkUrl}
          value={part.url}
          onValue={(url) => change({ ...part, url })}
        />
      </div>
      <Around context={context} part={part} change={change} hasFile={file !== null} />
    </>
  );
}

function PlaceForm({ draftId, draft: { parts }, context }: FormProps) {
  const part = partOf(parts, "location");
  const change = (changed: Partial<typeof part>) => writePart(draftId, "location", { ...part, ...changed });
  // Both are pasted into either field.
  const degrees = (name: "latitude" | "longitude") => ({
    context,
    path: `location.${name}`,
    label: strings[name],
    inputMode: "text" as const,
    dir: "ltr",
    value: part[name],
    onValue: (text: string) => change(coordinatesIn(text) ?? { [name]: text }),
  });
  return (
    <>
      <div className="flex flex-col gap-3">
        <PartField {...degrees("latitude")} hint={strings.placeHint} isFirst />
        <PartField {...degrees("longitude")} />
      </div>
      <div className="flex flex-col gap-3">
        <PartField
          context={context}
          path="location.name"
          label={strings.placeName}
          maxLength={limits.placeLabel}
          value={part.name}
          onValue={(name) => change({ name })}
        />
        <PartField
          context={context}
          path="location.address"
          label={strings.placeAddress}
          maxLength={limits.placeLabel}
          value={part.address}
          onValue={(address) => change({ address })}
        />
      </div>
    </>
  );
}

function ListForm({ draftId, draft: { parts }, context }: FormProps) {
  const part = partOf(parts, "list");
  const change = (changed: typeof part) => writePart(draftId, "list", changed);
  const { sections } = part;
  const rowCount = sections.reduce((count, { rows }) => count + rows.length, 0);
  const isFull = rowCount >= limits.rows;
  const changeSection = (index: number, section: Partial<(typeof sections)[number]>) => {
    const old = sections[index];
    if (old !== undefined) change({ ...part, sections: sections.with(index, { ...old, ...section }) });
  };
  /** A section without rows goes with its last one. */
  const removeRow = (index: number, row: number) => {
    const rows = sections[index]?.rows.toSpliced(row, 1) ?? [];
    if (rows.length > 0) changeSection(index, { rows });
    else change({ ...part, sections: sections.toSpliced(index, 1) });
  };
  return (
    <>
      <PartField
        context={context}
        path="interactive.list.button"
        label={strings.listButton}
        maxLength={limits.listButton}
        isFirst
        value={part.button}
        onValue={(button) => change({ ...part, button })}
      />
      {sections.map(({ title, rows }, index) => {
        const path = `interactive.list.sections.${index}`;
        const isOnly = sections.length === 1;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: sections are told apart by their place alone.
          <div key={index} className="flex flex-col gap-3 border-s-2 border-line ps-3">
            <PartField
              context={context}
              path={`${path}.title`}
              label={isOnly ? strings.onlySection : strings.section(index + 1)}
              maxLength={limits.sectionTitle}
              value={title}
              onValue={(text) => changeSection(index, { title: text })}
            />
            {rows.map((row, place) => {
              const label = isOnly ? strings.row(place + 1) : strings.rowOf(place + 1, index + 1);
              const changeRow = (changed: Partial<typeof row>) =>
                changeSection(index, { rows: rows.with(place, { ...row, ...changed }) });
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows are told apart by their place alone.
                <div key={place} className="flex flex-col gap-2">
                  <PartField
                    context={context}
                    path={`${path}.rows.${place}.title`}
                    label={label}
                    maxLength={limits.rowTitle}
                    value={row.title}
                    onValue={(text) => changeRow({ title: text })}
                    beside={
                      rowCount > 1 && (
                        <Remove
                          label={strings.removeRow(label)}
                          context={context}
                          next={place > 0 ? `${path}.rows.${place - 1}.title` : "interactive.list.button"}
                          act={() => removeRow(index, place)}
                        />
                      )
                    }
                  />
                  <PartField
                    context={context}
                    path={`${path}.rows.${place}.description`}
                    label={strings.description(label)}
                    maxLength={limits.rowDescription}
                    value={row.description}
                    onValue={(description) => changeRow({ description })}
                  />
                </div>
              );
            })}
            {!isFull && (
              <Add
                label={isOnly ? strings.addRow : strings.addRowTo(index + 1)}
                context={context}
                next={`${path}.rows.${rows.length}.title`}
                act={() => changeSection(index, { rows: [...rows, NO_ROW] })}
              />
            )}
          </div>
        );
      })}
      <div className="flex flex-wrap items-center gap-3">
        {!isFull && (
          <Add
            label={strings.addSection}
            context={context}
            next={`interactive.list.sections.${sections.length}.title`}
            act={() => change({ ...part, sections: [...sections, { title: "", rows: [NO_ROW] }] })}
          />
        )}
        <span className="text-label text-quiet figures">{strings.rowsLeft(rowCount, limits.rows)}</span>
      </div>
      <Around context={context} part={part} change={change} />
    </>
  );
}
