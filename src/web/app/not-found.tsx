/** Addresses that lead nowhere, and pages that broke. */
import { ButtonLink } from "../ui/button.tsx";
import { Empty, Failed } from "../ui/states.tsx";
import { words } from "./strings.ts";

export function NothingHere() {
  return (
    <div className="p-6">
      <title>{`${words.nothingTitle} · Waxwing`}</title>
      <Empty
        title={words.nothingTitle}
        action={
          <ButtonLink to={"/" as never} tone="primary">
            {words.goHome}
          </ButtonLink>
        }
      >
        {words.nothingText}
      </Empty>
    </div>
  );
}

export function Broken({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <div className="mx-auto max-w-2xl p-6">
      <h1 className="mb-4 text-section font-semibold">{words.brokenTitle}</h1>
      <Failed error={error} retry={reset} />
    </div>
  );
}
