/**
 * The export of the list. The server counts whom it would hand out when the dialog opens, the button shows the count, and the file has
 * exactly these people. If they are others by the time of the press, nothing is handed out and the dialog says so.
 */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { addressOf, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { DownloadLink } from "../../ui/download-link.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { strings } from "./bulk-strings.ts";
import type { ListSearch } from "./bulk-view.ts";

export function ExportDialog({ search, onClose }: { search: ListSearch; onClose: () => void }) {
  const { id } = useWorkspace();
  const [previousCount, setPreviousCount] = useState<number | null>(null);
  const counted = useQuery({
    queryKey: ["export-count", id, search],
    queryFn: () => request("GET /w/{workspace}/contacts/export/count", { workspace: id, query: search }),
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  const { data } = counted;
  const text = data === undefined ? "" : plural(data.count, strings.one, strings.other);
  const check = async (): Promise<boolean> => {
    const now = (await counted.refetch({ throwOnError: true })).data;
    if (data === undefined || now === undefined) return false;
    if (now.count === data.count && now.set === data.set) {
      onClose();
      return true;
    }
    setPreviousCount(data.count);
    return false;
  };
  return (
    <Dialog title={strings.exportTitle} isOpen onClose={onClose}>
      {counted.isError && <Failed error={counted.error} retry={() => void counted.refetch()} />}
      {data === undefined && !counted.isError && <Loading label={strings.counting} />}
      {data?.count === 0 && <p>{strings.exportNobody}</p>}
      {data !== undefined && data.count > 0 && (
        <div className="flex flex-col gap-4">
          {previousCount !== null && (
            <Notice>
              {previousCount === data.count
                ? strings.exportOthers
                : strings.exportChanged(formatCount(previousCount), formatCount(data.count))}
            </Notice>
          )}
          <p className="text-quiet">{strings.exportText(text)}</p>
          <div>
            <DownloadLink
              href={addressOf("GET /w/{workspace}/contacts/export", {
                workspace: id,
                query: { ...search, count: String(data.count), set: data.set },
              })}
              check={check}
              className={buttonClass("primary")}
            >
              {strings.exportSubmit(text)}
            </DownloadLink>
          </div>
        </div>
      )}
    </Dialog>
  );
}
