/**
 * Templates → New. The category is chosen first; from then on there is a draft on the server, `?draft=`, which is saved
 * as it is typed and becomes one template.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { templateLanguages } from "#src/domain/templates/rules/general.ts";
import { NotFound } from "../../app/not-found.tsx";
import { ApiError, type Entry, reading, request } from "../../data/api.ts";
import { useAutosave } from "../../data/autosave.ts";
import { isSimulated, useWorkspace } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { Failed, Loading, Notice, sentenceOf } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { PhonePreview } from "../templates/phone-preview.tsx";
import { CheckedFields, type Sentence, useChecked } from "./checked.tsx";
import { type Content, setCategory, textAt } from "./content.ts";
import { StudioPlace, StudioSelect, StudioText } from "./fields.tsx";
import { ApprovedExample, Hints } from "./hints.tsx";
import { LibraryInputs, useLibraryContent } from "./library.tsx";
import { BackLink, CATEGORIES, type Category, NewDraft } from "./new-draft.tsx";
import { PartsEditor } from "./parts-editor.tsx";
import { shownOf } from "./shown.ts";
import { strings } from "./strings.ts";

const SCREEN = "/w/$workspace/templates/new";

type Draft = Entry<"GET /w/{workspace}/template-drafts">;

export function Screen() {
  const { id } = useWorkspace();
  const { draft } = useParameters(SCREEN);
  const found = useQuery({
    ...reading("GET /w/{workspace}/template-drafts/{id}", { workspace: id, id: draft ?? "" }, [
      "template-draft",
      id,
      draft,
    ]),
    enabled: draft !== undefined,
    // Always read again: another device may have changed or sent it.
    gcTime: 0,
    refetchOnWindowFocus: false,
    staleTime: 0,
  });
  if (draft === undefined) return <NewDraft />;
  if (found.isError && found.error instanceof ApiError && found.error.status === 404) return <NotFound />;
  if (found.isError) {
    return (
      <Page title={strings.title}>
        <Failed error={found.error} retry={() => void found.refetch()} />
      </Page>
    );
  }
  if (found.data === undefined || found.isFetching) return <Page title={strings.title}>{<Loading />}</Page>;
  if (found.data.template_id !== null) return <Sent templateId={found.data.template_id} />;
  return <Studio key={found.data.id} draft={found.data} />;
}

/** A draft that was sent has nothing to show: its template has. */
function Sent({ templateId }: { templateId: number }) {
  const open = useOpenTemplate();
  useEffect(() => {
    void open(templateId);
  }, [open, templateId]);
  return <Loading />;
}

function useOpenTemplate() {
  const { id } = useWorkspace();
  const navigate = useNavigate();
  return useMemo(
    () => (template: number) =>
      navigate({
        to: "/w/$workspace/templates",
        params: { workspace: String(id) },
        search: { open: String(template) },
        replace: true,
      }),
    [id, navigate],
  );
}

function Studio({ draft }: { draft: Draft }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const open = useOpenTemplate();
  const [told, setTold] = useState<readonly Sentence[]>([]);
  const [isSent, setIsSent] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const form = useRef<HTMLFormElement>(null);
  const path = { workspace: id, id: draft.id };
  const { content, change, flush, ...saving } = useAutosave<Content>(draft.content, async (next) => {
    const body = { ...next };
    await request("PUT /w/{workspace}/template-drafts/{id}", { ...path, body });
    void client.invalidateQueries({ queryKey: ["template-drafts", id] });
    // What only the server knows is a help while one types: sending checks it in any case.
    setTold(await request("POST /w/{workspace}/template-drafts/{id}/check", { ...path, body }).catch(() => []));
  });
  const focusFirst = () =>
    requestAnimationFrame(() => {
      const wrong = form.current?.querySelector<HTMLElement>("[aria-invalid=true], [data-place]");
      wrong?.scrollIntoView({ block: "center" });
      wrong?.focus({ preventScroll: true });
    });
  const send = async () => {
    if (isBusy) return;
    setIsBusy(true);
    setError(null);
    setIsSent(true);
    try {
      await flush();
      const body = { ...content };
      const template = await request("POST /w/{workspace}/template-drafts/{id}/send", { ...path, body });
      client.setQueryData(["template", id, String(template.id)], template);
      void client.invalidateQueries({ queryKey: ["templates", id] });
      void client.invalidateQueries({ queryKey: ["template-drafts", id] });
      showToast(strings.sent);
      await open(template.id);
    } catch (reason) {
      if (reason instanceof ApiError && reason.code === "invalid_request") {
        setTold(Object.entries(reason.fields).flatMap(([at, all]) => all.map((message) => ({ path: at, message }))));
        focusFirst();
      } else setError(reason);
      setIsBusy(false);
    }
  };
  const isCorrection = draft.corrects !== null;
  return (
    <Page
      title={isCorrection ? strings.correctTitle : strings.title}
      about={textAt(content, "name")}
      lead={strings.lead}
    >
      <BackLink />
      <CheckedFields content={content} change={change} told={told} isSent={isSent}>
        {(rest) => (
          <div className="grid items-start gap-8 wide:grid-cols-[minmax(0,1fr)_20rem]">
            <form
              ref={form}
              noValidate
              aria-label={isCorrection ? strings.correctTitle : strings.title}
              className="flex min-w-0 flex-col gap-5"
              onSubmit={(event) => {
                event.preventDefault();
                void send();
              }}
              onKeyDown={(event) => {
                // In a text, Enter alone belongs to the text, and elsewhere it does not send by chance.
                const isEnter = event.key === "Enter";
                if (isEnter && (event.ctrlKey || event.metaKey)) void send();
                if (isEnter && event.target instanceof HTMLInputElement) event.preventDefault();
              }}
            >
              {content.library === undefined ? (
                <>
                  <Beginning isCorrection={isCorrection} />
                  <PartsEditor />
                  <Hints />
                  <ApprovedExample />
                </>
              ) : (
                <LibraryInputs />
              )}
              <Rest rest={rest} />
              {error !== null && <Refused error={error} />}
              <div className="flex flex-wrap items-center gap-3">
                <SendButton isBusy={isBusy} isCorrection={isCorrection} />
                <Discard draft={draft} />
                <span role="status" className="text-quiet">
                  {saving.error !== null ? "" : saving.isSaving ? strings.saving : strings.saved}
                </span>
              </div>
              {saving.error !== null && (
                <Notice>
                  {sentenceOf(saving.error)} {strings.unsaved}
                </Notice>
              )}
            </form>
            <Phone />
          </div>
        )}
      </CheckedFields>
    </Page>
  );
}

