/**
 * Help while one writes: what WhatsApp tends to put in another category or to reject, with the page that says it, and a
 * template of the workspace that WhatsApp has approved in this category. Nothing here keeps the template from being sent.
 */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { findHints } from "#src/domain/templates/rules/check.ts";
import { reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { textLink } from "../../ui/button.tsx";
import { useChecked } from "./checked.tsx";
import { textAt } from "./content.ts";
import { strings } from "./strings.ts";

export function Hints() {
  const { content } = useChecked();
  const hints = useMemo(() => findHints(content), [content]);
  if (hints.length === 0) return null;
  return (
    <section aria-label={strings.hints} className="rounded-panel bg-amber-tint p-4 text-amber">
      <p className="font-semibold">{strings.hints}</p>
      <p>{strings.hintsText}</p>
      <ul className="ms-5 mt-2 flex list-disc flex-col gap-1">
        {hints.map(({ path, rule, message, source }) => (
          <li key={path + rule}>
            {message}{" "}
            <a
              href={source}
              target="_blank"
              rel="noreferrer"
              className="underline underline-offset-2 hover:no-underline"
            >
              {strings.hintSource}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function useApproved() {
  const { id: workspace } = useWorkspace();
  return useQuery(
    reading("GET /w/{workspace}/templates", { workspace, query: { status: "APPROVED" } }, [
      "templates",
      workspace,
      "approved",
    ]),
  );
}

/** One of the first page of approved templates: of the same language, if there is one. */
export function ApprovedExample() {
  const { id } = useWorkspace();
  const { content } = useChecked();
  const approved = useApproved();
  const [name, category, language] = ["name", "category", "language"].map((member) => textAt(content, member));
  const same = (approved.data?.data ?? []).filter((one) => one.category === category && one.name !== name);
  const example = same.find((one) => one.language === language) ?? same[0];
  if (example === undefined || category === "AUTHENTICATION") return null;
  return (
    <section aria-label={strings.exampleText} className="rounded-panel border border-line p-4">
      <p className="text-quiet">{strings.exampleText}</p>
      <p className="my-2 whitespace-pre-wrap break-words">{example.text}</p>
      <Link
        to="/w/$workspace/templates"
        params={{ workspace: String(id) }}
        search={{ open: String(example.id) }}
        className={textLink}
      >
        {strings.example(example.name, example.language)}
      </Link>
    </section>
  );
}
