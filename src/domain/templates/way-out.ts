/**
 * Whether people can tell from a MARKETING template how to stop, and buttons whose titles look like a way to stop and
 * are none. Pure.
 */
import { mentionsStop, readCommand } from "../workspaces/read-command.ts";
import type { TemplateComponent } from "./template.ts";

export interface OwnWords {
  stopWords: string[];
  startWords: string[];
}

/** Sentences for the customer; none for a template of another category. */
export function findWarnings(category: string, components: readonly TemplateComponent[], own: OwnWords): string[] {
  if (category !== "MARKETING") return [];
  const titles = components.flatMap(quickReplies);
  const isStop = (title: string): boolean => {
    const command = readCommand(title, own);
    return command === "stop" || command === "ambiguous";
  };
  const texts = components.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  const hasWayOut = titles.some(isStop) || texts.some((text) => mentionsStop(text, own));
  const unclear = titles.filter((title) => !isStop(title) && mentionsStop(title, own));
  return [
    ...(hasWayOut
      ? []
      : [
          "This template does not say how to stop: add a quick-reply button such as “Stop promotions”, or a footer such as “Reply STOP to opt out”.",
        ]),
    ...unclear.map((title) => `The button “${title}” does not opt out, because it says more than the opt-out word.`),
  ];
}

function quickReplies({ buttons }: TemplateComponent): string[] {
  if (!Array.isArray(buttons)) return [];
  return buttons.flatMap((button: { type?: unknown; text?: unknown } | null) =>
    String(button?.type).toUpperCase() === "QUICK_REPLY" && typeof button?.text === "string" ? [button.text] : [],
  );
}
