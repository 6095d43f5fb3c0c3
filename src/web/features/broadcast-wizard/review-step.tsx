/**
 * Step 4: the review. Shows what sending will do: who is reached, who is skipped and why, the cost, and when it ends.
 * The server gets the reviewed numbers and refuses to send if they have changed.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useRef, useState } from "react";
import { ApiError, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { ParameterLink } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { inputClass, Tick } from "../../ui/field.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Failed, Loading, Notice, sentenceOf } from "../../ui/states.tsx";
import { askedParts } from "../templates/asked-parts.ts";
import type { Template } from "../templates/template-view.ts";
import type { Draft, Saved } from "./draft.ts";
import { Review, type ReviewData } from "./review.tsx";
import { SendTest } from "./send-test.tsx";
import { strings } from "./strings.ts";

/** Above this many recipients, the user must type their number. */
const CONFIRM_ABOVE = 1_000;

export function ReviewStep({ draft, template, saved }: { draft: Draft; template: Template; saved: Saved }) {
  const { id } = useWorkspace();
  const { content, flush } = saved;
  const { name: _, ...asked } = content;
  const review = useQuery({
    queryKey: ["draft-check", id, draft.id, JSON.stringify(asked)],
    queryFn: async () => {
      await flush();
      return request("POST /w/{workspace}/drafts/{id}/check", { workspace: id, id: draft.id });
    },
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });
  return (
    <div className="grid gap-8 wide:grid-cols-[1fr_20rem]">
      <div className="flex flex-col gap-6">
        <BroadcastSettings saved={saved} template={template} />
        {review.isPending && <Loading />}
        {review.isError && <Problems template={template} error={review.error} retry={() => void review.refetch()} />}
        {review.data !== undefined && !review.isError && (
          <>
            <Review review={review.data} isLater={content.send_at !== undefined} group={content.group} />
            <SendButton
              draft={draft}
              review={review.data}
              saved={saved}
              isStale={review.isFetching}
              recheck={async () => (await review.refetch()).data}
            />
          </>
        )}
      </div>
      <SendTest draftId={draft.id} template={template} saved={saved} />
    </div>
  );
}

function BroadcastSettings({ saved: { content, change }, template }: { saved: Saved; template: Template }) {
  const { timezone } = useWorkspace();
  const id = useId();
  const isLater = content.send_at !== undefined;
  return (
    <div className="grid gap-4 mid:grid-cols-2">
      <div className="flex flex-col gap-1">
        <label htmlFor={id} className="font-semibold">
          {strings.name}
        </label>
        <input
          id={id}
          className={inputClass}
          aria-describedby={`${id}-hint`}
          placeholder={template.name}
          maxLength={191}
          value={content.name ?? ""}
          autoComplete="off"
          onChange={({ target }) => change({ name: target.value })}
        />
        <p id={`${id}-hint`} className="text-label text-quiet">
          {strings.nameHint}
        </p>
      </div>
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 font-semibold">{strings.when}</legend>
        <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
          <Tick type="radio" name={`${id}-when`} checked={!isLater} onChange={() => change({ send_at: undefined })}>
            {strings.now}
          </Tick>
          <Tick
            type="radio"
            name={`${id}-when`}
            checked={isLater}
            onChange={() => change({ send_at: tomorrowAtTen(timezone) })}
          >
            {strings.later}
          </Tick>
          {isLater && (
            <label className="flex flex-wrap items-center gap-2">
              <span className="sr-only">{strings.sendAt}</span>
              <input
                type="datetime-local"
                className={`${inputClass} w-auto!`}
                value={content.send_at}
                onChange={({ target }) => change({ send_at: target.value })}
              />
              <span className="text-label text-quiet">{strings.sendAtHint(timezone)}</span>
            </label>
          )}
        </div>
      </fieldset>
    </div>
  );
}

/**
 * Ten o'clock tomorrow as local time in the workspace's timezone, which is how the server reads a time without an
 * offset.
 */
function tomorrowAtTen(timezone: string): string {
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone: timezone, dateStyle: "short" });
  return `${day.format(Date.now() + 24 * 3_600_000)}T10:00`;
}

const STEP_PATTERNS = [
  [/^(template|language)/, "template"],
  [/^(to|group|from)/, "people"],
  [/^(variables|media|cards|offer_expires_at|location|products)/, "values"],
] as const;

