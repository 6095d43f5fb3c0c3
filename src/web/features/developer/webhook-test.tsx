/** Sends a test event and shows the receiver's answer in place: status, duration and body, or why there is none. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { reading, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/copy.tsx";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { strings } from "./strings.ts";

/** The receiver has 10 seconds to answer. */
const ANSWER_TIMEOUT_MS = 15_000;

export function TestEvent({ workspaceId, webhookId }: { workspaceId: number; webhookId: number }) {
  const [testEvent, setTestEvent] = useState<{ id: number; at: number } | null>(null);
  const { press, isBusy, error } = usePress();
  const sendTest = async (key: string) => {
    const input = { workspace: workspaceId, id: webhookId };
    const created = await request("POST /w/{workspace}/webhooks/{id}/test", input, { key });
    setTestEvent({ id: created.delivery_id, at: Date.now() });
  };
  return (
    <div className="flex flex-col items-start gap-3">
      <Button tone="primary" busy={isBusy} onClick={() => void press(sendTest)}>
        {strings.test}
      </Button>
      {error !== null && <Failed error={error} />}
      {testEvent !== null && <Answer key={testEvent.id} workspaceId={workspaceId} {...testEvent} />}
    </div>
  );
}

function Answer({ workspaceId, id, at }: { workspaceId: number; id: number; at: number }) {
  const isLate = () => Date.now() - at > ANSWER_TIMEOUT_MS;
  const delivery = useQuery({
    ...reading("GET /w/{workspace}/deliveries/{id}", { workspace: workspaceId, id }, [
      "delivery",
      workspaceId,
      String(id),
    ]),
    refetchInterval: (query) => ((query.state.data?.attempts.length ?? 0) > 0 || isLate() ? false : 300),
    staleTime: 0,
  });
  if (delivery.isError) return <Failed error={delivery.error} retry={() => void delivery.refetch()} />;
  const attempt = delivery.data?.attempts[0];
  const more = (
    <ButtonLink
      small
      to="/w/$workspace/deliveries"
      params={{ workspace: String(workspaceId) }}
      search={{ open: String(id) }}
    >
      {strings.testOpen}
    </ButtonLink>
  );
  if (attempt === undefined) {
    return isLate() ? (
      <>
        <Notice>{strings.testLate}</Notice>
        {more}
      </>
    ) : (
      <Loading label={strings.testing} />
    );
  }
  const { status_code: status, duration_ms: ms } = attempt;
  const isGood = status !== null && status >= 200 && status < 300;
  return (
    <div className="flex w-full flex-col items-start gap-3 [&>*]:max-w-full" data-testid="test-answer">
      <Notice tone={isGood ? "green" : "amber"}>
        {status === null
          ? strings.testNone(attempt.error ?? "")
          : isGood
            ? strings.testOk(status, ms)
            : strings.testBad(status, ms)}
      </Notice>
      {status !== null && attempt.response !== null && attempt.response !== "" && (
        <div className="w-full">
          <h3 className="mb-1 font-semibold">{strings.answer}</h3>
          <CodeBlock text={attempt.response} label={strings.answer} />
        </div>
      )}
      {more}
    </div>
  );
}
