/** Who bills a message for which this server charges nothing. Pure. */
import type { strings } from "./strings.ts";

/** What decides it, of a message as the server shows it. */
interface Billed {
  status: string;
  is_unknown: boolean;
  type: string;
  /** Null: the network has not said. */
  network_bills: boolean | null;
}

/** The key of the words in `strings.bill`. */
export function billOf(message: Billed, isSimulated: boolean): keyof typeof strings.bill {
  const { status, type, is_unknown: isUnknown, network_bills: bills } = message;
  if (isSimulated) return "simulated";
  if (bills !== null) return bills ? "meta" : "metaNot";
  if ((status === "failed" && !isUnknown) || status === "skipped" || status === "cancelled") return "failed";
  if (type === "text") return "metaReply";
  return status === "delivered" || status === "read" ? "meta" : "metaLater";
}
