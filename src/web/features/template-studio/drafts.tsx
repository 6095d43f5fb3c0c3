/** The unsent drafts of the workspace, above its templates. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { textLink } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { textAt } from "./content.ts";
import { strings } from "./strings.ts";

export function TemplateDrafts() {
  const { id, timezone } = useWorkspace();
  const drafts = useQuery(reading("GET /w/{workspace}/template-drafts", { workspace: id }, ["template-drafts", id]));
  if (drafts.data === undefined || drafts.data.length === 0) return null;
  return (
    <Section title={strings.drafts}>
      <ul className="flex flex-col gap-1">
        {drafts.data.map((draft) => (
          <li key={draft.id} className="flex flex-wrap items-baseline gap-x-3">
            <Link
              to="/w/$workspace/templates/new"
              params={{ workspace: String(id) }}
              search={{ draft: String(draft.id) }}
              className={textLink}
            >
              {textAt(draft.content, "name") || strings.draftUnnamed}
            </Link>
            <span className="text-quiet">
              {textAt(draft.content, "language")} <Time at={draft.updated_at} zone={timezone} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
