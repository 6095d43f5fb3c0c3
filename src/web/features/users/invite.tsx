/** Invites a user and shows the link once. The server sends no e-mail, so the inviter passes the link on. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import { type Role, roles } from "#src/domain/users/roles.ts";
import { type Output, request } from "../../data/api.ts";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckboxesField, SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/states.tsx";
import { ExactTime, exact } from "../../ui/time.tsx";
import { strings } from "./strings.ts";

type Invitation = Output<"POST /w/{workspace}/people">;

/** The answer to a request for a link. `token` is null if the form was repeated, or if no link is needed. */
export type CreatedLink = Pick<Invitation, "email" | "token" | "expires_at"> &
  /** For an invitation: the account that the address already has. */
  Partial<Pick<Invitation, "account"> & Pick<Output<"POST /users/{id}/reset-password">, "kind">>;

interface InviteForm {
  email: string;
  role: Role;
  workspace: string;
  numbers: string[];
}

interface InviteProps {
  /** Workspaces to choose from; a single one is preselected. */
  workspaces: readonly { id: number; name: string }[];
  /** To choose from. */
  choices: readonly Role[];
  /** The address, if it is known: an existing user gets another workspace. */
  email?: string;
  onClose: () => void;
  onCreated: () => Promise<unknown>;
}

export function Invite({ workspaces, choices, email, onClose, onCreated }: InviteProps) {
  const [created, setCreated] = useState<CreatedLink | null>(null);
  const form = useForm<InviteForm>({
    defaultValues: {
      email: email ?? "",
      role: choices.includes("member") ? "member" : (choices[0] ?? "member"),
      // With several workspaces none is preselected: a slip would grant access to the wrong one.
      workspace: workspaces.length === 1 ? String(workspaces[0]?.id) : "",
      numbers: [],
    },
  });
  const role = form.watch("role");
  const workspaceId = form.watch("workspace");
  if (created !== null) return <InviteLink created={created} onClose={onClose} />;
  return (
    <Dialog title={email === undefined ? strings.inviteTitle : strings.addRole} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={email === undefined ? strings.inviteAction : strings.addAction}
        onSend={async ({ workspace, numbers, ...values }, key) => {
          if (values.role !== "operator" && workspace === "") {
            form.setError("workspace", { message: strings.chooseWorkspace });
            return;
          }
          const answered =
            values.role === "operator"
              ? await request("POST /users", { body: { email: values.email } }, { key })
              : await request(
                  "POST /w/{workspace}/people",
                  {
                    workspace,
                    body: { email: values.email, role: values.role, ...chosenNumbers(values.role, numbers) },
                  },
                  { key },
                );
          await onCreated();
          setCreated(answered);
        }}
      >
        <TextField
          form={form}
          name="email"
          label={strings.email}
          type="email"
          autoComplete="off"
          readOnly={email !== undefined}
        />
        <SelectField
          form={form}
          name="role"
          label={strings.role}
          hint={roles[role].description}
          choices={choices.map((one) => ({ value: one, label: roles[one].label }))}
        />
        {role !== "operator" && workspaces.length > 1 && (
          <SelectField
            form={form}
            name="workspace"
            label={strings.workspace}
            choices={[
              { value: "", label: strings.choose },
              ...workspaces.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
          />
        )}
        {roles[role].hasNumbers && workspaceId !== "" && <Numbers key={workspaceId} form={form} id={workspaceId} />}
      </Form>
    </Dialog>
  );
}

function chosenNumbers(role: Role, numbers: readonly string[]) {
  if (!roles[role].hasNumbers) return {};
  return { numbers: numbers.length === 0 ? null : numbers.map(Number) };
}

/** The choice of numbers, where there are several. */
function Numbers({ form, id }: { form: UseFormReturn<InviteForm>; id: string }) {
  const numbers = useQuery({
    queryKey: ["numbers", Number(id)],
    queryFn: ({ signal }) => request("GET /w/{workspace}/numbers", { workspace: id }, { signal }),
  });
  const choices = (numbers.data ?? []).map(({ id: number, phone, name }) => ({
    value: String(number),
    label: phone,
    hint: name,
  }));
  if (choices.length < 2) return null;
  return (
    <CheckboxesField form={form} name="numbers" label={strings.numbers} hint={strings.numbersHint} choices={choices} />
  );
}

/** The link exists only in this dialog. */
export function InviteLink({ created, onClose }: { created: CreatedLink; onClose: () => void }) {
  const { email, token, expires_at, kind = "join", account = null } = created;
  return (
    <Dialog title={strings.linkTitle} isOpen isSticky onClose={onClose}>
      {account !== null && (
        <Notice tone="amber">{strings.account(email, exact(Date.parse(account.since)), account.is_in_use)}</Notice>
      )}
      {token !== null && (
        <>
          <p>{account === null ? strings.linkText(email) : strings.linkToAccountText(email)}</p>
          <Copyable text={`${location.origin}/console/${kind}#${token}`} label={strings.copyLink} />
          {expires_at !== null && (
            <p className="text-quiet">
              {strings.linkEnds} <ExactTime at={expires_at} />.
            </p>
          )}
        </>
      )}
      {token === null && (
        <Notice tone={expires_at === null ? "green" : "amber"}>
          {expires_at === null ? strings.known(email) : strings.linkRepeated}
        </Notice>
      )}
      <Button tone="primary" className="self-start" onClick={onClose}>
        {token === null ? strings.close : strings.linkDone}
      </Button>
    </Dialog>
  );
}
