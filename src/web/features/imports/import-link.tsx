/** The link to the import, used by every screen that needs contacts. */
import { useWorkspace } from "../../data/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { strings } from "./strings.ts";

export function ImportLink() {
  const { id } = useWorkspace();
  return (
    <ButtonLink to="/w/$workspace/contacts/import" params={{ workspace: String(id) }}>
      {strings.link}
    </ButtonLink>
  );
}
