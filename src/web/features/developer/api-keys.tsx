/** Keys: made and shown once, last used, revoked. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { get, send } from "../../data/api.ts";
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
import { sayDone } from "../../ui/toast.tsx";
import {
  type CommandTemplate,
  commandContext,
  exampleTemplate,
  sendMessageCommand,
  showWorkspaceCommand,
} from "./printed-commands.ts";
import { words } from "./strings.ts";

interface Key {
  id: number;
  name: string;
  prefix: string;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
}

export function Keys() {
  const { id, timezone } = useWorkspace();
  const client = useQueryClient();
  const [isMaking, setIsMaking] = useState(false);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const keys = useQuery({ queryKey: ["keys", id], queryFn: ({ signal }) => get<Key[]>(`/w/${id}/keys`, signal) });
  const reload = () => client.invalidateQueries({ queryKey: ["keys", id] });
  const make = (
    <Button tone="primary" small onClick={() => setIsMaking(true)}>
      {words.makeKey}
    </Button>
  );
  const active = keys.data?.filter(({ revoked_at }) => revoked_at === null) ?? [];
  const revoked = keys.data?.filter(({ revoked_at }) => revoked_at !== null) ?? [];
  const table = (rows: Key[]) => (
    <List
      label={words.keys}
      rows={rows}
      rowKey={(key) => key.id}
      columns={[
        { head: words.name, phone: "who", cell: ({ name }) => <span className="font-semibold">{name}</span> },
        { head: words.prefix, phone: "what", cell: ({ prefix }) => <code className="font-mono">{prefix}…</code> },
        {
          head: words.state,
          phone: "state",
          cell: ({ revoked_at }) =>
            revoked_at === null ? <Chip tone="green">{words.active}</Chip> : <Chip tone="red">{words.revoked}</Chip>,
        },
        {
          head: words.lastUsed,
          phone: "time",
          cell: ({ last_used_at }) =>
            last_used_at === null ? words.never : <Time at={last_used_at} zone={timezone} />,
        },
        { head: words.made, phone: "hidden", cell: ({ created_at }) => <Time at={created_at} zone={timezone} /> },
      ]}
      actions={(key) =>
        key.revoked_at === null && (
          <Button small onClick={() => setRevoking(key)} aria-label={`${words.revoke} ${key.name}`}>
            {words.revoke}
          </Button>
        )
      }
    />
  );
  return (
    <Section title={words.keys} lead={words.keysLead} action={active.length > 0 && make}>
      {keys.isPending && <Loading />}
      {keys.isError && <Failed error={keys.error} retry={() => void keys.refetch()} />}
      {keys.isSuccess && active.length === 0 && (
        <div className="rounded-panel border border-line bg-surface">
          <Empty title={words.keysEmpty} action={make}>
            {words.keysEmptyText}
          </Empty>
        </div>
      )}
      {active.length > 0 && table(active)}
      {revoked.length > 0 && (
        <details className="mt-3">
          <summary className="cursor-pointer py-1 text-quiet">{words.showRevoked(revoked.length)}</summary>
          <div className="mt-2">{table(revoked)}</div>
        </details>
      )}
      {isMaking && <MakeKey workspaceId={id} onClose={() => setIsMaking(false)} onMade={reload} />}
      {revoking !== null && (
        <Confirm
          isOpen
          title={words.revokeTitle(revoking.name)}
          action={words.revokeAction}
          keep={words.keepKey}
          onClose={() => setRevoking(null)}
          act={async (key) => {
            await send("POST", `/w/${id}/keys/${revoking.id}/revoke`, {}, key);
            await reload();
            sayDone(words.keyRevoked);
          }}
        >
          <p>
            {revoking.last_used_at === null ? (
              words.revokeNever
            ) : (
              <>
                {words.revokeUsed}
                <Time at={revoking.last_used_at} zone={timezone} />.
              </>
            )}{" "}
            {words.revokeText}
          </p>
        </Confirm>
      )}
    </Section>
  );
}

interface MakeKeyProps {
  workspaceId: number;
  onClose: () => void;
  onMade: () => Promise<unknown>;
}

/** The key lives in this dialog's state and nowhere else: it is gone with it. */
function MakeKey({ workspaceId, onClose, onMade }: MakeKeyProps) {
  const form = useForm({ defaultValues: { name: "" } });
  const [made, setMade] = useState<{ key: string | null } | null>(null);
  if (made !== null) {
    return (
      <Dialog title={words.keyMade} isOpen isSticky onClose={onClose}>
        {made.key === null ? (
          <Notice>{words.keyRepeated}</Notice>
        ) : (
          <>
            <p>{words.keyMadeText}</p>
            <Copyable text={made.key} label={words.copyKey} />
            <h3 className="font-semibold">{words.keyTry}</h3>
            <CurlWithKey apiKey={made.key} />
          </>
        )}
        <Button tone="primary" className="self-start" onClick={onClose}>
          {words.keyStored}
        </Button>
      </Dialog>
    );
  }
  return (
    <Dialog title={words.makeKeyTitle} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={words.makeKey}
        onSend={async (values, key) => {
          setMade(await send<{ key: string | null }>("POST", `/w/${workspaceId}/keys`, values, key));
          await onMade();
        }}
      >
        <TextField form={form} name="name" label={words.keyName} hint={words.keyNameHint} autoComplete="off" />
      </Form>
    </Dialog>
  );
}

/** A message where there is a template, a look at the workspace where there is none. */
function CurlWithKey({ apiKey }: { apiKey: string }) {
  const workspace = useWorkspace();
  const home = useQuery({
    queryKey: ["home", workspace.id],
    queryFn: ({ signal }) => get<{ template: CommandTemplate | null }>(`/w/${workspace.id}/home`, signal),
  });
  const template = home.data?.template ?? null;
  const context = commandContext(location.origin, workspace, template ?? exampleTemplate("hello"), apiKey);
  return (
    <CodeBlock
      text={template === null ? showWorkspaceCommand(context) : sendMessageCommand(context)}
      label={words.keyTry}
      copyLabel={words.copyCurl}
    />
  );
}
