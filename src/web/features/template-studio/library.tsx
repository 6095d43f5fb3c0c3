/** A template of WhatsApp's library: searched and chosen where a draft begins, and filled in where the draft is written. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";
import { isLoose, type LibraryEntry, listIn, textIn } from "#src/domain/templates/rules/candidate.ts";
import { componentsFrom, libraryOf } from "#src/domain/templates/rules/library-content.ts";
import { type Entry, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { FieldFrame, inputClass } from "../../ui/field.tsx";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { PhonePreview } from "../templates/phone-preview.tsx";
import { OtpFields } from "./buttons-editor.tsx";
import { useChecked } from "./checked.tsx";
import { at, type Content, put, textAt } from "./content.ts";
import { StudioNumber, StudioPlace, StudioSwitch, StudioText } from "./fields.tsx";
import { shownOf } from "./shown.ts";
import { strings } from "./strings.ts";

type Listed = Entry<"GET /w/{workspace}/templates/library">;

/** Of a typed search: each one asks WhatsApp. */
const SEARCH_AFTER_MS = 400;

function entryOf({ usecase, industry, body_params, body_param_types, buttons, ...one }: Listed): LibraryEntry {
  return {
    ...{ id: "", ...one, useCase: usecase, industries: industry, bodyValues: body_params, bodyTypes: body_param_types },
    buttons: buttons.map(({ phone_number: phoneNumber, ...button }) => ({ ...button, phoneNumber })),
  };
}

/** Begins a draft with what the library has. `of`: what tells it from other beginnings. */
export function LibraryStart({
  isBusy,
  onChoose,
}: {
  isBusy: boolean;
  onChoose: (content: Content, of: string) => void;
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section className="mt-8 flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {strings.library}
        </Button>
        <span className="text-quiet">{strings.libraryText}</span>
      </div>
      {isOpen && <LibrarySearch isBusy={isBusy} onChoose={onChoose} />}
    </section>
  );
}

function LibrarySearch({ isBusy, onChoose }: Parameters<typeof LibraryStart>[0]) {
  const { id: workspace, numbers } = useWorkspace();
  const [typed, setTyped] = useState("");
  const [search, setSearch] = useState("");
  const [from, setFrom] = useState(numbers.length > 1 ? numbers[0]?.phone : undefined);
  const [chosen, setChosen] = useState<Listed | null>(null);
  const id = useId();
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useInfiniteQuery({
    queryKey: ["template-library", workspace, from, search],
    queryFn: ({ pageParam, signal }) =>
      request(
        "GET /w/{workspace}/templates/library",
        { workspace, query: { search: search || undefined, from, after: pageParam ?? undefined } },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ meta }) => meta.next,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const listed = found.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <div className="flex flex-col gap-4">
      {numbers.length > 1 && (
        <FieldFrame id={`${id}-from`} label={strings.from} error={undefined}>
          <select
            id={`${id}-from`}
            className={inputClass}
            value={from}
            onChange={({ target }) => setFrom(target.value)}
          >
            {numbers.map(({ phone }) => (
              <option key={phone} value={phone}>
                {phone}
              </option>
            ))}
          </select>
        </FieldFrame>
      )}
      <FieldFrame id={id} label={strings.librarySearch} error={undefined}>
        <input
          id={id}
          type="search"
          className={inputClass}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </FieldFrame>
      {found.isPending && <Loading />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.isSuccess && listed.length === 0 && <p role="status">{strings.libraryNone}</p>}
      <ul aria-label={strings.libraryList} className="flex flex-col gap-3">
        {listed.map((one) => {
          const isChosen = chosen?.name === one.name && chosen.language === one.language;
          return (
            <li key={`${one.name} ${one.language}`} className="flex flex-col gap-3">
              <button
                type="button"
                aria-expanded={isChosen}
                onClick={() => setChosen(isChosen ? null : one)}
                className="rounded-panel border border-edge bg-surface p-4 text-start hover:bg-sunken"
              >
                <strong className="block font-semibold wrap-anywhere">
                  {one.name} · {one.language}
                </strong>
                <span className="text-quiet wrap-anywhere">{one.body}</span>
              </button>
              {isChosen && (
                <div className="flex flex-col items-start gap-3">
                  <PhonePreview template={shownOf({ category: one.category, components: shownParts(one) })} />
                  <Button
                    tone="primary"
                    busy={isBusy}
                    onClick={() => onChoose(contentFrom(one, from), `${one.name}-${one.language}`)}
                  >
                    {strings.libraryUse(one.name)}
                  </Button>
                </div>
              )}
            </li>
          );
        })}
      </ul>
      {found.hasNextPage && (
        <Button busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {strings.libraryMore}
        </Button>
      )}
    </div>
  );
}

