/** Above the list of broadcasts: the link to a new one, and unsent drafts. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { strings } from "../broadcast-wizard/strings.ts";

const WIZARD = "/w/$workspace/broadcasts/new";

export function NewBroadcastLink() {
  const { id } = useWorkspace();
  return (
    <ButtonLink tone="primary" to={WIZARD} params={{ workspace: String(id) }}>
      {strings.create}
    </ButtonLink>
  );
}

export function Drafts() {
  const { id, timezone } = useWorkspace();
  const drafts = useQuery(reading("GET /w/{workspace}/drafts", { workspace: id }, ["drafts", id]));
  // On an error, the list of broadcasts below shows it.
  if (drafts.data === undefined || drafts.data.length === 0) return null;
  return (
    <Section title={strings.drafts} lead={strings.draftsLead}>
      <ul className="rounded-panel border border-line bg-surface">
        {drafts.data.map(({ id: draft, content, updated_at: at }) => (
          <li key={draft} className="border-b border-line last:border-b-0">
            <Link
              to={WIZARD}
              params={{ workspace: String(id) }}
              search={{
                draft: String(draft),
                step: content.group === undefined && content.to === undefined ? "people" : "values",
              }}
              className="flex min-h-11 flex-wrap items-center gap-x-4 px-4 py-2 text-ink no-underline hover:bg-sunken"
            >
              <span className="font-semibold">{content.name || content.template || strings.draftUnnamed}</span>
              {content.name && <span className="text-quiet">{content.template}</span>}
              <span className="ms-auto text-quiet">
                <Time at={at} zone={timezone} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
