/** The failed rows of a file: a download to mend and drop again, and the first ones with their reasons. */
import { addressOf } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { buttonClass } from "../../ui/button.tsx";
import { formatCount } from "../../ui/plural.ts";
import type { ImportDetail, ImportOutcome } from "./import-view.ts";
import { strings } from "./result-strings.ts";

export function ErrorsLink({ job }: { job: ImportDetail }) {
  const { id } = useWorkspace();
  if (!job.has_errors) return null;
  return (
    <a
      href={addressOf("GET /w/{workspace}/imports/{id}/errors", { workspace: id, id: job.id })}
      download
      className={buttonClass("plain", true)}
    >
      {strings.errors}
    </a>
  );
}

export function FailedRows({ failures, failed }: Pick<ImportOutcome, "failures" | "failed">) {
  const isCut = failures.length < failed;
  return (
    <details className="mt-3">
      <summary className="min-h-9 cursor-pointer py-2 max-mid:min-h-11">
        {isCut ? strings.each(formatCount(failures.length), formatCount(failed)) : strings.eachAll}
      </summary>
      <ul className="rounded-panel border border-line bg-surface">
        {failures.map(({ line, reason }) => (
          <li key={line} className="flex gap-4 border-b border-line px-4 py-2 last:border-b-0">
            <span className="w-20 shrink-0 text-quiet figures">{strings.exampleLine(formatCount(line))}</span>
            <span className="min-w-0 break-words">{reason}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
