/** Somebody is invited, and the link is shown once: the server sends no mail, so whoever invites sends it. */
import { useState } from "react";
import { useForm } from "react-hook-form";
import { send } from "../../data/api.ts";
import type { Role } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/states.tsx";
import { ExactTime, exact } from "../../ui/time.tsx";
import { words } from "./strings.ts";
import type { Account } from "./user-view.ts";

/** The answer to a new link. The token is null where the form came twice, or where none is needed. */
export interface Made {
  email: string;
  token: string | null;
  expires_at: string | null;
  kind?: "join" | "reset";
  /** Of an invitation: the account that the address has already. */
  account?: Account | null;
}

interface InviteProps {
  /** Where they may be invited to; with one there is nothing to choose. */
  workspaces: readonly { id: number; name: string }[];
  roles: readonly Role[];
  /** Known already: another workspace for somebody. */
  email?: string;
  onClose: () => void;
  onMade: () => Promise<unknown>;
}

export function Invite({ workspaces, roles, email, onClose, onMade }: InviteProps) {
  const [made, setMade] = useState<Made | null>(null);
  const form = useForm({
    defaultValues: {
      email: email ?? "",
      role: roles.includes("member") ? "member" : (roles[0] ?? "member"),
      // Of several none is chosen for them: a slip would open the wrong one.
      workspace: workspaces.length === 1 ? String(workspaces[0]?.id) : "",
    },
  });
  const role = form.watch("role") as Role;
  if (made !== null) return <LinkShown made={made} onClose={onClose} />;
  return (
    <Dialog title={email === undefined ? words.inviteTitle : words.addRole} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={email === undefined ? words.inviteAction : words.addAction}
        onSend={async ({ workspace, ...values }, key) => {
          if (values.role !== "operator" && workspace === "") {
            form.setError("workspace", { message: words.chooseWorkspace });
            return;
          }
          const answered =
            values.role === "operator"
              ? await send<Made>("POST", "/users", { email: values.email }, key)
              : await send<Made>("POST", `/w/${workspace}/people`, values, key);
          await onMade();
          setMade(answered);
        }}
      >
        <TextField
          form={form}
          name="email"
          label={words.email}
          type="email"
          autoComplete="off"
          readOnly={email !== undefined}
        />
        <SelectField
          form={form}
          name="role"
          label={words.role}
          hint={words.roleText[role]}
          choices={roles.map((one) => ({ value: one, label: words.roles[one] }))}
        />
        {role !== "operator" && workspaces.length > 1 && (
          <SelectField
            form={form}
            name="workspace"
            label={words.workspace}
            choices={[
              { value: "", label: words.choose },
              ...workspaces.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
          />
        )}
      </Form>
    </Dialog>
  );
}

/** It lives in this dialog and nowhere else. */
export function LinkShown({ made, onClose }: { made: Made; onClose: () => void }) {
  const { email, token, expires_at, kind = "join", account = null } = made;
  return (
    <Dialog title={words.linkTitle} isOpen isSticky onClose={onClose}>
      {account !== null && (
        <Notice tone="amber">{words.account(email, exact(Date.parse(account.since)), account.first_invited_by)}</Notice>
      )}
      {token !== null && (
        <>
          <p>{account === null ? words.linkText(email) : words.linkToAccountText(email)}</p>
          <Copyable text={`${location.origin}/console/${kind}#${token}`} label={words.copyLink} />
          {expires_at !== null && (
            <p className="text-quiet">
              {words.linkEnds} <ExactTime at={expires_at} />.
            </p>
          )}
        </>
      )}
      {token === null && (
        <Notice tone={expires_at === null ? "green" : "amber"}>
          {expires_at === null ? words.known(email) : words.linkRepeated}
        </Notice>
      )}
      <Button tone="primary" className="self-start" onClick={onClose}>
        {token === null ? words.close : words.linkDone}
      </Button>
    </Dialog>
  );
}
