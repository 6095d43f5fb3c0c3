/** Who did what on the whole server. */
import { Page } from "../ui/page.tsx";
import { AuditList } from "./audit-list.tsx";
import { words } from "./audit-words.ts";
import { SystemTabs } from "./system-tabs.tsx";

export function Screen() {
  return (
    <Page title={words.title} lead={words.leadServer}>
      <SystemTabs />
      <AuditList path="/audit" />
    </Page>
  );
}
