/** Sends a test alarm through each channel, and says which arrived. */
import { useRef, useState } from "react";
import { newFormKey, request } from "../../data/api.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { Failed } from "../../ui/states.tsx";
import { strings } from "./health-strings.ts";

type Tested = { channel: string; failure: string | null }[];

export function AlarmTest() {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [tested, setTested] = useState<Tested | null>(null);
  const key = useRef(newFormKey());
  const send = async () => {
    if (isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      setTested(await request("POST /system/alarms/test", {}, { key: key.current }));
      key.current = newFormKey();
    } catch (reason) {
      setError(reason);
    }
    setIsBusy(false);
  };
  return (
    <Section
      title={strings.alarms}
      lead={strings.alarmsLead}
      action={
        <Button small busy={isBusy} onClick={() => void send()}>
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
