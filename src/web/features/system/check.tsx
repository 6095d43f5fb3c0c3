/** Checks the database on demand, while the server runs, and reports what was checked. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { reading, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { strings } from "./health-strings.ts";
import { InvariantFindings, RunningJob } from "./job.tsx";
import { type Jobs, jobsPollMs } from "./system-view.ts";

export function DatabaseCheck() {
  const client = useQueryClient();
  const { press, isBusy, error } = usePress();
  const jobs = useQuery({
    ...reading("GET /system/check", {}, ["system", "check"]),
    refetchInterval: ({ state }) => jobsPollMs(state.data),
  });
  const start = async (key: string) => {
    await request("POST /system/check", {}, { key });
    await client.invalidateQueries({ queryKey: ["system", "check"] });
  };
  const { data } = jobs;
  return (
    <Section
      title={strings.whole}
      lead={strings.wholeLead}
      action={
        <Button
          small
          busy={isBusy}
          disabled={data === undefined || data.current !== null}
          onClick={() => void press(start)}
        >
          {strings.check}
        </Button>
      }
    >
      {error !== null && <Failed error={error} />}
      {jobs.isPending && <Loading />}
      {jobs.isError && <Failed error={jobs.error} retry={() => void jobs.refetch()} />}
      {data !== undefined && <RunningJob jobs={data} />}
      {data !== undefined && data.current?.kind !== "check" && (
        <Card>
          <Result check={data.check} />
        </Card>
      )}
    </Section>
  );
}

function Result({ check }: { check: Jobs["check"] }) {
  if (check === null) return <p className="text-quiet">{strings.neverChecked}</p>;
  const { at, error, checks, findings } = check;
  if (error !== null) return <p className="text-red">{strings.failed(error)}</p>;
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Chip tone={findings.length === 0 ? "green" : "red"}>
          {findings.length === 0 ? strings.levels.ok : strings.levels.problem}
        </Chip>
        {findings.length === 0 ? strings.sound(checks) : strings.broken(findings.length)}
        <span className="text-quiet">
          <Time at={at} />
        </span>
      </p>
      {findings.length > 0 && <InvariantFindings findings={findings} />}
    </div>
  );
}
