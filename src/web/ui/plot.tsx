/**
 * A small SVG chart of values over time: stacked bars, or lines. Series differ by pattern or dash as well as by colour,
 * and are labelled. A sentence summarizes the chart, the arrow keys read out single moments, and a table below holds
 * the same values.
 */
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from "react";
import { exact } from "./time.tsx";

export interface Series {
  name: string;
  tone: "green" | "amber" | "violet" | "blue";
  /** One value per moment; null: unknown. */
  values: readonly (number | null)[];
}

interface PlotProps {
  title: string;
  /** A one-sentence summary of the chart. */
  sentence: string;
  kind: "bars" | "lines";
  /** Start of each moment in milliseconds, oldest first. */
  moments: readonly number[];
  /** The time range of the x axis, in milliseconds. */
  from: number;
  until: number;
  /** Length of a moment. */
  stepMs: number;
  series: readonly Series[];
  /** Formats a value for people. */
  formatValue: (value: number) => string;
  strings: { table: string; moment: string; nothing: string; none: string };
}

const HEIGHT = 140;
const FILL = { green: "fill-green", amber: "fill-amber", violet: "fill-violet", blue: "fill-blue" } as const;
const STROKE = { green: "stroke-green", amber: "stroke-amber", violet: "stroke-violet", blue: "stroke-blue" } as const;
const DASHES = [undefined, "5 4", "1 4"] as const;

export function Plot(props: PlotProps) {
  const { title, sentence, moments, from, until, series, formatValue, strings, stepMs, kind } = props;
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [at, setAt] = useState<number | null>(null);
  const chosen = at === null || at >= moments.length ? null : at;
  const max = maxOf(props);
  const x = (ms: number): number => ((ms - from) / Math.max(1, until - from)) * width;
  const point = ({ clientX }: PointerEvent<HTMLElement>): void => {
    const left = frame.current?.getBoundingClientRect().left ?? 0;
    const ms = from + ((clientX - left) / Math.max(1, width)) * (until - from);
    const found = moments.findLastIndex((moment) => moment <= ms);
    setAt(found === -1 ? null : found);
  };
  const move = (event: KeyboardEvent): void => {
    const last = moments.length - 1;
    const current = chosen ?? last + (event.key === "ArrowLeft" ? 1 : 0);
    const next = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last }[event.key];
    if (next === undefined || last < 0) return;
    event.preventDefault();
    setAt(Math.min(last, Math.max(0, next)));
  };
  return (
    <figure className="flex min-w-0 flex-col gap-2 rounded-panel border border-line bg-surface p-4">
      <figcaption className="flex flex-col gap-1">
        <h2 className="text-form font-semibold">{title}</h2>
        <p className="text-quiet">{sentence}</p>
      </figcaption>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-label text-quiet">
        {series.map((one, index) => (
          <li key={one.name} className="flex items-center gap-2">
            <Swatch series={one} index={index} kind={kind} />
            {one.name}
          </li>
        ))}
      </ul>
      <section
        ref={frame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read out its moments.
        tabIndex={0}
        aria-label={title}
        className="relative rounded-control"
        onKeyDown={move}
        onPointerMove={point}
        onPointerLeave={() => setAt(null)}
        onBlur={() => setAt(null)}
      >
        <svg role="img" aria-label={sentence} width={width} height={HEIGHT} className="block max-w-full">
          <line x1={0} x2={width} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className="stroke-line" />
          <line x1={0} x2={width} y1={16.5} y2={16.5} className="stroke-line" strokeDasharray="2 4" />
          {max > 0 && kind === "bars" && <Bars {...props} max={max} x={x} />}
          {max > 0 && kind === "lines" && <Lines {...props} max={max} x={x} />}
          {chosen !== null && (
            <line
              x1={x((moments[chosen] ?? 0) + stepMs / 2)}
              x2={x((moments[chosen] ?? 0) + stepMs / 2)}
              y1={0}
              y2={HEIGHT}
              className="stroke-ink"
            />
          )}
        </svg>
        <span aria-hidden className="absolute start-0 top-0 bg-surface pe-1 text-label text-quiet figures">
          {max > 0 ? formatValue(max) : ""}
        </span>
        {max === 0 && (
          <span className="absolute inset-0 flex items-center justify-center text-quiet">{strings.nothing}</span>
        )}
      </section>
      <div aria-hidden className="flex justify-between text-label text-quiet figures">
        <span>{clock(from, until - from)}</span>
        <span>{clock((from + until) / 2, until - from)}</span>
        <span>{clock(until, until - from)}</span>
      </div>
      <div className="relative">
        <p
          aria-live="polite"
          className="pointer-events-none absolute end-0 top-0 py-1 text-end font-semibold text-label figures"
        >
          {chosen !== null && readOut(props, chosen)}
        </p>
        <Table {...props} isRead={chosen !== null} />
      </div>
    </figure>
  );
}

type Drawn = PlotProps & { max: number; x: (ms: number) => number };

/** Leaves room above the highest value for its label. */
function yOf(value: number, max: number): number {
  return HEIGHT - 1 - (value / max) * (HEIGHT - 17);
}

function Bars({ moments, series, max, x, stepMs }: Drawn) {
  const id = useId();
  const wide = Math.max(1, x(stepMs) - x(0));
  const gap = wide > 4 ? 1 : 0;
  return (
    <>
      <defs>
        {series.map(({ name, tone }, index) => (
          <Pattern key={name} id={`${id}-${index}`} index={index} tone={tone} />
        ))}
      </defs>
      {moments.map((moment, at) => {
        let below = 0;
        return series.map(({ name, values }, index) => {
          const value = values[at] ?? 0;
          if (value === 0) return null;
          const bottom = yOf(below, max);
          below += value;
          // A single occurrence beside thousands stays visible.
          const top = Math.min(yOf(below, max), bottom - 1.5);
          return (
            <rect
              key={name}
              x={x(moment) + gap / 2}
              width={Math.max(1, wide - gap)}
              y={top}
              height={bottom - top}
              fill={`url(#${id}-${index})`}
            />
          );
        });
      })}
    </>
  );
}

