/**
 * The second factor: switch on by scanning a QR code and entering a code (recovery codes are shown once), switch off.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { type Output, request } from "../../data/api.ts";
import { meQuery, useMe } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock, Copyable } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { QrCode } from "../../ui/qr-code.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./strings.ts";

type TotpSetup = Output<"POST /me/second-factor/begin">;

export function SecondFactor() {
  const { user } = useMe();
  const [open, setOpen] = useState<"on" | "off" | null>(null);
  return (
    <div className="flex flex-wrap items-center justify-between gap-4">
      <p className="max-w-[60ch]">
        {user.second_factor ? <Chip tone="green">On</Chip> : <Chip tone="grey">Off</Chip>}
        <span className="ms-2">{user.second_factor ? strings.factorOn(user.recovery_codes) : strings.factorOff}</span>
      </p>
      <Button small onClick={() => setOpen(user.second_factor ? "off" : "on")}>
        {user.second_factor ? strings.switchOff : strings.switchOn}
      </Button>
      {open === "on" && <SwitchOn onClose={() => setOpen(null)} />}
      {open === "off" && <SwitchOff onClose={() => setOpen(null)} />}
    </div>
  );
}

function SwitchOn({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [setup, setBegun] = useState<TotpSetup | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const password = useForm({ defaultValues: { password: "" } });
  const confirm = useForm({ defaultValues: { code: "" } });
  const finish = () => {
    void client.invalidateQueries({ queryKey: meQuery.queryKey });
    void client.invalidateQueries({ queryKey: ["sessions"] });
    onClose();
  };
  if (codes !== null) {
    return (
      <Dialog title={strings.codesTitle} isOpen onClose={finish} isSticky>
        <p>{strings.codesText}</p>
        <CodeBlock text={codes.join("\n")} label={strings.codesTitle} copyLabel={strings.codesCopy} />
        <Button tone="primary" className="self-start" onClick={finish}>
          {strings.codesStored}
        </Button>
      </Dialog>
    );
  }
  return (
    <Dialog title={strings.factorTitle} isOpen onClose={onClose}>
      {setup === null ? (
        <Form
          form={password}
          onSend={async (values) => setBegun(await request("POST /me/second-factor/begin", { body: values }))}
          submit={strings.factorContinue}
        >
          <TextField
            form={password}
            name="password"
            label={strings.current}
            type="password"
            autoComplete="current-password"
          />
        </Form>
      ) : (
        <>
          <p>{strings.factorScan}</p>
          <QrCode modules={setup.modules} label={strings.factorScan} />
          <Copyable text={setup.secret} label={strings.factorSecret} />
          <Form
            form={confirm}
            onSend={async (values, key) => {
              setCodes((await request("POST /me/second-factor/confirm", { body: values }, { key })).codes);
            }}
            submit={strings.factorConfirm}
          >
            <TextField
              form={confirm}
              name="code"
              label={strings.factorCode}
              autoComplete="one-time-code"
              inputMode="numeric"
            />
          </Form>
        </>
      )}
    </Dialog>
  );
}

function SwitchOff({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const form = useForm({ defaultValues: { password: "" } });
  return (
    <Dialog title={strings.offTitle} isOpen onClose={onClose}>
      <p className="text-quiet">{strings.offText}</p>
      <Form
        form={form}
        tone="danger"
        submit={strings.switchOff}
        beside={<Button onClick={onClose}>{strings.factorCancel}</Button>}
        onSend={async (values, key) => {
          await request("POST /me/second-factor/remove", { body: values }, { key });
          await client.invalidateQueries({ queryKey: meQuery.queryKey });
          showToast(strings.factorRemoved);
          onClose();
        }}
      >
        <TextField
          form={form}
          name="password"
          label={strings.current}
          type="password"
          autoComplete="current-password"
        />
      </Form>
    </Dialog>
  );
}
