/** Sends a test alarm through each channel, and says which arrived. */
import { useState } from "react";
import { request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { Failed } from "../../ui/states.tsx";
import { strings } from "./health-strings.ts";

type Tested = { channel: string; failure: string | null }[];

export function AlarmTest() {
  const { press, isBusy, error } = usePress();
  const [tested, setTested] = useState<Tested | null>(null);
  const send = async (key: string) => setTested(await request("POST /system/alarms/test", {}, { key }));
  return (
    <Section
      title={strings.alarms}
      lead={strings.alarmsLead}
      action={
        <Button small busy={isBusy} onClick={() => void press(send)}>
          {strings.sendTest}
        </Button>
      }
    >
      {error !== null && <Failed error={error} />}
      {tested !== null && (
        <Card>
          {tested.length === 0 && <p>{strings.noChannel}</p>}
          {tested.map(({ channel, failure }) => (
            <p key={channel} className={failure === null ? "" : "text-red"}>
              {failure === null ? strings.arrived(channel) : strings.notArrived(channel, failure)}
            </p>
          ))}
        </Card>
      )}
    </Section>
  );
}
