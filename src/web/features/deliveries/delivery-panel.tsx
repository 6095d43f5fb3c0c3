/**
 * One delivery: its state in a sentence, each attempt with the receiver's answer, the exact body, and how to verify its
 * signature.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { reading, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock, Copyable } from "../../ui/copy.tsx";
import { DescriptionList, Section } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Failed, Loaded } from "../../ui/states.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { type Attempt, type DeliveryDetail, deliveryChip } from "./delivery-view.ts";
import { strings } from "./strings.ts";

export function DeliveryPanel({ id }: { id: string }) {
  const workspace = useWorkspace();
  const delivery = useQuery({
    ...reading("GET /w/{workspace}/deliveries/{id}", { workspace: workspace.id, id }, ["delivery", workspace.id, id]),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 2_000 : false),
  });
  return (
    <Panel screen="/w/$workspace/deliveries" title={delivery.data?.event_type ?? strings.event}>
      <Loaded query={delivery}>{(data) => <Detail delivery={data} mayReplay={may(workspace, "manage")} />}</Loaded>
    </Panel>
  );
}

function Detail({ delivery, mayReplay }: { delivery: DeliveryDetail; mayReplay: boolean }) {
  const { id: workspaceId, timezone } = useWorkspace();
  const client = useQueryClient();
  const { press, isBusy, error } = usePress();
  const { label, tone } = deliveryChip(delivery);
  const replay = async (key: string) => {
    const input = { workspace: workspaceId, id: delivery.id };
    await request("POST /w/{workspace}/deliveries/{id}/replay", input, { key });
    showToast(strings.replayedOne);
    await Promise.all([
      client.invalidateQueries({ queryKey: ["delivery", workspaceId, String(delivery.id)] }),
      client.invalidateQueries({ queryKey: ["deliveries", workspaceId] }),
    ]);
  };
  return (
    <>
      <div className="mb-6 flex flex-col gap-4">
        <p>
          <Chip tone={tone}>{label}</Chip> <span className="ms-1">{strings.hints[delivery.status]}</span>
        </p>
        <DescriptionList
          items={[
            [strings.created, <ExactTime key="created" at={delivery.created_at} zone={timezone} />],
            ...(delivery.next_attempt_at === null
              ? []
              : [[strings.nextTry, <Time key="next" at={delivery.next_attempt_at} zone={timezone} />] as const]),
            ...(delivery.finished_at === null
              ? []
              : [[strings.finished, <ExactTime key="end" at={delivery.finished_at} zone={timezone} />] as const]),
          ]}
        />
        <Copyable text={delivery.event_id} label={strings.copyId} />
        {mayReplay && (
          <Button
            tone={delivery.status === "exhausted" ? "primary" : "plain"}
            className="self-start"
            busy={isBusy}
            onClick={() => void press(replay)}
          >
            {strings.replayOne}
          </Button>
        )}
        {error !== null && <Failed error={error} />}
      </div>
      <Section title={strings.attemptList}>
        {delivery.attempts.length === 0 ? (
          <p className="text-quiet">{strings.noAttempts}</p>
        ) : (
          <ol className="flex flex-col gap-4">
            {delivery.attempts.toReversed().map((attempt) => (
              <AttemptItem key={attempt.id} attempt={attempt} timezone={timezone} />
            ))}
          </ol>
        )}
      </Section>
      <Section title={strings.body}>
        <CodeBlock text={pretty(delivery.body)} label={strings.bodyText} copyLabel={strings.copyBody} />
      </Section>
      <Section title={strings.signature} lead={strings.signatureText}>
        <CodeBlock text={snippet} label={strings.snippet} copyLabel="Copy snippet" />
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
        <Chip tone={isGood ? "green" : "red"}>{status === null ? strings.noAnswer : strings.answered(status)}</Chip>
        <span className="text-label text-quiet figures">
          <ExactTime at={attempt.attempted_at} zone={timezone} /> · {strings.took(ms)}
        </span>
      </div>
      <p className="mt-1 font-mono text-label text-quiet">{url}</p>
      {error !== null && <p className="mt-1">{error}</p>}
      {status !== null &&
        (response === null || response === "" ? (
          <p className="mt-1 text-quiet">{strings.emptyAnswer}</p>
        ) : (
          <details className="mt-1">
            <summary className="cursor-pointer">{strings.answer}</summary>
            <div className="mt-1">
              <CodeBlock text={response} label={strings.answer} />
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
