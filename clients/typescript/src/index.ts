/** The Waxwing client: `new Waxwing({ baseUrl, key })`. */
import { Core, type WaxwingOptions } from "./core.js";
import { Operations } from "./generated.js";

export class Waxwing extends Operations {
  protected readonly core: Core;

  constructor(options: WaxwingOptions) {
    super();
    this.core = new Core(options);
  }
}

export {
  type ApiList,
  type CallOptions,
  Entries,
  type ErrorBody,
  type MediaFile,
  type PageMeta,
  type Upload,
  WaxwingConnectionError,
  WaxwingError,
  type WaxwingOptions,
} from "./core.js";
export * from "./generated.js";
export { readWebhook, WebhookError } from "./webhook.js";
