/** The beginning of a draft: what the message is for. */
import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { newFormKey, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { textLink } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { Failed } from "../../ui/states.tsx";
import { firstContent } from "./content.ts";
import { strings } from "./strings.ts";

export type Category = keyof typeof strings.categories;
export const CATEGORIES = Object.keys(strings.categories) as Category[];

/** Nothing is stored before a category is chosen. */
export function NewDraft() {
  const { id } = useWorkspace();
  const navigate = useNavigate();
  const [key] = useState(newFormKey);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const begin = async (category: Category) => {
    if (isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      const body = { content: { ...firstContent(category) } };
      const draft = await request(
        "POST /w/{workspace}/template-drafts",
        { workspace: id, body },
        { key: `${key}-${category}` },
      );
      await navigate({
        from: "/w/$workspace/templates/new",
        to: ".",
        search: { draft: String(draft.id) },
        replace: true,
      });
    } catch (reason) {
      setError(reason);
      setIsBusy(false);
    }
  };
  return (
    <Page title={strings.title} lead={strings.lead} isNarrow>
      <BackLink />
      {error !== null && <Failed error={error} />}
      <h2 className="mb-3 text-section font-semibold">{strings.start}</h2>
      <div className="flex flex-col gap-3">
        {CATEGORIES.map((category) => (
          <button
            key={category}
            type="button"
            disabled={isBusy}
            onClick={() => void begin(category)}
            className="rounded-panel border border-edge bg-surface p-4 text-start hover:bg-sunken"
          >
            <strong className="block font-semibold">{strings.categories[category].label}</strong>
            <span className="text-quiet">{strings.categories[category].means}</span>
          </button>
        ))}
      </div>
    </Page>
  );
}

export function BackLink() {
  const { id } = useWorkspace();
  return (
    <Link
      to="/w/$workspace/templates"
      params={{ workspace: String(id) }}
      className={`${textLink} mb-4 inline-flex items-center gap-1`}
    >
      <ArrowLeft aria-hidden size={16} />
      {strings.back}
    </Link>
  );
}