/** By index: solid, hatched, dotted. */
function Pattern({ id, index, tone }: { id: string; index: number; tone: Series["tone"] }) {
  return (
    <pattern id={id} width={6} height={6} patternUnits="userSpaceOnUse">
      {index === 0 && <rect width={6} height={6} className={FILL[tone]} />}
      {index === 1 && <path d="M-1 1l2-2M0 6l6-6M5 7l2-2" className={STROKE[tone]} strokeWidth={2.4} fill="none" />}
      {index === 2 && (
        <>
          <rect width={6} height={6} className={FILL[tone]} opacity={0.25} />
          <circle cx={3} cy={3} r={1.8} className={FILL[tone]} />
        </>
      )}
    </pattern>
  );
}

function Lines({ moments, series, max, x, stepMs }: Drawn) {
  return series.map(({ name, tone, values }, index) => {
    const runs = runsOf(moments, values);
    return (
      <g key={name} className={STROKE[tone]} fill="none" strokeWidth={2} strokeLinejoin="round" strokeLinecap="round">
        {runs.map((run) => {
          const points = run.map(([moment, value]) => [x(moment + stepMs / 2), yOf(value, max)] as const);
          const [first] = points;
          if (first === undefined) return null;
          return points.length === 1 ? (
            <circle key={first[0]} cx={first[0]} cy={first[1]} r={2} className={FILL[tone]} />
          ) : (
            <polyline
              key={first[0]}
              points={points.map((pair) => pair.map((one) => one.toFixed(1)).join(",")).join(" ")}
              strokeDasharray={DASHES[index]}
            />
          );
        })}
      </g>
    );
  });
}

/** Runs of known values; a line breaks where a value is null. */
function runsOf(moments: readonly number[], values: readonly (number | null)[]): [number, number][][] {
  const runs: [number, number][][] = [];
  let run: [number, number][] | null = null;
  for (const [at, moment] of moments.entries()) {
    const value = values[at] ?? null;
    if (value === null) run = null;
    else if (run === null) {
      run = [[moment, value]];
      runs.push(run);
    } else run.push([moment, value]);
  }
  return runs;
}

function Swatch({ series, index, kind }: { series: Series; index: number; kind: PlotProps["kind"] }) {
  const id = useId();
  return (
    <svg aria-hidden width={20} height={10} className="shrink-0">
      {kind === "bars" ? (
        <>
          <defs>
            <Pattern id={id} index={index} tone={series.tone} />
          </defs>
          <rect width={20} height={10} rx={2} fill={`url(#${id})`} />
        </>
      ) : (
        <line
          x1={1}
          x2={19}
          y1={5}
          y2={5}
          strokeWidth={2}
          strokeDasharray={DASHES[index]}
          className={STROKE[series.tone]}
        />
      )}
    </svg>
  );
}

/** `isRead`: a moment is being read out; a phone has room for either that or this table's label. */
function Table({ title, moments, series, formatValue, strings, until, from, isRead }: PlotProps & { isRead: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className={`w-fit cursor-pointer py-1 text-label text-quiet ${isRead ? "max-mid:opacity-0" : ""}`}>
        {strings.table}
      </summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
        <section aria-label={title} tabIndex={0} className="mt-1 max-h-60 overflow-auto">
          <table className="w-full border-collapse text-label">
            <thead>
              <tr>
                <th scope="col" className="border-b border-line py-1 pe-3 text-quiet">
                  {strings.moment}
                </th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" className="border-b border-line py-1 ps-3 text-end text-quiet">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {moments.map((_, back) => {
                const at = moments.length - 1 - back;
                const moment = moments[at] ?? 0;
                return (
                  <tr key={moment} className="border-b border-line last:border-b-0">
                    <th scope="row" className="py-1 pe-3 font-normal figures" title={exact(moment)}>
                      {clock(moment, until - from)}
                    </th>
                    {series.map(({ name, values }) => {
                      const value = values[at] ?? null;
                      return (
                        <td key={name} className="py-1 ps-3 text-end figures">
                          {value === null ? strings.none : formatValue(value)}
                        </td>
                      );
                    })}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}

function readOut({ moments, series, formatValue, strings, until, from }: PlotProps, at: number): string {
  const texts = series.map(({ name, values }) => {
    const value = values[at] ?? null;
    return `${name} ${value === null ? strings.none : formatValue(value)}`;
  });
  return `${clock(moments[at] ?? 0, until - from)}: ${texts.join(", ")}`;
}

/** The highest value drawn; stacked bars are summed. */
function maxOf({ kind, moments, series }: PlotProps): number {
  let max = 0;
  for (const at of moments.keys()) {
    const values = series.map(({ values: all }) => all[at] ?? 0);
    const here = kind === "bars" ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
    max = Math.max(max, here);
  }
  return max;
}

const DAY_MS = 24 * 3_600_000;

/** `14:03`; with the weekday if the range is a day or longer. */
function clock(ms: number, lengthMs: number): string {
  return new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    ...(lengthMs >= DAY_MS ? { weekday: "short" } : {}),
  }).format(ms);
}

function useWidth(frame: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(300);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const measure = () => setWidth(Math.max(80, Math.floor(current.clientWidth)));
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    measure();
    return () => observer.disconnect();
  }, [frame]);
  return width;
}
