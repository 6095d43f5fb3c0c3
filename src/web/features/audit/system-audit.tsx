/** Who did what on the whole server. */
import { Page } from "../../ui/page.tsx";
import { SystemTabs } from "../system/system-tabs.tsx";
import { AuditList } from "./audit-list.tsx";
import { words } from "./strings.ts";

export function Screen() {
  return (
    <Page title={words.title} lead={words.leadServer}>
      <SystemTabs />
      <AuditList path="/audit" />
    </Page>
  );
}
