/** Pages for unknown addresses and for screens that crashed. */
import { ButtonLink } from "../ui/button.tsx";
import { Empty, Failed } from "../ui/states.tsx";
import { strings } from "./strings.ts";

export function NotFound() {
  return (
    <div className="p-6">
      <title>{`${strings.notFoundTitle} · Waxwing`}</title>
      <Empty
        isPage
        title={strings.notFoundTitle}
        action={
          <ButtonLink to="/" tone="primary">
            {strings.goHome}
          </ButtonLink>
        }
      >
        {strings.notFoundText}
      </Empty>
    </div>
  );
}

export function ErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <div className="mx-auto max-w-2xl p-6">
      <h1 className="mb-4 text-section font-semibold">{strings.errorTitle}</h1>
      <Failed error={error} retry={reset} />
    </div>
  );
}
