/** A session that ended in the middle: the page stays as it is, with what was typed, and one signs in over it. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { whenSignedOut } from "../data/api.ts";
import { meQuery, signedInAs } from "../data/session.ts";
import { SignInForm } from "../features/sign-in/sign-in-form.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { words } from "./strings.ts";

export function SignInAgain({ email }: { email: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  useEffect(() => {
    whenSignedOut(() => setIsOpen(true));
    return () => whenSignedOut(() => undefined);
  }, []);
  const goOn = async () => {
    const before = client.getQueryData(meQuery.queryKey)?.user.id;
    const me = await client.fetchQuery({ ...meQuery, staleTime: 0 });
    setIsOpen(false);
    if (me.user.id === before) return void client.invalidateQueries();
    // Another person: nothing of the one before stays on the screen.
    await signedInAs(client);
    void navigate({ to: "/" } as never);
  };
  return (
    <Dialog title={words.signedOutTitle} isOpen={isOpen} onClose={() => setIsOpen(false)} isSticky>
      <p className="text-quiet">{words.signedOutText}</p>
      <SignInForm email={email} onSignedIn={goOn} />
    </Dialog>
  );
}