/** The problems that prevent sending, each with a link to the step that resolves it. */
function Problems({ template, error, retry }: { template: Template; error: unknown; retry: () => void }) {
  if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) {
    return <Failed error={error} retry={retry} />;
  }
  const fields = Object.entries(error.fields);
  const problems = fields.length > 0 ? fields : [[fieldOfCode(error.code), [error.message]] as const];
  return (
    <div role="alert" className="rounded-panel bg-red-tint p-4 text-red">
      <p className="font-semibold">{strings.problems}</p>
      <ul className="mt-2 flex flex-col gap-2">
        {problems.map(([path, sentences]) => {
          const step = STEP_PATTERNS.find(([pattern]) => pattern.test(path))?.[1];
          return (
            <li key={path} className="flex flex-wrap gap-x-3">
              <span>{[placeName(path, template), sentences.join(" ")].filter((part) => part !== null).join(": ")}</span>
              {step !== undefined && (
                <ParameterLink
                  screen="/w/$workspace/broadcasts/new"
                  change={{ step }}
                  className="font-semibold text-red underline"
                >
                  {strings.goTo(strings.step[step])}
                </ParameterLink>
              )}
            </li>
          );
        })}
      </ul>
      <div className="mt-3">
        <Button small onClick={retry}>
          {strings.recheck}
        </Button>
      </div>
    </div>
  );
}

function fieldOfCode(code: string): string {
  if (code === "missing_variable" || code === "missing_media") return "media";
  return code.includes("template") ? "template" : code === "not_found" ? "group" : "";
}

function placeName(path: string, template: Template): string | null {
  const asked = askedParts(template).find((part) => part.path === path);
  if (asked !== undefined) return asked.label;
  const [member, part, index] = path.split(".");
  if (member !== "variables" || (part !== "header" && part !== "body")) return null;
  return strings.placeholder(part, Number(index), template.parameter_order?.[part][Number(index)]);
}

interface SendProps {
  draft: Draft;
  review: ReviewData;
  saved: Saved;
  isStale: boolean;
  recheck: () => Promise<ReviewData | undefined>;
}

function SendButton({ draft, review, saved, isStale, recheck }: SendProps) {
  const { id, timezone } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isBusy, setIsBusy] = useState(false);
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [previousPeople, setPreviousPeople] = useState<string | null>(null);
  const pressed = useRef(false);
  const fieldId = useId();
  const people = plural(review.reached, strings.one, strings.other);
  if (review.reached === 0) return <Notice>{strings.nobody}</Notice>;
  const isLater = saved.content.send_at !== undefined;
  // For a scheduled broadcast, the balance is checked when it starts.
  if (review.cost !== null && !review.cost.covered && !isLater) return null;
  const isTyped = review.reached <= CONFIRM_ABOVE || typed.replace(/\D/g, "") === String(review.reached);
  const press = async () => {
    if (pressed.current) return;
    pressed.current = true;
    setIsBusy(true);
    setError(null);
    setPreviousPeople(null);
    try {
      await saved.flush();
      const shown = { reached: review.reached, amount: review.cost?.amount ?? null };
      const created = await request("POST /w/{workspace}/drafts/{id}/send", {
        workspace: id,
        id: draft.id,
        body: shown,
      });
      void client.invalidateQueries({ queryKey: ["broadcasts", id] });
      void client.invalidateQueries({ queryKey: ["drafts", id] });
      // A changed broadcast is known to this page as it was before.
      void client.invalidateQueries({ queryKey: ["broadcast", id, String(created.id)] });
      const params = { workspace: String(id), broadcast: String(created.id) };
      await navigate({ to: "/w/$workspace/broadcasts/$broadcast", params, replace: true });
    } catch (reason) {
      pressed.current = false;
      setIsBusy(false);
      if (reason instanceof ApiError && reason.code === "changed") {
        setPreviousPeople(people);
        setTyped("");
        await recheck();
      } else {
        setError(reason);
        // What it was to change has started: the draft says so.
        if (reason instanceof ApiError && reason.code === "not_changeable")
          void client.invalidateQueries({ queryKey: ["draft", id, String(draft.id)] });
      }
    }
  };
  const isUnknown = error instanceof ApiError && (error.status === 0 || error.status >= 500);
  const isChange = draft.changes !== null;
  const label = isLater
    ? strings.schedule(whenText(review.starts_at, timezone))
    : isChange
      ? strings.sendChanged(people)
      : strings.sendNow(people);
  return (
    <div className="flex flex-col gap-3">
      {previousPeople !== null && (
        <Notice>
          <strong>{strings.changedTitle}</strong>{" "}
          {previousPeople === people ? "" : strings.changedCount(previousPeople, people)}
        </Notice>
      )}
      {error !== null && (
        <p role="alert" className="text-red">
          {isUnknown ? strings.outcomeUnknown : sentenceOf(error)}
        </p>
      )}
      {review.reached > CONFIRM_ABOVE && (
        <div className="flex flex-col gap-1">
          <label htmlFor={fieldId}>{strings.typeCount(formatCount(review.reached))}</label>
          <input
            id={fieldId}
            inputMode="numeric"
            className={`${inputClass} w-40!`}
            value={typed}
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
      )}
      <p>
        <Button tone="primary" busy={isBusy} disabled={!isTyped || isStale} onClick={() => void press()}>
          {label}
        </Button>
      </p>
    </div>
  );
}

function whenText(at: string, timezone: string): string {
  const text = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  }).format(Date.parse(at));
  return `${text} (${timezone})`;
}
