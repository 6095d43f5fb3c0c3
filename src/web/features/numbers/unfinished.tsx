/** Leads back to the steps of numbers that were chosen, if someone left before all of them were done. */
import { ParameterLink } from "../../ui/address.tsx";
import { textLink } from "../../ui/button.tsx";
import { Notice } from "../../ui/states.tsx";
import { strings } from "./connect-strings.ts";
import type { SendingNumber } from "./number-view.ts";

export function Unfinished({ numbers }: { numbers: readonly SendingNumber[] }) {
  if (numbers.length === 0) return null;
  return (
    <div className="mb-4">
      <Notice tone="grey">
        {numbers.map(({ id, phone }) => (
          <p key={id}>
            {strings.unfinished(phone)}{" "}
            <ParameterLink
              screen="/w/$workspace/numbers/connect"
              change={{ number: String(id), via: "meta" }}
              className={textLink}
            >
              {strings.unfinishedContinue(phone)}
            </ParameterLink>
          </p>
        ))}
      </Notice>
    </div>
  );
}
