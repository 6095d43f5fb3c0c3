/** What the network says of a template, by itself. */
interface Named {
  /** The network's id of the account that owns the template. */
  accountId: string;
  name: string;
  /** As the API spells it, `en_US`. */
  language: string;
  /** The network's time, milliseconds; null where it gave none. */
  at: number | null;
}

/** What the network decided about a template. */
export interface TemplateReport extends Named {
  kind: "template";
  /** The network's own word in capitals: `APPROVED`, `REJECTED`, `PAUSED` … */
  event: string;
  /** Why, in the network's words; null where it gave no reason. */
  reason: string | null;
}

/** Something else about it changed. */
export interface TemplateNews extends Named {
  kind: "template_news";
  news:
    | { type: "quality"; score: string }
    /** It has another category now, and so another price and other rules. */
    | { type: "category"; category: string }
    /** Words, buttons, or what will change later: a look at the network tells. */
    | { type: "changed" };
}
