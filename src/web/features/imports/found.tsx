/** What was found out about the file: kind, encoding, names of columns, dates, countries. All of it can be changed. */
import { type ReactNode, useId } from "react";
import { useWorkspace } from "../../data/session.ts";
import { inputClass } from "../../ui/field.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { formatCount } from "../../ui/plural.ts";
import { countries, countryName } from "../workspaces/countries.ts";
import type { Choices, ChoicesOf } from "./choices.ts";
import { encodingGroups, encodingName } from "./encoding-names.ts";
import { strings } from "./found-strings.ts";
import type { ImportDetail } from "./import-view.ts";
import { Question } from "./question.tsx";

type Found = NonNullable<ImportDetail["found"]>;
type Encoding = NonNullable<Choices["encoding"]>;
type Order = NonNullable<Found["dates"]>["order"];
type ChosenOrder = NonNullable<Choices["dates"]>;

interface Props {
  job: ImportDetail;
  found: Found;
  of: ChoicesOf;
}

const DETECTED = "";
const HEADER_LINES = 30;

export function FoundInFile({ job, found, of }: Props) {
  return (
    <Section title={strings.title} lead={strings.lead}>
      <div className="flex flex-col gap-4">
        <Questions found={found} of={of} />
        <Card>
          <div className="grid gap-x-6 gap-y-4 mid:grid-cols-2 wide:grid-cols-3">
            <Readings job={job} found={found} of={of} />
          </div>
        </Card>
      </div>
    </Section>
  );
}

/** What only the user can know comes first. */
function Questions({ found, of: { choices, save } }: Omit<Props, "job">) {
  const { samples, dates, question, damaged } = found;
  const isDateOpen = dates !== null && !dates.is_certain && dates.example !== null;
  return (
    <>
      {damaged !== null && <DamagedRows damaged={damaged} />}
      {samples.length > 1 && (
        <Question
          title={strings.encodingQuestion}
          value={choices.encoding ?? null}
          options={samples.map(({ encoding, sample }) => ({
            value: encoding,
            label: sample,
            hint: encodingName(encoding),
          }))}
          choose={(encoding) => void save({ encoding: encoding as Encoding })}
        />
      )}
      {question !== null && (
        <Question
          title={strings.countryQuestion(question.example, question.example_line)}
          value={choices.country ?? null}
          options={question.choices.map((value) => ({ value, label: countryName(value) }))}
          choose={(country) => void save({ country })}
        />
      )}
      {isDateOpen && (
        <Question
          title={strings.dateQuestion(dates.example ?? "")}
          value={choices.dates ?? null}
          options={[
            { value: "dmy", label: strings.dayFirst },
            { value: "mdy", label: strings.monthFirst },
          ]}
          choose={(order) => void save({ dates: order as ChosenOrder })}
        />
      )}
    </>
  );
}

/** No question: a file that was damaged before it came here has no better encoding. */
function DamagedRows({ damaged: { rows, lines } }: { damaged: NonNullable<Found["damaged"]> }) {
  const named = lines.map(formatCount).join(", ");
  return (
    <div className="rounded-panel border border-amber bg-amber-tint p-4 text-amber mid:px-6">
      <p className="font-semibold">{strings.damaged}</p>
      <p className="text-ink">
        {rows === 1 ? strings.damagedRow(named) : strings.damagedRows(formatCount(rows), named, rows === lines.length)}{" "}
        {strings.damagedText}
      </p>
    </div>
  );
}