function shownParts(listed: Listed) {
  return componentsFrom(entryOf(listed), { name: listed.name });
}

/** A draft of the template: its inputs are empty. */
function contentFrom({ name, language, category, buttons }: Listed, from: string | undefined): Content {
  const inputs = buttons.map(({ type }) => ({ type, ...(type === "OTP" ? { otp_type: "COPY_CODE" } : {}) }));
  return {
    ...{ name, language, category },
    library: { name, ...(inputs.some(({ type }) => type !== "QUICK_REPLY") ? { buttons: inputs } : {}) },
    ...(from === undefined ? {} : { from }),
  };
}

/** The template of the library that the draft names, as the network has it now. */
function useLibraryEntry(content: Content) {
  const { id: workspace } = useWorkspace();
  const name = textAt(content, "library.name");
  const language = textAt(content, "language");
  const from = textAt(content, "from") || undefined;
  return useQuery({
    queryKey: ["template-library", workspace, from, "named", name, language],
    queryFn: async ({ signal }) => {
      const query = { name, language, from };
      const { data } = await request("GET /w/{workspace}/templates/library", { workspace, query }, { signal });
      const found = data.find((one) => one.name === name && one.language === language);
      return found === undefined ? null : entryOf(found);
    },
    enabled: name !== "" && language !== "",
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The draft with the words of the library, for the phone. One that names none is as it is. */
export function useLibraryContent(content: Content): Content {
  const { data: entry } = useLibraryEntry(content);
  const { library } = content;
  return entry == null || !isLoose(library)
    ? content
    : { ...content, components: componentsFrom(entry, libraryOf(library)) };
}

/** What a template of the library takes: a name, and an input for each button. */
export function LibraryInputs() {
  const { content, change } = useChecked();
  const { data: entry, isError } = useLibraryEntry(content);
  const library = isLoose(content.library) ? content.library : {};
  const isLogin = content.category === "AUTHENTICATION";
  return (
    <>
      <p className="text-quiet">{strings.libraryFixed(textIn(library, "name"))}</p>
      {isError && <Notice>{strings.libraryGone}</Notice>}
      <StudioPlace path="library" />
      <div className="grid gap-4 mid:grid-cols-2">
        <StudioText path="name" label={strings.name} hint={strings.nameHint} />
        <StudioText path="language" label={strings.language} readOnly />
      </div>
      {listIn(library, "buttons").map((given, index) => {
        const path = `library.buttons.${index}`;
        const type = isLoose(given) ? textIn(given, "type") : "";
        const title = entry?.buttons[index]?.text || strings.kinds[type] || type;
        // biome-ignore lint/suspicious/noArrayIndexKey: buttons stand in the order of the library's
        return <ButtonInput key={index} path={path} type={type} title={strings.libraryButton(index + 1, title)} />;
      })}
      {isLogin && (
        <>
          <StudioSwitch
            path="library.body.add_security_recommendation"
            label={strings.loginBody}
            isOn={at(content, "library.body.add_security_recommendation") === true}
            onChange={(isOn) =>
              change((all) => put(all, "library.body.add_security_recommendation", isOn ? true : undefined))
            }
          />
          <StudioNumber path="library.body.code_expiration_minutes" label={strings.expiry} />
        </>
      )}
    </>
  );
}

function ButtonInput({ path, type, title }: { path: string; type: string; title: string }) {
  if (type === "QUICK_REPLY") return <StudioPlace path={path} />;
  const own = (label: string) => (
    <>
      {label}
      <span className="sr-only">, {title}</span>
    </>
  );
  return (
    <fieldset className="flex flex-col gap-4 rounded-panel border border-edge p-4">
      <legend className="px-1 font-semibold">{title}</legend>
      {type === "URL" && (
        <>
          <StudioText path={`${path}.url.base_url`} label={own(strings.url)} hint={strings.urlHint} inputMode="url" />
          <StudioText path={`${path}.url.url_suffix_example`} label={own(strings.libraryUrlSample)} inputMode="url" />
        </>
      )}
      {type === "PHONE_NUMBER" && (
        <StudioText
          path={`${path}.phone_number`}
          label={own(strings.phone)}
          hint={strings.libraryPhoneHint}
          inputMode="tel"
        />
      )}
      {type === "OTP" && <OtpFields path={path} own={own} />}
      <StudioPlace path={path} />
    </fieldset>
  );
}
