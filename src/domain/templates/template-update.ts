/** What the network reports about a template on its own. */
interface TemplateItemBase {
  /** The network's id of the account that owns the template. */
  accountId: string;
  name: string;
  /** As the API writes it, `en_US`. */
  language: string;
  /** The network's time, milliseconds; null if it gave none. */
  at: number | null;
}

/** The network's decision on a template. */
export interface TemplateStatusUpdate extends TemplateItemBase {
  kind: "template";
  /** The network's own status in capitals: `APPROVED`, `REJECTED`, `PAUSED` … */
  event: string;
  /** The network's reason; null if it gave none. */
  reason: string | null;
}

/** A change other than a decision. */
export interface TemplateUpdate extends TemplateItemBase {
  kind: "template_update";
  change:
    | { type: "quality"; score: string }
    /** The template has another category now, and so another price and other rules. */
    | { type: "category"; category: string }
    /** Text, buttons, or an announced change: an account sync finds out. */
    | { type: "changed" };
}
