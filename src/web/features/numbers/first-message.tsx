/** The first message: an approved template to the owner's own phone, followed until it is read. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { useChangeParameters, useParameters } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Empty, Failed, Notice } from "../../ui/states.tsx";
import { ChooseTemplate } from "../messages/choose-template.tsx";
import { strings } from "./connect-strings.ts";
import type { SendingNumber } from "./number-view.ts";

interface Props {
  number: SendingNumber;
  /** A report about the message has arrived. */
  onDelivered: () => void;
}

const SCREEN = "/w/$workspace/numbers/connect";

export function FirstMessage({ number, onDelivered }: Props) {
  const { id } = useWorkspace();
  // In the address, so that a reload does not forget it.
  const { message: sent } = useParameters(SCREEN);
  const change = useChangeParameters(SCREEN);
  const options = { replace: true, resetScroll: false };
  if (sent !== undefined && /^\d{1,15}$/.test(sent)) {
    const forget = () => void change({ message: undefined }, options);
    return <Followed id={Number(sent)} onDelivered={onDelivered} onAnother={forget} />;
  }
  return (
    <>
      <p className="text-quiet">{strings.firstText}</p>
      <ChooseTemplate
        from={number.phone}
        to={{ label: strings.firstTo, hint: strings.firstToHint }}
        none={
          <Empty title={strings.firstNone}>
            {strings.firstNoneText} {strings.firstHello}
          </Empty>
        }
        send={async (message, key) => {
          const { id: message_id } = await request(
            "POST /w/{workspace}/messages",
            { workspace: id, body: message },
            { key },
          );
          await change({ message: String(message_id) }, options);
        }}
      />
    </>
  );
}

const REACHED = ["sent", "delivered", "read"] as const;

interface FollowedProps extends Pick<Props, "onDelivered"> {
  id: number;
  onAnother: () => void;
}

function Followed({ id, onDelivered, onAnother }: FollowedProps) {
  const { id: workspace } = useWorkspace();
  const message = useQuery({
    ...reading("GET /w/{workspace}/messages/{id}", { workspace, id }, ["message", workspace, String(id)]),
    refetchInterval: ({ state }) => (state.data?.status === "read" || state.data?.status === "failed" ? false : 2_000),
  });
  const isDelivered = message.data?.status === "delivered" || message.data?.status === "read";
  useEffect(() => {
    if (isDelivered) onDelivered();
  }, [isDelivered, onDelivered]);
  if (message.data === undefined) return message.isError ? <Failed error={message.error} /> : null;
  const { status, to, error, is_unknown: isUnknown } = message.data;
  const reached = REACHED.indexOf(status as (typeof REACHED)[number]);
  return (
    <div className="flex flex-col gap-4">
      <p className="font-semibold">{strings.firstSent(to)}</p>
      <ul aria-live="polite" className="flex flex-wrap gap-3">
        {REACHED.map((name, index) => (
          <li key={name}>
            <Chip tone={index > reached ? "grey" : name === "read" ? "blue" : "green"}>
              {index > reached ? `${strings.firstStates[name]}: ${strings.firstWaiting}` : strings.firstStates[name]}
            </Chip>
          </li>
        ))}
      </ul>
      {isUnknown && <Notice tone="violet">{strings.firstUnknown}</Notice>}
      {status === "failed" && !isUnknown && (
        <p role="alert" className="text-red">
          {error?.message}
        </p>
      )}
      {status === "read" && <Notice tone="green">{strings.firstFinished}</Notice>}
      <div>
        <Button onClick={onAnother}>{strings.firstAnother}</Button>
      </div>
    </div>
  );
}
