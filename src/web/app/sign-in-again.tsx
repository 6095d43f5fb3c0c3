/** Signs the user in again when the session ends: a dialog over the page, which keeps what was typed. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { setSignedOutListener } from "../data/api.ts";
import { meQuery, resetForNewUser } from "../data/session.ts";
import { SignInForm } from "../features/sign-in/sign-in-form.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { strings } from "./strings.ts";

export function SignInAgain({ email }: { email: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  useEffect(() => {
    setSignedOutListener(() => setIsOpen(true));
    return () => setSignedOutListener(() => undefined);
  }, []);
  const handleSignedIn = async () => {
    const before = client.getQueryData(meQuery.queryKey)?.user.id;
    const me = await client.fetchQuery({ ...meQuery, staleTime: 0 });
    setIsOpen(false);
    if (me.user.id === before) return void client.invalidateQueries();
    // Another user signed in: drop all cached data.
    await resetForNewUser(client);
    void navigate({ to: "/" });
  };
  return (
    <Dialog title={strings.signedOutTitle} isOpen={isOpen} onClose={() => setIsOpen(false)} isSticky>
      <p className="text-quiet">{strings.signedOutText}</p>
      <SignInForm email={email} onSignedIn={handleSignedIn} />
    </Dialog>
  );
}
