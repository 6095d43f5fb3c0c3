/** The door. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Outside } from "../../app/signed-out-page.tsx";
import { signedInAs } from "../../data/session.ts";
import { SignInForm } from "./sign-in-form.tsx";
import { words } from "./strings.ts";

export function SignIn() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { to } = useSearch({ strict: false }) as { to?: string };
  const goOn = async () => {
    await signedInAs(client);
    // Only a place of this console: an address that somebody else made up leads nowhere else.
    const place = to?.startsWith("/") && !to.startsWith("//") ? to : "/";
    await navigate({ href: place.startsWith("/console") ? place : `/console${place}`, replace: true } as never);
  };
  return (
    <Outside title={words.title}>
      <SignInForm onSignedIn={goOn} />
      <details className="text-quiet">
        <summary className="cursor-pointer">{words.lost}</summary>
        <p className="mt-2">{words.noScreen}</p>
        <code className="mt-1 block rounded-control bg-sunken p-2 font-mono">{words.resetCommand}</code>
      </details>
    </Outside>
  );
}
