/** What the network decided about a template. */
export interface TemplateReport {
  kind: "template";
  /** The network's id of the account that owns the template. */
  accountId: string;
  name: string;
  /** As the API spells it, `en_US`. */
  language: string;
  /** The network's own word in capitals: `APPROVED`, `REJECTED`, `PAUSED` … */
  event: string;
  /** Why, in the network's words; null where it gave no reason. */
  reason: string | null;
}
