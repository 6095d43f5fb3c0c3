/** API settings of a workspace: keys, webhook and custom fields. */
import { BookOpen } from "lucide-react";
import { textLink } from "../../ui/button.tsx";
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
        <a href="/docs" className={`inline-flex items-center gap-2 ${textLink}`}>
          <BookOpen aria-hidden size={16} />
          {strings.reference}
        </a>
      </p>
      <Keys />
      <WebhookSettings />
      <FurtherWebhooks />
      <CustomFields />
    </Page>
  );
}
