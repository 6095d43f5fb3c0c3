/** Where Meta calls: set up at Meta by the server, or entered there by the owner, with the moment when Meta asked. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Failed } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./connect-strings.ts";
import type { Connection, SendingNumber } from "./number-view.ts";

interface Props {
  connection: Connection;
  number: SendingNumber;
  /** Null: Meta has not answered yet. */
  isSetUp: boolean | null;
}

export function CallbacksStep({ connection, number, isSetUp }: Props) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const { press, isBusy, error } = usePress();
  /** What the app's present address is, in the server's words; null: nothing is to be replaced. */
  const [elsewhere, setElsewhere] = useState<string | null>(null);
  const setUp = async (replace: boolean, formKey: string) => {
    const it = { workspace: id, id: number.id };
    await request("POST /w/{workspace}/numbers/{id}/webhook", { ...it, body: { replace } }, { key: formKey });
    const changed = [
      ["connection", id],
      ["numbers", id],
      ["findings", id, number.id],
    ];
    await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
    showToast(strings.setUpDone);
  };
  const setUpFirst = (key: string) =>
    setUp(false, key).catch((reason: unknown) => {
      if (!(reason instanceof ApiError) || reason.code !== "webhook_elsewhere") throw reason;
      setElsewhere(reason.message);
    });
  return (
    <>
      <p className="max-w-[72ch] text-quiet">{strings.callbacksText}</p>
      <Verification connection={connection} />
      {error !== null && <Failed error={error} />}
      <div className="flex flex-wrap gap-3">
        <Button tone={isSetUp === false ? "primary" : "plain"} busy={isBusy} onClick={() => void press(setUpFirst)}>
          {isSetUp ? strings.setUpAgain : strings.setUp}
        </Button>
      </div>
      <ByHand connection={connection} />
      <Confirm
        isOpen={elsewhere !== null}
        title={strings.elsewhereTitle}
        action={strings.elsewhereAction}
        cancelLabel={strings.elsewhereKeep}
        onClose={() => setElsewhere(null)}
        act={(formKey) => setUp(true, formKey)}
      >
        <p>{elsewhere}</p>
      </Confirm>
    </>
  );
}

/** The connection is asked for every few seconds, so this line is as live as Meta. */
function Verification({ connection: { verified_at: verifiedAt, refused_at: refusedAt } }: { connection: Connection }) {
  const isRefusedLast = refusedAt !== null && (verifiedAt === null || refusedAt > verifiedAt);
  return (
    <div role="status" className="flex flex-col gap-2">
      <p>
        {verifiedAt === null ? (
          <Chip tone="grey">{strings.notVerified}</Chip>
        ) : (
          <Chip tone="green">{strings.verified(clockOf(verifiedAt))}</Chip>
        )}
      </p>
      {isRefusedLast && (
        <p>
          <Chip tone="amber">{strings.refused(clockOf(refusedAt))}</Chip>
        </p>
      )}
    </div>
  );
}

/** As the server wrote it, in the workspace's timezone: `10:42`. */
function clockOf(at: string): string {
  return at.slice(11, 16);
}

function ByHand({ connection: { callback_address: address, verify_token: token } }: { connection: Connection }) {
  if (address === null) return null;
  return (
    <details>
      <summary className="cursor-pointer py-1 text-quiet">{strings.byHand}</summary>
      <div className="mt-2 flex flex-col gap-3">
        <p className="max-w-[72ch]">{strings.byHandText}</p>
        <div>
          <p className="mb-1 text-label text-quiet">{strings.callbackAddress}</p>
          <Copyable text={address} label={strings.copyAddress} />
        </div>
        <div>
          <p className="mb-1 text-label text-quiet">{strings.verifyToken}</p>
          <Copyable text={token} label={strings.copyToken} />
        </div>
      </div>
    </details>
  );
}
