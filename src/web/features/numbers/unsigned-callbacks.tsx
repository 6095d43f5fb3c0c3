/**
 * Callbacks without a signature: since when a number accepts them, and for operators a new address or the end of it. The
 * address and the secret of its header are shown once.
 */
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type Output, request } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { ConfirmButton, Dialog } from "../../ui/dialog.tsx";
import { DescriptionList, Section } from "../../ui/page.tsx";
import { Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { SendingNumber } from "./number-view.ts";
import { strings } from "./strings.ts";

type Renewed = Output<"POST /w/{workspace}/numbers/{id}/callback-address">;

interface Props {
  number: SendingNumber;
  state: NonNullable<SendingNumber["unsigned_callbacks"]>;
}

export function UnsignedCallbacks({ number, state }: Props) {
  const entered = useWorkspace();
  const { id: workspace, timezone } = entered;
  const client = useQueryClient();
  const [renewed, setRenewed] = useState<Renewed | null>(null);
  const when = (at: string | null): ReactNode => (at === null ? strings.never : <Time at={at} zone={timezone} />);
  const it = { workspace, id: number.id };
  const reload = () =>
    Promise.all(
      ["numbers", "findings"].map((name) =>
        client.invalidateQueries({ queryKey: name === "numbers" ? [name, workspace] : [name, workspace, number.id] }),
      ),
    );
  const { created_at, used_at, needs_header, old_until } = state;
  return (
    <Section title={strings.unsigned} lead={strings.unsignedText}>
      <div className="flex flex-col gap-4">
        <DescriptionList
          items={[
            [strings.unsignedSince, when(created_at)],
            [strings.unsignedUsed, when(used_at)],
            [strings.unsignedHeader, needs_header ? strings.headerRequired : strings.headerNotSeen],
            ...(old_until === null ? [] : [[strings.oldUntil, when(old_until)] as [string, ReactNode]]),
          ]}
        />
        {may(entered, "operate") ? (
          <div className="flex flex-wrap gap-3">
            <ConfirmButton
              title={strings.renewTitle}
              action={strings.renew}
              cancelLabel={strings.keepAddress}
              act={async (key) => {
                setRenewed(await request("POST /w/{workspace}/numbers/{id}/callback-address", it, { key }));
                await reload();
              }}
            >
              <p>{strings.renewText}</p>
            </ConfirmButton>
            <ConfirmButton
              title={strings.endTitle}
              action={strings.endUnsigned}
              cancelLabel={strings.keepAddress}
              act={async (key) => {
                await request("DELETE /w/{workspace}/numbers/{id}/callback-address", it, { key });
                await reload();
                showToast(strings.signatureNeeded);
              }}
            >
              <p>{strings.endText}</p>
            </ConfirmButton>
          </div>
        ) : (
          <p className="text-quiet">{strings.unsignedByOperator}</p>
        )}
      </div>
      {renewed !== null && <NewAddress renewed={renewed} onClose={() => setRenewed(null)} />}
    </Section>
  );
}

/** The address exists only in this dialog and disappears with it. */
function NewAddress({ renewed: { address, header, secret }, onClose }: { renewed: Renewed; onClose: () => void }) {
  return (
    <Dialog title={strings.newAddress} isOpen isSticky onClose={onClose}>
      {address === null || secret === null ? (
        <Notice>{strings.addressRepeated}</Notice>
      ) : (
        <>
          <p>{strings.newAddressText}</p>
          <Copyable text={new URL(address, location.origin).href} label={strings.copyAddress} />
          <p>{strings.newHeaderText}</p>
          <Copyable text={`${header}: ${secret}`} label={strings.copyHeader} />
        </>
      )}
      <Button tone="primary" className="self-start" onClick={onClose}>
        {strings.addressEntered}
      </Button>
    </Dialog>
  );
}
