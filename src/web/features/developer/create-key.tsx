/** Creates an API key: what it may do, until when, and for how many people a day. It is shown once. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { defaultScopes, scopeRows, scopes } from "#src/domain/workspaces/scopes.ts";
import { reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock, Copyable } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckboxesField, SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/states.tsx";
import { useAllGroups } from "../groups/all-groups.ts";
import { OwnNumberCommand } from "./own-number-command.tsx";
import { commandContext, exampleTemplate, sendMessageCommand, showWorkspaceCommand } from "./printed-commands.ts";
import { strings } from "./strings.ts";

interface CreateKeyProps {
  workspaceId: number;
  onClose: () => void;
  onCreated: () => Promise<unknown>;
}

interface KeyForm {
  name: string;
  scopes: string[];
  expires: string;
  daily_people: string;
  money: string;
  group: string;
  marks: string[];
}

/** Other fields that are left empty do not limit the key. The server says what is wrong. */
function bodyOf({ name, scopes, expires, daily_people, money, group, marks }: KeyForm) {
  const people = daily_people.trim();
  return {
    name,
    scopes,
    ...(expires.trim() === "" ? {} : { expires: expires.trim() }),
    ...(people === "" ? {} : { daily_people: Number(people) || 0 }),
    ...(money.trim() === "" ? {} : { money: money.trim() }),
    ...(group === "" ? {} : { group: Number(group) }),
    is_automation: marks.includes("automation"),
    is_ai: marks.includes("ai"),
  };
}

/** The key exists only in this dialog's state and disappears with it. */
export function CreateKey({ workspaceId, onClose, onCreated }: CreateKeyProps) {
  const form = useForm<KeyForm>({
    defaultValues: {
      name: "",
      scopes: [...defaultScopes],
      expires: "",
      daily_people: "",
      money: "",
      group: "",
      marks: [],
    },
  });
  const groups = useAllGroups(workspaceId).data ?? [];
  const [created, setCreated] = useState<{ key: string | null } | null>(null);
  if (created !== null) {
    return (
      <Dialog title={strings.keyCreated} isOpen isSticky onClose={onClose}>
        {created.key === null ? (
          <Notice>{strings.keyRepeated}</Notice>
        ) : (
          <>
            <p>{strings.keyCreatedText}</p>
            <Copyable text={created.key} label={strings.copyKey} />
            <h3 className="font-semibold">{strings.keyTry}</h3>
            <CurlWithKey apiKey={created.key} />
          </>
        )}
        <Button tone="primary" className="self-start" onClick={onClose}>
          {strings.keyStored}
        </Button>
      </Dialog>
    );
  }
  return (
    <Dialog title={strings.createKeyTitle} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={strings.createKey}
        onSend={async (values, key) => {
          const body = bodyOf(values);
          setCreated(await request("POST /w/{workspace}/keys", { workspace: workspaceId, body }, { key }));
          await onCreated();
        }}
      >
        <TextField form={form} name="name" label={strings.keyName} hint={strings.keyNameHint} autoComplete="off" />
        <CheckboxesField
          form={form}
          name="scopes"
          label={strings.mayDo}
          choices={scopes.map((scope) => ({
            value: scope,
            label: scopeRows[scope].label,
            hint: scopeRows[scope].description,
          }))}
        />
        <TextField
          form={form}
          name="expires"
          label={strings.expires}
          hint={strings.expiresHint}
          placeholder={strings.never}
          autoComplete="off"
        />
        <TextField
          form={form}
          name="daily_people"
          label={strings.dailyPeople}
          hint={strings.dailyPeopleHint}
          placeholder={strings.noLimit}
          inputMode="numeric"
          autoComplete="off"
        />
        <TextField
          form={form}
          name="money"
          label={strings.dailyMoney}
          hint={strings.dailyMoneyHint}
          placeholder={strings.noLimit}
          inputMode="decimal"
          autoComplete="off"
        />
        {groups.length > 0 && (
          <SelectField
            form={form}
            name="group"
            label={strings.group}
            hint={strings.groupHint}
            choices={[
              { value: "", label: strings.anybody },
              ...groups.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
          />
        )}
        <CheckboxesField
          form={form}
          name="marks"
          label={strings.usedBy}
          choices={[
            { value: "automation", label: strings.automation, hint: strings.automationHint },
            { value: "ai", label: strings.ai, hint: strings.aiHint },
          ]}
        />
      </Form>
    </Dialog>
  );
}

/** Sends a message if the workspace has a template; else shows the workspace. */
function CurlWithKey({ apiKey }: { apiKey: string }) {
  const workspace = useWorkspace();
  const home = useQuery(reading("GET /w/{workspace}/home", { workspace: workspace.id }, ["home", workspace.id]));
  const template = home.data?.template ?? null;
  const context = commandContext(location.origin, workspace, template ?? exampleTemplate("hello"), apiKey);
  if (template === null)
    return <CodeBlock text={showWorkspaceCommand(context)} label={strings.keyTry} copyLabel={strings.copyCurl} />;
  return <OwnNumberCommand make={(own) => sendMessageCommand(context, own)} label={strings.keyTry} />;
}
