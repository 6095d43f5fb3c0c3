/** API settings of a workspace: keys, webhook and custom fields. */
import { DocsLink } from "../../ui/docs-link.tsx";
import { Page } from "../../ui/page.tsx";
import { Keys } from "./api-keys.tsx";
import { CustomFields } from "./custom-fields.tsx";
import { FurtherWebhooks } from "./further-webhooks.tsx";
import { strings } from "./strings.ts";
import { WebhookSettings } from "./webhook.tsx";

export function Screen() {
  return (
    <Page title={strings.title} lead={strings.lead}>
      <p className="-mt-4 mb-6">
        <DocsLink>{strings.reference}</DocsLink>
      </p>
      <Keys />
      <WebhookSettings />
      <FurtherWebhooks />
      <CustomFields />
    </Page>
  );
}
