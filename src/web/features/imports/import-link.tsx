/** The link to the import, used by every screen that needs contacts. */
import { may, useWorkspace } from "../../data/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { strings } from "./strings.ts";

export function ImportLink() {
  const workspace = useWorkspace();
  if (!may(workspace, "broadcasts")) return null;
  return (
    <ButtonLink to="/w/$workspace/contacts/import" params={{ workspace: String(workspace.id) }}>
      {strings.link}
    </ButtonLink>
  );
}
