/** The sign-in page. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { SignedOutPage } from "../../app/signed-out-page.tsx";
import { resetForNewUser } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { LostPassword } from "./lost-password.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { strings } from "./strings.ts";

export function Screen() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { to } = useParameters("/sign-in");
  const handleSignedIn = async () => {
    await resetForNewUser(client);
    // Accept only paths of this console, so that a crafted link cannot redirect to another site.
    const returnPath = to?.startsWith("/") && !to.startsWith("//") ? to : "/";
    await navigate({
      href: returnPath.startsWith("/console") ? returnPath : `/console${returnPath}`,
      replace: true,
    });
  };
  return (
    <SignedOutPage title={strings.title}>
      <SignInForm onSignedIn={handleSignedIn} />
      <LostPassword />
    </SignedOutPage>
  );
}
