/** The audit log of the whole server. */
import { Page } from "../../ui/page.tsx";
import { SystemTabs } from "../system/system-tabs.tsx";
import { AuditList } from "./audit-list.tsx";
import { strings } from "./strings.ts";

export function Screen() {
  return (
    <Page title={strings.title} lead={strings.leadServer}>
      <SystemTabs />
      <AuditList screen="/system/audit" workspace={null} />
    </Page>
  );
}
