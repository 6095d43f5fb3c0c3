/**
 * Whether people can tell from a MARKETING template how to stop, and buttons whose titles look like a way to stop and
 * are none. Pure.
 */
import { type ButtonMark, buttonMarkOf } from "../workspaces/button-marks.ts";
import { holdsStop, mentionsStop, readCommand } from "../workspaces/read-command.ts";
import type { TemplateComponent } from "./component.ts";

export interface OwnWords {
  stopWords: string[];
  startWords: string[];
  buttonMarks: readonly ButtonMark[];
}

/** The buttons of a template. */
interface MarkedTemplate {
  name: string;
  language: string;
  category: string;
  components: readonly TemplateComponent[];
}

/** Titles that hold an opt-out word without being one, and whose meaning is not marked. */
export function flaggedButtons(
  { name, language, components }: Omit<MarkedTemplate, "category">,
  own: OwnWords,
): string[] {
  return components
    .flatMap(quickReplies)
    .filter((title) => !isStop(title, own) && holdsStop(title, own))
    .filter((title) => buttonMarkOf(own, name, language, title) === undefined);
}

/** Sentences for the customer; none for a template of another category. */
export function findWarnings(template: MarkedTemplate, own: OwnWords): string[] {
  const { name, language, category, components } = template;
  if (category !== "MARKETING") return [];
  const titles = components.flatMap(quickReplies);
  const texts = components.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  const isWayOut = (title: string): boolean =>
    isStop(title, own) || buttonMarkOf(own, name, language, title)?.meaning === "opt_out";
  const hasWayOut = titles.some(isWayOut) || texts.some((text) => mentionsStop(text, own));
  return [
    ...(hasWayOut
      ? []
      : [
          "This template does not say how to stop: add a quick-reply button such as “Stop promotions”, or a footer such as “Reply STOP to opt out”.",
        ]),
    ...flaggedButtons(template, own).map(
      (title) =>
        `The button “${title}” does not opt out, because it says more than the opt-out word. Mark what it means under Templates.`,
    ),
  ];
}

function isStop(title: string, own: OwnWords): boolean {
  const command = readCommand(title, own);
  return command === "stop" || command === "ambiguous";
}

export function quickReplies({ buttons }: TemplateComponent): string[] {
  if (!Array.isArray(buttons)) return [];
  return buttons.flatMap((button: { type?: unknown; text?: unknown } | null) =>
    String(button?.type).toUpperCase() === "QUICK_REPLY" && typeof button?.text === "string" ? [button.text] : [],
  );
}
