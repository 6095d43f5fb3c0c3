/**
 * Replays all failed deliveries since a time. They are counted first; the server replays exactly that number, or
 * nothing.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { plural } from "../../ui/plural.ts";
import { Failed, Notice } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./strings.ts";

export function ReplayFailed({ onClose }: { onClose: () => void }) {
  const { id, timezone } = useWorkspace();
  const client = useQueryClient();
  const form = useForm({ defaultValues: { since: yesterday(timezone) } });
  const [counted, setCounted] = useState<{ since: string; count: number } | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const count = async ({ since }: { since: string }) => {
    setError(null);
    setCounted({
      since,
      ...(await request("GET /w/{workspace}/deliveries/failed", { workspace: id, query: { since } })),
    });
  };
  const replay = async () => {
    if (counted === null || isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      const { replayed } = await request("POST /w/{workspace}/deliveries/replay", { workspace: id, body: counted });
      showToast(strings.replayed(plural(replayed, strings.one, strings.other)));
      await client.invalidateQueries({ queryKey: ["deliveries", id] });
      onClose();
    } catch (reason) {
      setError(reason);
      setIsBusy(false);
      // The count has changed, so the user must count again.
      if (reason instanceof ApiError && reason.code === "changed") setCounted(null);
    }
  };
  const text = plural(counted?.count ?? 0, strings.one, strings.other);
  return (
    <Dialog title={strings.replayAllTitle} isOpen onClose={onClose}>
      <Form form={form} onSend={count} submit={strings.count} tone={counted === null ? "primary" : "plain"}>
        <TextField
          form={form}
          name="since"
          type="datetime-local"
          label={strings.since}
          hint={strings.sinceHint(timezone)}
          onInput={() => setCounted(null)}
        />
      </Form>
      {counted !== null && <Notice tone="grey">{strings.counted(counted.count, text)}</Notice>}
      {error !== null && <Failed error={error} />}
      {counted !== null && counted.count > 0 && (
        <div className="flex flex-wrap gap-3">
          <Button tone="primary" busy={isBusy} onClick={() => void replay()}>
            {strings.replay(text)}
          </Button>
          <Button onClick={onClose}>{strings.cancel}</Button>
        </div>
      )}
    </Dialog>
  );
}

/** 24 hours ago as local time in the workspace's timezone, which is how the server reads a time without an offset. */
function yesterday(timezone: string): string {
  const parts = new Intl.DateTimeFormat("sv-SE", {
    timeZone: timezone,
    dateStyle: "short",
    timeStyle: "short",
  }).format(Date.now() - 24 * 3_600_000);
  return parts.replace(" ", "T");
}
