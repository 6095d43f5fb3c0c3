/** Invites a user. The server sends the link by e-mail, or shows it once, and the inviter passes it on. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Path, type UseFormReturn, useForm } from "react-hook-form";
import { invitationText } from "#src/domain/users/invitation-text.ts";
import { type Role, roles } from "#src/domain/users/roles.ts";
import { type Output, reading, request } from "../../data/api.ts";
import { useMe } from "../../data/session.ts";
import { Button, textLink } from "../../ui/button.tsx";
import { CodeBlock, Copyable } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckboxesField, SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/states.tsx";
import { ExactTime, exact } from "../../ui/time.tsx";
import { strings } from "./strings.ts";
import type { Member } from "./user-view.ts";

type Invitation = Output<"POST /w/{workspace}/people">;

/** The answer to a request for a link. `token` is null if the form was repeated, or if no link is needed. */
export type CreatedLink = Pick<Invitation, "email" | "token" | "expires_at"> &
  /** For an invitation: the account that the address already has. */
  Partial<Pick<Invitation, "account" | "is_mailed"> & Pick<Output<"POST /users/{id}/reset-password">, "kind">> & {
    /** Of an invitation to a workspace: what its text names. */
    place?: { workspace: string; role: Role };
  };

interface InviteForm {
  email: string;
  role: Role;
  workspace: string;
  numbers: string[];
  way: "link" | "mail";
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
  const { sends_email: sendsEmail } = useMe();
  const form = useForm<InviteForm>({
    defaultValues: {
      email: email ?? "",
      role: choices.includes("member") ? "member" : (choices[0] ?? "member"),
      // With several workspaces none is preselected: a slip would grant access to the wrong one.
      workspace: workspaces.length === 1 ? String(workspaces[0]?.id) : "",
      numbers: [],
      way: "link",
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
        onSend={async ({ workspace, numbers, way, ...values }, key) => {
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
                    body: {
                      ...{ email: values.email, role: values.role, ...chosenNumbers(values.role, numbers) },
                      ...(way === "mail" ? { by_mail: true } : {}),
                    },
                  },
                  { key },
                );
          await onCreated();
          const name = workspaces.find(({ id }) => String(id) === workspace)?.name;
          setCreated({
            ...answered,
            ...(values.role === "operator" || name === undefined
              ? {}
              : { place: { workspace: name, role: values.role } }),
          });
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
        {sendsEmail && role !== "operator" && (
          <SelectField
            form={form}
            name="way"
            label={strings.way}
            hint={strings.wayHint}
            choices={[
              { value: "link", label: strings.wayLink },
              { value: "mail", label: strings.wayMail },
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

interface NumbersForm {
  numbers: string[];
}

/** Changes the numbers whose conversations an agent sees. */
export function AgentNumbers({ workspaceId, member, onClose, onChanged }: AgentNumbersProps) {
  const { email, role, numbers } = member;
  const form = useForm<NumbersForm>({ defaultValues: { numbers: numbers?.map(String) ?? [] } });
  return (
    <Dialog title={strings.numbersTitle(email)} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={strings.numbersAction}
        onSend={async ({ numbers: chosen }, key) => {
          const body = { email, role, ...chosenNumbers(role, chosen) };
          await onChanged(await request("POST /w/{workspace}/people", { workspace: workspaceId, body }, { key }));
          onClose();
        }}
      >
        <Numbers form={form} id={String(workspaceId)} />
      </Form>
    </Dialog>
  );
}

interface AgentNumbersProps {
  workspaceId: number;
  member: Member;
  onClose: () => void;
  onChanged: (answer: Invitation) => Promise<unknown>;
}

/** The choice of numbers, where there are several. */
function Numbers<V extends NumbersForm>({ form, id }: { form: UseFormReturn<V>; id: string }) {
  const numbers = useQuery(reading("GET /w/{workspace}/numbers", { workspace: id }, ["numbers", Number(id)]));
  const choices = (numbers.data ?? []).map(({ id: number, phone, name }) => ({
    value: String(number),
    label: phone,
    hint: name,
  }));
  if (choices.length < 2) return null;
  return (
    <CheckboxesField
      form={form}
      name={"numbers" as Path<V>}
      label={strings.numbers}
      hint={strings.numbersHint}
      choices={choices}
    />
  );
}

/** The link exists only in this dialog. */
export function InviteLink({ created, onClose }: { created: CreatedLink; onClose: () => void }) {
  const { email, token, expires_at, kind = "join", account = null, is_mailed: isMailed = false, place } = created;
  const link = token === null ? null : `${location.origin}/console/${kind}#${token}`;
  const text =
    link === null || expires_at === null || place === undefined
      ? null
      : invitationText({
          ...{ workspace: place.workspace, role: roles[place.role].label, link },
          expires: exact(Date.parse(expires_at)),
        });
  return (
    <Dialog title={strings.linkTitle} isOpen isSticky onClose={onClose}>
      {account !== null && (
        <Notice tone="amber">{strings.account(email, exact(Date.parse(account.since)), account.is_in_use)}</Notice>
      )}
      {link !== null && (
        <>
          <p>{account === null ? strings.linkText(email) : strings.linkToAccountText(email)}</p>
          <Copyable text={link} label={strings.copyLink} />
          {text !== null && (
            <>
              <p>{strings.orText}</p>
              <CodeBlock text={text} label={strings.invitationText} copyLabel={strings.copyText} isWrapped />
              <p>
                <a
                  className={textLink}
                  href={`https://wa.me/?text=${encodeURIComponent(text)}`}
                  target="_blank"
                  rel="noreferrer"
                >
                  {strings.byWhatsapp}
                </a>
                <span className="block text-label text-quiet">{strings.byWhatsappHint}</span>
              </p>
            </>
          )}
          {expires_at !== null && (
            <p className="text-quiet">
              {strings.linkEnds} <ExactTime at={expires_at} />.
            </p>
          )}
        </>
      )}
      {token === null && (
        <Notice tone={expires_at === null || isMailed ? "green" : "amber"}>
          {isMailed ? strings.mailed(email) : expires_at === null ? strings.known(email) : strings.linkRepeated}
        </Notice>
      )}
      <Button tone="primary" className="self-start" onClick={onClose}>
        {token === null ? strings.close : strings.linkDone}
      </Button>
    </Dialog>
  );
}
