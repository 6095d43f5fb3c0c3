/** The header of a message or a card, and what the editors of parts share. */
import { X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { templateRules } from "#src/domain/templates/rules/check.ts";
import { IconButton } from "../../ui/button.tsx";
import { useChecked } from "./checked.tsx";
import { addPart, at, findPart, put, setSampleFile, textAt, typeOf } from "./content.ts";
import { StudioPlace, StudioSelect } from "./fields.tsx";
import { SampleFile } from "./sample-file.tsx";
import { strings } from "./strings.ts";
import { TextEditor } from "./text-editor.tsx";

const FILES = ["IMAGE", "VIDEO", "GIF", "DOCUMENT"];

/** The largest length that the rule allows. */
export function limitOf(rule: keyof typeof templateRules): number {
  return templateRules[rule].limit ?? 0;
}

/** A group of fields with its heading. */
export function Group({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3 border-t border-line pt-5">
      <h2 id={id} className="text-section font-semibold">
        {title}
      </h2>
      {children}
    </section>
  );
}

/** `sample`: where the id of the sample file belongs. */
export function Header({
  list,
  sample,
  formats,
  of = "",
}: {
  list: string;
  sample: string;
  formats: readonly string[];
  of?: string;
}) {
  const { content, change } = useChecked();
  const part = findPart(content, list, "HEADER");
  const format = part === null ? "none" : (textAt(content, `${part}.format`) || "TEXT").toUpperCase();
  const choose = (chosen: string) =>
    change((all) => {
      const known = findPart(all, list, "HEADER");
      const without = known === null ? all : setSampleFile(all, sample, known, null);
      const bare = known === null ? without : put(without, known, undefined);
      return chosen === "none" ? bare : addPart(bare, list, { type: "HEADER", format: chosen });
    });
  return (
    <>
      <StudioSelect
        path={part === null ? `${list}.header` : `${part}.format`}
        label={of + strings.headerKind}
        value={format}
        onValue={choose}
        choices={formats.map((one) => ({
          value: one,
          label: strings.headerKinds[one as keyof typeof strings.headerKinds],
        }))}
      />
      {part !== null && format === "TEXT" && (
        <TextEditor part={part} label={strings.headerText} limit={limitOf("header_too_long")} isLine />
      )}
      {part !== null && FILES.includes(format) && <SampleFile part={part} path={sample} format={format} of={of} />}
      {part !== null && <StudioPlace path={part} />}
    </>
  );
}

/** A part without fields: it can be taken out. */
export function Unknown({ path }: { path: string }) {
  const { content, change } = useChecked();
  const type = typeOf(at(content, path));
  const name = type === "CALL_PERMISSION_REQUEST" ? strings.call : strings.other(type || "?");
  return (
    <div className="flex flex-col gap-1 rounded-control border border-line p-3">
      <div className="flex items-center gap-3">
        <strong className="flex-1 font-semibold">{name}</strong>
        <IconButton label={strings.remove(name)} onClick={() => change((all) => put(all, path, undefined))}>
          <X aria-hidden size={16} />
        </IconButton>
      </div>
      <StudioPlace path={path} />
    </div>
  );
}
