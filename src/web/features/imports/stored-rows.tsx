/** The first rows as they will be stored: a table, on phones a list. */
import { Chip } from "../../ui/chip.tsx";
import { formatCount } from "../../ui/plural.ts";
import type { ImportDetail, ImportOutcome } from "./import-view.ts";
import { strings } from "./result-strings.ts";
import { strings as columns } from "./strings.ts";

type Row = ImportOutcome["stored"][number];

interface Props {
  rows: readonly Row[];
  labels: ImportDetail["labels"];
}

export function StoredRows({ rows, labels }: Props) {
  const filled = new Set(rows.flatMap(({ values }) => Object.keys(values ?? {})));
  const consent = filled.delete("consent") ? ["consent"] : [];
  const targets = [...filled, ...consent];
  const labelOf = (target: string) => columns.targets[target] ?? labels[target] ?? target;
  return (
    <>
      <section
        aria-label={strings.storedTable}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
        tabIndex={0}
        className="overflow-x-auto rounded-panel border border-line bg-surface max-mid:hidden"
      >
        <table className="w-full border-collapse">
          <thead>
            <tr>
              {[strings.line, ...targets.map(labelOf)].map((label, index) => (
                <th
                  key={label}
                  scope="col"
                  className={`border-b border-line px-4 py-2 text-label whitespace-nowrap text-quiet ${index === 0 ? "text-end" : "text-start"}`}
                >
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.line} className="border-b border-line align-top last:border-b-0">
                <td className="w-16 px-4 py-2 text-end text-quiet figures">{formatCount(row.line)}</td>
                {row.values === null ? (
                  <td colSpan={targets.length} className="px-4 py-2">
                    <Refused row={row} />
                  </td>
                ) : (
                  targets.map((target, index) => (
                    <td key={target} className="max-w-80 px-4 py-2 break-words">
                      <Value target={target} value={row.values?.[target]} />
                      {index === 0 && <Remarks row={row} />}
                    </td>
                  ))
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <ul className="rounded-panel border border-line bg-surface mid:hidden">
        {rows.map((row) => (
          <li key={row.line} className="border-b border-line px-4 py-3 last:border-b-0">
            <p className="text-label text-quiet figures">{strings.exampleLine(formatCount(row.line))}</p>
            {row.values === null ? (
              <Refused row={row} />
            ) : (
              <>
                <dl className="grid grid-cols-[7rem_1fr] gap-x-3 gap-y-1">
                  {targets
                    .filter((target) => row.values?.[target] !== undefined)
                    .map((target) => (
                      <div key={target} className="contents">
                        <dt className="text-quiet">{labelOf(target)}</dt>
                        <dd className="min-w-0 break-words">
                          <Value target={target} value={row.values?.[target]} />
                        </dd>
                      </div>
                    ))}
                </dl>
                <Remarks row={row} />
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Value({ target, value }: { target: string; value: string | undefined }) {
  if (value === undefined) return <span className="text-quiet">–</span>;
  if (target !== "consent") return target === "phone" ? <span className="figures">{value}</span> : value;
  const tone = value === "opted_in" ? "green" : value === "opted_out" ? "red" : "grey";
  return <Chip tone={tone}>{strings.consents[value] ?? value}</Chip>;
}

function Refused({ row: { problems } }: { row: Row }) {
  return (
    <span className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
      <Chip tone="red">{strings.refusedRow}</Chip>
      <span className="min-w-0 break-words">{problems.join(" ")}</span>
    </span>
  );
}

/** Of a row that is taken. */
function Remarks({ row: { is_repeated: isRepeated, problems } }: { row: Row }) {
  return (
    <>
      {isRepeated && <span className="block text-label text-quiet">{strings.repeatedRow}</span>}
      {problems.map((problem) => (
        <span key={problem} className="block text-label text-amber">
          {strings.skippedCell(problem)}
        </span>
      ))}
    </>
  );
}
