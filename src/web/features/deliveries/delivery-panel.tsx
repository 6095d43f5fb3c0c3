/** One delivery: its state in a sentence, each attempt with what came back, the bytes that are sent, and how to check them. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { get, newFormKey, send } from "../../data/api.ts";
import { mayOwn, useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock, Copyable } from "../../ui/copy.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { sayDone } from "../../ui/toast.tsx";
import { type Attempt, type DeliveryDetail, stateOf } from "./delivery-view.ts";
import { words } from "./strings.ts";

export function DeliveryPanel({ id }: { id: string }) {
  const workspace = useWorkspace();
  const delivery = useQuery({
    queryKey: ["delivery", workspace.id, id],
    queryFn: ({ signal }) => get<DeliveryDetail>(`/w/${workspace.id}/deliveries/${id}`, signal),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 2_000 : false),
  });
  return (
    <Panel title={delivery.data?.event_type ?? words.event}>
      {delivery.isPending && <Loading />}
      {delivery.isError && <Failed error={delivery.error} retry={() => void delivery.refetch()} />}
      {delivery.data !== undefined && <Detail delivery={delivery.data} mayReplay={mayOwn(workspace)} />}
    </Panel>
  );
}

function Detail({ delivery, mayReplay }: { delivery: DeliveryDetail; mayReplay: boolean }) {
  const { id: workspaceId, timezone } = useWorkspace();
  const client = useQueryClient();
  const key = useRef(newFormKey());
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { word, tone } = stateOf(delivery);
  const replay = async () => {
    if (isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      await send("POST", `/w/${workspaceId}/deliveries/${delivery.id}/replay`, {}, key.current);
      key.current = newFormKey();
      sayDone(words.replayedOne);
      await Promise.all([
        client.invalidateQueries({ queryKey: ["delivery", workspaceId, String(delivery.id)] }),
        client.invalidateQueries({ queryKey: ["deliveries", workspaceId] }),
      ]);
    } catch (reason) {
      setError(reason);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      <div className="mb-6 flex flex-col gap-4">
        <p>
          <Chip tone={tone}>{word}</Chip> <span className="ms-1">{words.explain[delivery.status]}</span>
        </p>
        <Facts
          facts={[
            [words.created, <ExactTime key="created" at={delivery.created_at} zone={timezone} />],
            ...(delivery.next_attempt_at === null
              ? []
              : [[words.nextTry, <Time key="next" at={delivery.next_attempt_at} zone={timezone} />] as const]),
            ...(delivery.finished_at === null
              ? []
              : [[words.finished, <ExactTime key="end" at={delivery.finished_at} zone={timezone} />] as const]),
          ]}
        />
        <Copyable text={delivery.event_id} label={words.copyId} />
        {mayReplay && (
          <Button
            tone={delivery.status === "exhausted" ? "primary" : "plain"}
            className="self-start"
            busy={isBusy}
            onClick={() => void replay()}
          >
            {words.replayOne}
          </Button>
        )}
        {error !== null && <Failed error={error} />}
      </div>
      <Section title={words.attemptList}>
        {delivery.attempts.length === 0 ? (
          <p className="text-quiet">{words.noAttempts}</p>
        ) : (
          <ol className="flex flex-col gap-4">
            {delivery.attempts.toReversed().map((attempt) => (
              <AttemptItem key={attempt.id} attempt={attempt} timezone={timezone} />
            ))}
          </ol>
        )}
      </Section>
      <Section title={words.body}>
        <CodeBlock text={pretty(delivery.body)} label={words.body} copyLabel={words.copyBody} />
      </Section>
      <Section title={words.signature} lead={words.signatureText}>
        <CodeBlock text={snippet} label={words.signature} copyLabel="Copy the snippet" />
      </Section>
    </>
  );
}

function AttemptItem({ attempt, timezone }: { attempt: Attempt; timezone: string }) {
  const { status_code: status, error, response, duration_ms: ms, url } = attempt;
  const isGood = status !== null && status >= 200 && status < 300;
  return (
    <li className="border-s-2 border-line ps-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Chip tone={isGood ? "green" : "red"}>{status === null ? words.noAnswer : words.answered(status)}</Chip>
        <span className="text-label text-quiet figures">
          <ExactTime at={attempt.attempted_at} zone={timezone} /> · {words.took(ms)}
        </span>
      </div>
      <p className="mt-1 font-mono text-label text-quiet">{url}</p>
      {error !== null && <p className="mt-1">{error}</p>}
      {status !== null &&
        (response === null || response === "" ? (
          <p className="mt-1 text-quiet">{words.emptyAnswer}</p>
        ) : (
          <details className="mt-1">
            <summary className="cursor-pointer">{words.answer}</summary>
            <div className="mt-1">
              <CodeBlock text={response} label={words.answer} />
            </div>
          </details>
        ))}
    </li>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

const snippet = `const [t, v1] = header.match(/t=(\\d+),v1=(\\w+)/).slice(1);
const right = createHmac("sha256", secret).update(\`\${t}.\${rawBody}\`).digest("hex");
const isOurs = timingSafeEqual(Buffer.from(v1), Buffer.from(right))
  && Math.abs(Date.now() / 1000 - t) < 300;`;
