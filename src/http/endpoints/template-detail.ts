/** A template as the console shows it: every part as the phone has it, and what each takes. */
import { type Static, Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { SIMULATOR_ACCOUNT } from "#src/domain/numbers/add.ts";
import type { ValueButton } from "#src/domain/templates/buttons.ts";
import type { TemplateComponent } from "#src/domain/templates/component.ts";
import { ParameterOrderView, TemplateView } from "#src/domain/templates/schema.ts";
import type { Template } from "#src/domain/templates/table.ts";
import { templateCategories } from "#src/domain/templates/template.ts";
import { shapeOf, viewOrder, viewTemplate } from "#src/domain/templates/view.ts";
import { buttonMarkOf, buttonMeanings } from "#src/domain/workspaces/button-marks.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { timesOf } from "../times.ts";
import { OptionalText, OptionalTime } from "./fragments.ts";

const ShownButton = {
  type: Type.String(),
  text: Type.String(),
  /** What it takes when the template is sent; null: nothing. */
  takes: Nullable(OneOf(["link", "code", "payload", "flow"])),
};

export const TemplateDetail = Type.Object({
  id: Type.Integer(),
  ...TemplateView.properties,
  header: Nullable(
    Type.Object({
      type: OneOf(["text", "image", "video", "document", "location", "product"]),
      text: OptionalText,
    }),
  ),
  footer: OptionalText,
  /** A limited-time offer; `ends`: the message says when. */
  offer: Nullable(Type.Object({ text: Type.String(), ends: Type.Boolean() })),
  buttons: Type.Array(
    Type.Object({
      ...ShownButton,
      /** What pressing it means, where a person has said so. */
      meaning: Nullable(OneOf(buttonMeanings)),
    }),
  ),
  /** The cards of a carousel; null: it is none. */
  cards: Nullable(
    Type.Array(
      Type.Object({
        header: OneOf(["image", "video", "product"]),
        text: OptionalText,
        /** The names of its placeholders, or their numbers. */
        placeholders: Type.Array(Type.String()),
        buttons: Type.Array(Type.Object(ShownButton)),
      }),
    ),
  ),
  /** Whether the placeholders have names. */
  is_named: Type.Boolean(),
  /** Why this API cannot send the template; null if it can. */
  unsupported: OptionalText,
  /** The order that was confirmed last, if a name of it has left the text and `parameter_order` has to be confirmed. */
  order_to_confirm: Nullable(ParameterOrderView),
  reason: OptionalText,
  network_status: OptionalText,
  quality: OptionalText,
  sample_link: OptionalText,
  is_simulated: Type.Boolean(),
  /** WhatsApp made it of messages with a category, and takes neither corrections nor deletions of it. */
  is_generated: Type.Boolean(),
  decided_at: OptionalTime,
  /** The last change of the category that WhatsApp announced or made; null: none is known. */
  category_change: Nullable(
    Type.Object({
      from: OneOf(templateCategories),
      to: OneOf(templateCategories),
      /** False: it is announced, and takes effect at `at`. */
      is_made: Type.Boolean(),
      at: Instant(),
    }),
  ),
  updated_at: Instant(),
});

export function viewTemplateDetail(template: Template, workspace: Workspace): Static<typeof TemplateDetail> {
  const shape = shapeOf(template);
  const { header, footer, offer, cards } = shape;
  const carousel = template.components.find(({ type }) => type.toUpperCase() === "CAROUSEL");
  const listed = (Array.isArray(carousel?.cards) ? carousel.cards : []) as { components?: TemplateComponent[] }[];
  return {
    id: template.id,
    ...viewTemplate(template, workspace),
    header: header === null ? null : { type: header.type, text: header.type === "text" ? header.text : null },
    footer,
    offer,
    buttons: buttonsIn(template.components, shape.buttons).map((button) => ({
      ...button,
      meaning: buttonMarkOf(workspace, template.name, template.language, button.text)?.meaning ?? null,
    })),
    cards:
      cards === null
        ? null
        : cards.map((card, index) => ({
            header: card.header,
            text: card.body?.text ?? null,
            placeholders: card.body?.placeholders ?? [],
            buttons: buttonsIn(listed[index]?.components ?? [], card.buttons),
          })),
    is_named: template.parameterFormat === "NAMED",
    unsupported: shape.unsupported,
    order_to_confirm: shape.isOrderOpen && template.parameterOrder !== null ? viewOrder(template.parameterOrder) : null,
    reason: template.statusReason,
    network_status: template.networkStatus,
    quality: template.quality,
    sample_link: template.sampleLink,
    is_generated: template.generated,
    is_simulated: template.accountId === SIMULATOR_ACCOUNT,
    decided_at: timesOf(workspace)(template.statusAt === 0 ? null : template.statusAt),
    category_change: viewCategoryChange(template, workspace),
    updated_at: timesOf(workspace)(template.updatedAt),
  };
}

function viewCategoryChange({ categoryChange, categoryChangeAt }: Template, workspace: Workspace) {
  if (categoryChange === null || categoryChangeAt === null) return null;
  const { from, to, isMade } = categoryChange;
  return { from, to, is_made: isMade, at: timesOf(workspace)(categoryChangeAt) };
}

/** `taking`: those that take a value. */
function buttonsIn(components: readonly TemplateComponent[], taking: readonly ValueButton[]) {
  const listed = components.flatMap(({ type, buttons }) =>
    type.toUpperCase() === "BUTTONS" && Array.isArray(buttons) ? (buttons as Record<string, unknown>[]) : [],
  );
  return listed.map((button, index) => ({
    type: String(button?.type ?? "").toUpperCase(),
    text: String(button?.text ?? button?.type ?? ""),
    takes: taking.find((one) => one.index === index)?.takes ?? null,
  }));
}
