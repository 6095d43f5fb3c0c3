/** API keys: create (shown once), last use, revoke. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { type Entry, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock, Copyable } from "../../ui/copy.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { List } from "../../ui/list.tsx";
import { Section } from "../../ui/page.tsx";
import { Empty, Failed, Loading, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { commandContext, exampleTemplate, sendMessageCommand, showWorkspaceCommand } from "./printed-commands.ts";
import { strings } from "./strings.ts";

type Key = Entry<"GET /w/{workspace}/keys">;

export function Keys() {
  const { id, timezone } = useWorkspace();
  const client = useQueryClient();
  const [isCreating, setIsCreating] = useState(false);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const keys = useQuery({
    queryKey: ["keys", id],
    queryFn: ({ signal }) => request("GET /w/{workspace}/keys", { workspace: id }, { signal }),
  });
  const reload = () => client.invalidateQueries({ queryKey: ["keys", id] });
  const createButton = (
    <Button tone="primary" small onClick={() => setIsCreating(true)}>
      {strings.createKey}
    </Button>
  );
  const active = keys.data?.filter(({ revoked_at }) => revoked_at === null) ?? [];
  const revoked = keys.data?.filter(({ revoked_at }) => revoked_at !== null) ?? [];
  const table = (rows: Key[]) => (
    <List
      label={strings.keys}
      rows={rows}
      rowKey={(key) => key.id}
      columns={[
        { head: strings.name, phone: "who", cell: ({ name }) => <span className="font-semibold">{name}</span> },
        { head: strings.prefix, phone: "what", cell: ({ prefix }) => <code className="font-mono">{prefix}…</code> },
        {
          head: strings.state,
          phone: "state",
          cell: ({ revoked_at }) =>
            revoked_at === null ? (
              <Chip tone="green">{strings.active}</Chip>
            ) : (
              <Chip tone="red">{strings.revoked}</Chip>
            ),
        },
        {
          head: strings.lastUsed,
          phone: "time",
          cell: ({ last_used_at }) =>
            last_used_at === null ? strings.never : <Time at={last_used_at} zone={timezone} />,
        },
        { head: strings.created, phone: "hidden", cell: ({ created_at }) => <Time at={created_at} zone={timezone} /> },
      ]}
      actions={(key) =>
        key.revoked_at === null && (
          <Button small onClick={() => setRevoking(key)} aria-label={`${strings.revoke} ${key.name}`}>
            {strings.revoke}
          </Button>
        )
      }
    />
  );
  return (
    <Section title={strings.keys} lead={strings.keysLead} action={active.length > 0 && createButton}>
      {keys.isPending && <Loading />}
      {keys.isError && <Failed error={keys.error} retry={() => void keys.refetch()} />}
      {keys.isSuccess && active.length === 0 && (
        <div className="rounded-panel border border-line bg-surface">
          <Empty title={strings.keysEmpty} action={createButton}>
            {strings.keysEmptyText}
          </Empty>
        </div>
      )}
      {active.length > 0 && table(active)}
      {revoked.length > 0 && (
        <details className="mt-3">
          <summary className="cursor-pointer py-1 text-quiet">{strings.showRevoked(revoked.length)}</summary>
          <div className="mt-2">{table(revoked)}</div>
        </details>
      )}
      {isCreating && <CreateKey workspaceId={id} onClose={() => setIsCreating(false)} onCreated={reload} />}
      {revoking !== null && (
        <Confirm
          isOpen
          title={strings.revokeTitle(revoking.name)}
          action={strings.revokeAction}
          cancelLabel={strings.keepKey}
          onClose={() => setRevoking(null)}
          act={async (key) => {
            await request("POST /w/{workspace}/keys/{id}/revoke", { workspace: id, id: revoking.id }, { key });
            await reload();
            showToast(strings.keyRevoked);
          }}
        >
          <p>
            {revoking.last_used_at === null ? (
              strings.revokeNever
            ) : (
              <>
                {strings.revokeUsed}
                <Time at={revoking.last_used_at} zone={timezone} />.
              </>
            )}{" "}
            {strings.revokeText}
          </p>
        </Confirm>
      )}
    </Section>
  );
}

interface CreateKeyProps {
  workspaceId: number;
  onClose: () => void;
  onCreated: () => Promise<unknown>;
}

/** The key exists only in this dialog's state and disappears with it. */
function CreateKey({ workspaceId, onClose, onCreated }: CreateKeyProps) {
  const form = useForm({ defaultValues: { name: "" } });
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
          setCreated(await request("POST /w/{workspace}/keys", { workspace: workspaceId, body: values }, { key }));
          await onCreated();
        }}
      >
        <TextField form={form} name="name" label={strings.keyName} hint={strings.keyNameHint} autoComplete="off" />
      </Form>
    </Dialog>
  );
}

/** Sends a message if the workspace has a template; else shows the workspace. */
function CurlWithKey({ apiKey }: { apiKey: string }) {
  const workspace = useWorkspace();
  const home = useQuery({
    queryKey: ["home", workspace.id],
    queryFn: ({ signal }) => request("GET /w/{workspace}/home", { workspace: workspace.id }, { signal }),
  });
  const template = home.data?.template ?? null;
  const context = commandContext(location.origin, workspace, template ?? exampleTemplate("hello"), apiKey);
  return (
    <CodeBlock
      text={template === null ? showWorkspaceCommand(context) : sendMessageCommand(context)}
      label={strings.keyTry}
      copyLabel={strings.copyCurl}
    />
  );
}
