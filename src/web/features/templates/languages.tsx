/** The languages of a name, side by side: what each says, and whether it can be sent. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { textLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Section } from "../../ui/page.tsx";
import { strings } from "./strings.ts";
import { type Template, templateChip } from "./template-view.ts";

export function Languages({ template: { id: shown, name } }: { template: Template }) {
  const { id: workspace } = useWorkspace();
  const found = useQuery(
    reading("GET /w/{workspace}/templates", { workspace, query: { q: name } }, ["templates", workspace, "named", name]),
  );
  const all = (found.data?.data ?? []).filter((one) => one.name === name);
  if (all.length < 2) return null;
  return (
    <Section title={strings.languages}>
      <ul className="grid gap-3 mid:grid-cols-2">
        {all.map((one) => {
          const { label, tone } = templateChip(one.status);
          return (
            <li key={one.id} className="flex flex-col gap-2 rounded-panel border border-line p-3">
              <span className="flex flex-wrap items-center gap-2">
                {one.id === shown ? (
                  <strong className="font-semibold">{one.language}</strong>
                ) : (
                  <Link
                    to="/w/$workspace/templates"
                    params={{ workspace: String(workspace) }}
                    search={{ open: String(one.id) }}
                    aria-label={strings.languageOpen(name, one.language)}
                    className={textLink}
                  >
                    {one.language}
                  </Link>
                )}
                <Chip tone={tone}>{label}</Chip>
              </span>
              <span lang={one.language.replace("_", "-")} className="whitespace-pre-wrap break-words">
                {one.text}
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