function SendButton({ isBusy, isCorrection }: { isBusy: boolean; isCorrection: boolean }) {
  const workspace = useWorkspace();
  const { content } = useChecked();
  const from = typeof content.from === "string" ? content.from : undefined;
  const words = isSimulated(workspace, from) ? strings.sendSimulated : strings.send;
  return (
    <Button type="submit" tone="primary" busy={isBusy}>
      {isCorrection ? strings.sendCorrection : words}
    </Button>
  );
}

/** Category, name, language and account. A correction keeps all but the category. */
function Beginning({ isCorrection }: { isCorrection: boolean }) {
  const { numbers } = useWorkspace();
  const { content, change } = useChecked();
  const category = textAt(content, "category");
  const means = strings.categories[category as Category]?.means;
  return (
    <div className="flex flex-col gap-4">
      <StudioSelect
        path="category"
        label={strings.category}
        hint={means}
        onValue={(chosen) => change((all) => setCategory(all, chosen))}
        choices={CATEGORIES.map((value) => ({ value, label: strings.categories[value].label }))}
      />
      <div className="grid gap-4 mid:grid-cols-2">
        <StudioText path="name" label={strings.name} hint={strings.nameHint} readOnly={isCorrection} />
        {isCorrection ? (
          <StudioText path="language" label={strings.language} readOnly />
        ) : (
          <StudioSelect path="language" label={strings.language} choices={languages()} />
        )}
        {numbers.length > 1 && !isCorrection && (
          <StudioSelect
            path="from"
            label={strings.from}
            hint={strings.fromHint}
            choices={[
              { value: "", label: strings.fromNone },
              ...numbers.map(({ phone }) => ({ value: phone, label: phone })),
            ]}
          />
        )}
      </div>
    </div>
  );
}

/** With their names, in the order of these. */
function languages(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" });
  const all = templateLanguages.map((value) => ({ value, label: `${names.of(value.replace("_", "-"))} · ${value}` }));
  return [
    { value: "", label: strings.languageNone },
    ...all.toSorted((one, other) => one.label.localeCompare(other.label)),
  ];
}

/** What belongs to no field of the page. */
function Rest({ rest }: { rest: readonly Sentence[] }) {
  if (rest.length === 0) return <StudioPlace path="from" />;
  return (
    <div role="alert" className="rounded-panel bg-red-tint p-4 text-red">
      <p className="font-semibold">{strings.problems}</p>
      <ul className="ms-5 list-disc">
        {rest.map(({ path, message }) => (
          <li key={path + message}>
            <code>{path}</code>: {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Refused({ error }: { error: unknown }) {
  if (error instanceof ApiError && error.outcome === "unknown") return <Notice tone="violet">{strings.unknown}</Notice>;
  if (error instanceof ApiError && error.code === "whatsapp_error") {
    return (
      <p role="alert" className="rounded-panel bg-red-tint p-4 text-red">
        {strings.notSent(error.message)}
      </p>
    );
  }
  return <Failed error={error} />;
}

function Discard({ draft }: { draft: Draft }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button tone="quiet" onClick={() => setIsOpen(true)}>
        {strings.discard}
      </Button>
      <Confirm
        title={strings.discardTitle}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        action={strings.discard}
        cancelLabel={strings.discardKeep}
        act={async (key) => {
          await request("DELETE /w/{workspace}/template-drafts/{id}", { workspace: id, id: draft.id }, { key });
          void client.invalidateQueries({ queryKey: ["template-drafts", id] });
          showToast(strings.discarded);
          await navigate({ to: "/w/$workspace/templates", params: { workspace: String(id) } });
        }}
      >
        {strings.discardText}
      </Confirm>
    </>
  );
}

/** The phone beside the form, in the light or the dark. */
function Phone() {
  const { content } = useChecked();
  const shown = useLibraryContent(content);
  const [theme, setTheme] = useState<"light" | "dark">("light");
  return (
    <section aria-label={strings.preview} className="flex flex-col gap-3 wide:sticky wide:top-6">
      <div className="flex gap-2">
        {(["light", "dark"] as const).map((one) => (
          <Button
            key={one}
            small
            aria-pressed={theme === one}
            tone={theme === one ? "plain" : "quiet"}
            onClick={() => setTheme(one)}
          >
            {strings[one]}
          </Button>
        ))}
      </div>
      <div data-theme={theme} className="text-ink">
        <PhonePreview template={shownOf(shown)} />
      </div>
    </section>
  );
}
