/**
 * The wizard for a new broadcast. `?draft=` is the draft on the server, `?step=` the current step. Steps are links;
 * Back and reload lose nothing. A draft that was sent always redirects to its broadcast.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { NotFound } from "../../app/not-found.tsx";
import { ApiError, type Body, newFormKey, reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { ParameterLink, useChangeParameters, useParameters } from "../../ui/address.tsx";
import { Button, textLink } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { Failed, Loading, sentenceOf } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { Template } from "../templates/template-view.ts";
import { Changing } from "./changing.tsx";
import { type Draft, type DraftContent, type Saved, useDraft, useSaved } from "./draft.ts";
import { FieldsStep } from "./fields-step.tsx";
import { RecipientsStep } from "./recipients-step.tsx";
import { ReviewStep } from "./review-step.tsx";
import { strings } from "./strings.ts";
import { TemplateStep } from "./template-step.tsx";
import { NO_VALUES, readValues } from "./values.ts";

const SCREEN = "/w/$workspace/broadcasts/new";

const STEPS = ["template", "people", "values", "check"] as const;
type Step = (typeof STEPS)[number];

export function Screen() {
  const { id } = useWorkspace();
  const { draft } = useParameters(SCREEN);
  const found = useDraft(id, draft);
  if (draft === undefined) return <NewDraft />;
  if (found.isError && found.error instanceof ApiError && found.error.status === 404) return <NotFound />;
  if (found.isError) {
    return (
      <Page title={strings.title}>
        <Failed error={found.error} retry={() => void found.refetch()} />
      </Page>
    );
  }
  if (found.data === undefined) return <Page title={strings.title}>{<Loading />}</Page>;
  if (found.data.broadcast_id !== null) return <Sent broadcastId={found.data.broadcast_id} />;
  return <Wizard key={found.data.id} draft={found.data} />;
}

/** No draft is stored before a template is chosen. */
function NewDraft() {
  const { id, numbers } = useWorkspace();
  const { group, template, language } = useParameters(SCREEN);
  const navigate = useNavigate();
  const [key] = useState(newFormKey);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const createDraft = async (chosen: Pick<Template, "name" | "language">) => {
    if (isBusy) return;
    setIsBusy(true);
    setError(null);
    const body: Body<"POST /w/{workspace}/drafts"> = {
      template: chosen.name,
      language: chosen.language,
      ...(group === undefined ? {} : { group: Number(group) }),
      // With several numbers, the API requires one to be named.
      ...(numbers.length > 1 && numbers[0] !== undefined ? { from: numbers[0].phone } : {}),
    };
    try {
      const draft = await request(
        "POST /w/{workspace}/drafts",
        { workspace: id, body },
        { key: `${key}-${chosen.name}-${chosen.language}`.slice(0, 100) },
      );
      const search = { draft: String(draft.id), step: "people" } as const;
      await navigate({ from: SCREEN, to: ".", search, replace: true });
    } catch (reason) {
      setError(reason);
      setIsBusy(false);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, for the initial address.
  useEffect(() => {
    if (template !== undefined && language !== undefined) void createDraft({ name: template, language });
  }, []);
  return (
    <Page title={strings.title} about={strings.step.template} lead={strings.templateLead}>
      <BackLink />
      <Steps step="template" content={{}} />
      {error !== null && <Failed error={error} />}
      <TemplateStep content={{}} isBusy={isBusy} onChoose={(chosen) => void createDraft(chosen)} />
    </Page>
  );
}

/** Redirects to the broadcast, because a sent draft has nothing to show. */
function Sent({ broadcastId }: { broadcastId: number }) {
  const { id } = useWorkspace();
  const navigate = useNavigate();
  useEffect(() => {
    const params = { workspace: String(id), broadcast: String(broadcastId) };
    void navigate({ to: "/w/$workspace/broadcasts/$broadcast", params, replace: true });
  }, [id, broadcastId, navigate]);
  return <Loading />;
}

function Wizard({ draft }: { draft: Draft }) {
  const { id } = useWorkspace();
  const changeParameters = useChangeParameters(SCREEN);
  const saved = useSaved(id, draft);
  const { content, change, flush } = saved;
  const { step: asked = "template" } = useParameters(SCREEN);
  const step = isOpen(asked, content) ? asked : "template";
  const template = useTemplate(content);
  const next = STEPS[STEPS.indexOf(step) + 1];
  const go = async (to: Step) => {
    await flush().catch(() => undefined);
    await changeParameters({ step: to });
    window.scrollTo({ top: 0 });
  };
  const choose = async (chosen: Template) => {
    const isOther = chosen.name !== content.template || chosen.language !== content.language;
    // A different template has different placeholders, so the old values are dropped.
    if (isOther) {
      change({ ...NO_VALUES, template: chosen.name, language: chosen.language });
    }
    await go("people");
  };
  const leads = {
    template: strings.templateLead,
    people: strings.peopleLead,
    values: strings.valuesLead,
    check: strings.checkLead,
  };
  return (
    // Each step counts as a new page: the focus moves to its heading.
    <Page
      key={step}
      title={draft.changes === null ? strings.title : strings.changeTitle}
      about={strings.step[step]}
      lead={leads[step]}
    >
      <BackLink />
      {draft.changes !== null && <Changing draft={draft} changes={draft.changes} />}
      <Steps step={step} content={content} draft={draft.id} />
      {step === "template" && <TemplateStep content={content} onChoose={(chosen) => void choose(chosen)} />}
      {step === "people" && <RecipientsStep content={content} change={change} />}
      {(step === "values" || step === "check") && template.isPending && <Loading />}
      {(step === "values" || step === "check") && template.isError && (
        <Failed error={template.error} retry={() => void template.refetch()} />
      )}
      {step === "values" && template.data !== undefined && (
        <FieldsStep draftId={draft.id} template={template.data} saved={saved} />
      )}
      {step === "check" && template.data !== undefined && (
        <ReviewStep draft={draft} template={template.data} saved={withAllPlaceholders(saved, template.data)} />
      )}
      <Footer saved={saved} draft={draft}>
        {next !== undefined && step !== "template" && (
          <Button tone="primary" disabled={!isOpen(next, content)} onClick={() => void go(next)}>
            {strings.next}
          </Button>
        )}
      </Footer>
    </Page>
  );
}

/** Sends an empty text for each unfilled placeholder and part, so that the server reports every missing value. */
function withAllPlaceholders(saved: Saved, template: Template): Saved {
  const whole = { ...readValues(saved.content, template) };
  const known = Object.fromEntries(Object.keys(whole).map((name) => [name, saved.content[name as keyof DraftContent]]));
  if (JSON.stringify(known) === JSON.stringify(whole)) return saved;
  return {
    ...saved,
    flush: () => {
      saved.change(whole);
      return saved.flush();
    },
  };
}

/** The template of the draft, by name and language. */
function useTemplate({ template, language }: DraftContent) {
  const { id } = useWorkspace();
  return useQuery({
    ...reading("GET /w/{workspace}/templates/named", { workspace: id, query: { name: template, language } }, [
      "templates",
      id,
      "one",
      template,
      language,
    ]),
    enabled: template !== undefined,
    staleTime: 30_000,
  });
}

function isOpen(step: Step, { template, group, to }: DraftContent): boolean {
  if (step === "template") return true;
  if (template === undefined) return false;
  return step === "people" || group !== undefined || (to !== undefined && to.length > 0);
}

function Steps({ step, content, draft }: { step: Step; content: DraftContent; draft?: number }) {
  return (
    <nav aria-label={strings.steps} className="mb-6 border-b border-line pb-3">
      <ol className="flex flex-wrap gap-x-2">
        {STEPS.map((one, index) => (
          <li key={one}>
            <StepMark
              step={one}
              place={index + 1}
              isCurrent={one === step}
              isOpen={draft !== undefined && isOpen(one, content)}
            />
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface StepMarkProps {
  step: Step;
  place: number;
  isCurrent: boolean;
  isOpen: boolean;
}

function StepMark({ step, place, isCurrent, isOpen }: StepMarkProps) {
  const className = "inline-flex min-h-9 items-center gap-2 rounded-control px-2 max-mid:min-h-11";
  const current = isCurrent ? "step" : undefined;
  const text = (
    <>
      <span
        aria-hidden
        className={`inline-flex size-6 items-center justify-center rounded-control text-label figures ${isCurrent ? "bg-accent text-on-accent" : "bg-grey-tint text-grey"}`}
      >
        {place}
      </span>
      {/* On a phone only the current step shows its label: four labels would take two lines. */}
      <span className={isCurrent ? "" : "max-mid:sr-only"}>{strings.step[step]}</span>
    </>
  );
  if (!isOpen) {
    return (
      <span aria-current={current} className={`${className} ${isCurrent ? "font-semibold" : "text-quiet"}`}>
        {text}
      </span>
    );
  }
  return (
    <ParameterLink
      screen={SCREEN}
      change={{ step }}
      aria-current={current}
      className={`${className} text-ink no-underline hover:bg-sunken ${isCurrent ? "font-semibold" : ""}`}
    >
      {text}
    </ParameterLink>
  );
}

function BackLink() {
  const { id } = useWorkspace();
  return (
    <p className="-mt-4 mb-4">
      <Link
        to="/w/$workspace/broadcasts"
        params={{ workspace: String(id) }}
        className={`inline-flex min-h-9 items-center gap-1 ${textLink}`}
      >
        <ArrowLeft aria-hidden size={16} />
        {strings.back}
      </Link>
    </p>
  );
}

const discardWords = {
  discard: strings.discard,
  title: strings.discardTitle,
  text: strings.discardText,
  cancel: strings.discardCancel,
  done: strings.discarded,
};

const discardChangeWords = {
  discard: strings.discardChange,
  title: strings.discardChangeTitle,
  text: strings.discardChangeText,
  cancel: strings.discardChangeCancel,
  done: strings.changeDiscarded,
};

function Footer({ saved, draft, children }: { saved: Saved; draft: Draft; children: ReactNode }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const words = draft.changes === null ? discardWords : discardChangeWords;
  return (
    <div
      className={`mt-8 flex flex-wrap items-center gap-4 border-t border-line pt-4 ${children === false ? "" : "max-mid:sticky max-mid:bottom-16 max-mid:z-10 max-mid:-mx-4 max-mid:bg-page max-mid:px-4 max-mid:pb-3"}`}
    >
      {children}
      <span role="status" className={saved.error === null ? "text-quiet" : "text-red"}>
        {saved.error !== null
          ? `${strings.notSaved} ${sentenceOf(saved.error)}`
          : saved.isSaving
            ? strings.saving
            : strings.saved}
      </span>
      <ConfirmButton
        tone="quiet"
        className="ms-auto"
        title={words.title}
        action={words.discard}
        cancelLabel={words.cancel}
        act={async (key) => {
          await saved.flush().catch(() => undefined);
          await request("DELETE /w/{workspace}/drafts/{id}", { workspace: id, id: draft.id }, { key });
          await client.invalidateQueries({ queryKey: ["drafts", id] });
          showToast(words.done);
          const params = { workspace: String(id) };
          if (draft.changes === null) return navigate({ to: "/w/$workspace/broadcasts", params, replace: true });
          const broadcast = String(draft.changes.id);
          await client.invalidateQueries({ queryKey: ["broadcast", id, broadcast] });
          await navigate({
            to: "/w/$workspace/broadcasts/$broadcast",
            params: { ...params, broadcast },
            replace: true,
          });
        }}
      >
        {words.text}
      </ConfirmButton>
    </div>
  );
}
