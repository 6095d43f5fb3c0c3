/**
 * Asks for the password or a code again before a sensitive act, in a dialog over the page. The request that the server
 * refused is repeated afterwards, so nothing that was typed is lost.
 */
import { useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { request, setConfirmation } from "../data/api.ts";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { strings } from "./strings.ts";

export function ConfirmAgain({ hasSecondFactor }: { hasSecondFactor: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  /** Requests that wait for the answer. Several may be refused at once. */
  const waiting = useRef<((isConfirmed: boolean) => void)[]>([]);
  useEffect(() => {
    setConfirmation(
      () =>
        new Promise((resolve) => {
          waiting.current.push(resolve);
          setIsOpen(true);
        }),
    );
    return () => setConfirmation(() => Promise.resolve(false));
  }, []);
  const close = (isConfirmed: boolean) => {
    setIsOpen(false);
    for (const resolve of waiting.current.splice(0)) resolve(isConfirmed);
  };
  return (
    <Dialog title={strings.confirmTitle} isOpen={isOpen} onClose={() => close(false)}>
      <p className="text-quiet">{strings.confirmText}</p>
      <ConfirmForm hasSecondFactor={hasSecondFactor} onConfirmed={() => close(true)} />
    </Dialog>
  );
}

function ConfirmForm({ hasSecondFactor, onConfirmed }: { hasSecondFactor: boolean; onConfirmed: () => void }) {
  const form = useForm({ defaultValues: { password: "", code: "" } });
  const confirm = async ({ password, code }: { password: string; code: string }) => {
    await request("POST /me/confirmation", { body: code === "" ? { password } : { code } });
    onConfirmed();
  };
  return (
    <Form form={form} onSend={confirm} submit={strings.confirmAction}>
      <TextField
        form={form}
        name="password"
        label={strings.confirmPassword}
        type="password"
        autoComplete="current-password"
        autoFocus
      />
      {hasSecondFactor && (
        <TextField
          form={form}
          name="code"
          label={strings.confirmCode}
          hint={strings.confirmCodeHint}
          autoComplete="one-time-code"
        />
      )}
    </Form>
  );
}
