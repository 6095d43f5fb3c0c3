/** The audit log of a workspace. */
import { useWorkspace } from "../../data/session.ts";
import { Page } from "../../ui/page.tsx";
import { AuditList } from "./audit-list.tsx";
import { strings } from "./strings.ts";

export function Screen() {
  const { id, timezone } = useWorkspace();
  return (
    <Page title={strings.title} lead={strings.leadWorkspace}>
      <AuditList screen="/w/$workspace/audit" workspace={id} zone={timezone} />
    </Page>
  );
}
