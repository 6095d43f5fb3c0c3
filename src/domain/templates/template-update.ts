/** What the network says of a template, by itself. */
interface TemplateItemBase {
  /** The network's id of the account that owns the template. */
  accountId: string;
  name: string;
  /** As the API spells it, `en_US`. */
  language: string;
  /** The network's time, milliseconds; null where it gave none. */
  at: number | null;
}

/** What the network decided about a template. */
export interface TemplateStatusUpdate extends TemplateItemBase {
  kind: "template";
  /** The network's own word in capitals: `APPROVED`, `REJECTED`, `PAUSED` … */
  event: string;
  /** Why, in the network's words; null where it gave no reason. */
  reason: string | null;
}

/** Something else about it changed. */
export interface TemplateUpdate extends TemplateItemBase {
  kind: "template_news";
  change:
    | { type: "quality"; score: string }
    /** It has another category now, and so another price and other rules. */
    | { type: "category"; category: string }
    /** Words, buttons, or what will change later: a look at the network tells. */
    | { type: "changed" };
}