function Readings({ job, found, of }: Props) {
  const { country } = useWorkspace();
  const { choices, save } = of;
  const isCsv = found.kind === "csv";
  return (
    <>
      <div>
        <p className="font-semibold">{strings.kind}</p>
        <p className="flex min-h-10 items-center">{strings.kinds[found.kind]}</p>
      </div>
      {isCsv && <EncodingSetting found={found} of={of} />}
      {found.kind !== "vcard" && <HeaderSetting found={found} of={of} />}
      {found.dates !== null && <DateSetting order={found.dates.order} of={of} />}
      <Setting
        label={strings.country}
        value={choices.country ?? DETECTED}
        choose={(value) => void save({ country: value === DETECTED ? null : value })}
      >
        <option value={DETECTED}>{strings.ownCountry(countryName(country))}</option>
        {countries().map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </Setting>
      {isCsv && (
        <Setting
          label={strings.quotes}
          value={choices.quotes ?? "csv"}
          choose={(value) => void save({ quotes: value as "csv" | "none" })}
        >
          <option value="csv">{strings.quotesCsv}</option>
          <option value="none">{strings.quotesNone}</option>
        </Setting>
      )}
      <Setting
        label={strings.badCells}
        hint={job.choices.bad_cells === "refuse" ? strings.badCellsRefused : strings.badCellsSkipped}
        value={choices.bad_cells ?? "skip"}
        choose={(value) => void save({ bad_cells: value as "skip" | "refuse" })}
      >
        <option value="skip">{strings.skipCell}</option>
        <option value="refuse">{strings.refuseRow}</option>
      </Setting>
    </>
  );
}

function EncodingSetting({ found: { encoding, samples }, of: { choices, save } }: Omit<Props, "job">) {
  const [sample] = samples;
  const isDetected = choices.encoding == null && encoding !== null;
  return (
    <Setting
      label={strings.encoding}
      hint={samples.length === 1 && sample !== undefined ? strings.sample(sample.sample) : null}
      value={choices.encoding ?? DETECTED}
      choose={(value) => void save({ encoding: value === DETECTED ? null : (value as Encoding) })}
    >
      <option value={DETECTED}>{isDetected ? strings.detectedAs(encodingName(encoding)) : strings.detected}</option>
      {encodingGroups().map(([group, encodings]) => (
        <optgroup key={group} label={group}>
          {encodings.map((one) => (
            <option key={one} value={one}>
              {encodingName(one)}
            </option>
          ))}
        </optgroup>
      ))}
    </Setting>
  );
}

function HeaderSetting({ found: { header_line: line }, of: { choices, save } }: Omit<Props, "job">) {
  const row = choices.header_row ?? null;
  const detected = line === null ? strings.noHeader : strings.headerLine(line);
  return (
    <Setting
      label={strings.header}
      value={row === null ? DETECTED : String(row)}
      choose={(value) => void save({ header_row: value === DETECTED ? null : Number(value), map: {} })}
    >
      <option value={DETECTED}>{row === null ? strings.detectedAs(detected) : strings.detected}</option>
      <option value="0">{strings.noHeader}</option>
      {lines(line).map((one) => (
        <option key={one} value={one}>
          {strings.headerLine(one)}
        </option>
      ))}
    </Setting>
  );
}

function DateSetting({ order, of: { choices, save } }: { order: Order; of: ChoicesOf }) {
  const chosen = choices.dates ?? null;
  return (
    <Setting
      label={strings.dates}
      value={chosen ?? DETECTED}
      choose={(value) => void save({ dates: value === DETECTED ? null : (value as ChosenOrder) })}
    >
      <option value={DETECTED}>{chosen === null ? strings.detectedAs(strings.orders[order]) : strings.detected}</option>
      {(["dmy", "mdy", "ymd"] as const).map((one) => (
        <option key={one} value={one}>
          {strings.orders[one]}
        </option>
      ))}
    </Setting>
  );
}

interface SettingProps {
  label: string;
  hint?: string | null;
  value: string;
  choose: (value: string) => void;
  children: ReactNode;
}

function Setting({ label, hint = null, value, choose, children }: SettingProps) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-semibold">
        {label}
      </label>
      <select
        id={id}
        className={inputClass}
        value={value}
        aria-describedby={hint === null ? undefined : `${id}-hint`}
        onChange={({ target }) => choose(target.value)}
      >
        {children}
      </select>
      {hint !== null && (
        <p id={`${id}-hint`} className="text-label text-quiet">
          {hint}
        </p>
      )}
    </div>
  );
}

function lines(headerLine: number | null): number[] {
  const first = Array.from({ length: HEADER_LINES }, (_, index) => index + 1);
  return headerLine === null || headerLine <= HEADER_LINES ? first : [...first, headerLine];
}
