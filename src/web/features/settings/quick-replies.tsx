/** Quick replies of the workspace: list, write, change, delete. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { replyFields } from "#src/domain/inbound/quick-reply.ts";
import { type Entry, reading, request, uploadForm } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { AreaField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded, sentenceOf } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./quick-reply-strings.ts";

type QuickReply = Entry<"GET /w/{workspace}/quick-replies">;
/** A file that the server has. */
type Upload = Pick<NonNullable<QuickReply["upload"]>, "id" | "filename" | "mime_type">;

export function Screen() {
  const { id } = useWorkspace();
  const client = useQueryClient();
  /** `new`: one that is being written for the first time. */
  const [editing, setEditing] = useState<QuickReply | "new" | null>(null);
  const [removing, setRemoving] = useState<QuickReply | null>(null);
  const replies = useQuery(reading("GET /w/{workspace}/quick-replies", { workspace: id }, ["quick-replies", id]));
  const reload = () => client.invalidateQueries({ queryKey: ["quick-replies", id] });
  const add = (
    <Button tone="primary" onClick={() => setEditing("new")}>
      {strings.add}
    </Button>
  );
  return (
    <Page title={strings.title} lead={strings.lead} action={add}>
      <Loaded query={replies}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={strings.empty}>{strings.emptyText}</Empty>
          ) : (
            <List
              label={strings.title}
              rows={rows}
              rowKey={(row) => row.id}
              columns={[
                { head: strings.name, phone: "who", cell: ({ name }) => <span className="font-semibold">{name}</span> },
                {
                  head: strings.text,
                  phone: "what",
                  cell: ({ text }) => (
                    <span dir="auto" className="line-clamp-2 wrap-anywhere">
                      {text}
                    </span>
                  ),
                },
                { head: strings.file, phone: "state", cell: ({ upload }) => (upload === null ? "" : nameOf(upload)) },
              ]}
              actions={(reply) => (
                <span className="flex gap-2">
                  <Button small aria-label={`${strings.edit} ${reply.name}`} onClick={() => setEditing(reply)}>
                    {strings.edit}
                  </Button>
                  <Button small aria-label={`${strings.remove} ${reply.name}`} onClick={() => setRemoving(reply)}>
                    {strings.remove}
                  </Button>
                </span>
              )}
            />
          )
        }
      </Loaded>
      {editing !== null && (
        <EditReply reply={editing === "new" ? null : editing} onClose={() => setEditing(null)} onSaved={reload} />
      )}
      {removing !== null && (
        <Confirm
          isOpen
          title={strings.removeTitle(removing.name)}
          action={strings.removeAction}
          cancelLabel={strings.keep}
          onClose={() => setRemoving(null)}
          act={async (key) => {
            await request("DELETE /w/{workspace}/quick-replies/{id}", { workspace: id, id: removing.id }, { key });
            await reload();
            showToast(strings.removed);
          }}
        >
          {strings.removeText}
        </Confirm>
      )}
    </Page>
  );
}

interface EditReplyProps {
  /** Null: a new one. */
  reply: QuickReply | null;
  onClose: () => void;
  onSaved: () => Promise<unknown>;
}

function EditReply({ reply, onClose, onSaved }: EditReplyProps) {
  const { id: workspace } = useWorkspace();
  const [upload, setUpload] = useState<Upload | null>(reply?.upload ?? null);
  const [isUploading, setUploading] = useState(false);
  const fields = useQuery(reading("GET /w/{workspace}/fields", { workspace }, ["fields", workspace]));
  const form = useForm({
    defaultValues: { name: reply?.name ?? "", text: reply?.text ?? "", upload_id: reply?.upload?.id ?? null },
  });
  const known = [...replyFields, ...(fields.data ?? []).map(({ key }) => key)];
  const save = async (body: { name: string; text: string; upload_id: number | null }, key: string) => {
    if (isUploading) return form.setError("upload_id", { message: strings.isUploading });
    if (reply === null) await request("POST /w/{workspace}/quick-replies", { workspace, body }, { key });
    else await request("PUT /w/{workspace}/quick-replies/{id}", { workspace, id: reply.id, body }, { key });
    await onSaved();
    showToast(strings.saved);
    onClose();
  };
  return (
    <Dialog title={reply === null ? strings.add : strings.editTitle(reply.name)} isOpen onClose={onClose}>
      <Form form={form} onSend={save} submit={strings.save}>
        <TextField form={form} name="name" label={strings.name} hint={strings.nameHint} autoComplete="off" dir="auto" />
        <AreaField
          form={form}
          name="text"
          label={strings.text}
          hint={strings.textHint(known.join(", "))}
          rows={5}
          dir="auto"
        />
        <FileOfReply
          upload={upload}
          fault={form.formState.errors.upload_id?.message}
          onUploading={setUploading}
          onChange={(changed) => {
            setUpload(changed);
            form.setValue("upload_id", changed?.id ?? null);
            form.clearErrors("upload_id");
          }}
        />
      </Form>
    </Dialog>
  );
}

interface FileOfReplyProps {
  upload: Upload | null;
  /** What the server says about the file. */
  fault: string | undefined;
  onUploading: (isUploading: boolean) => void;
  onChange: (upload: Upload | null) => void;
}

function FileOfReply({ upload, fault, onUploading, onChange }: FileOfReplyProps) {
  const { id: workspace } = useWorkspace();
  const input = useRef<HTMLInputElement>(null);
  const [progress, setProgress] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const store = async (file: File | undefined) => {
    if (file === undefined) return;
    setError(null);
    setProgress(0);
    onUploading(true);
    try {
      const { signal } = new AbortController();
      onChange(await uploadForm("POST /w/{workspace}/media", { workspace }, file, { signal, onProgress: setProgress }));
    } catch (reason) {
      setError(reason);
    } finally {
      setProgress(null);
      onUploading(false);
    }
  };
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-semibold">{strings.file}</legend>
      <input
        ref={input}
        type="file"
        hidden
        onChange={({ target }) => {
          void store(target.files?.[0]);
          // The same file may be chosen again.
          target.value = "";
        }}
      />
      <div className="flex flex-wrap items-center gap-3">
        <span className="min-w-0 wrap-anywhere">{upload === null ? strings.noFile : nameOf(upload)}</span>
        <Button small disabled={progress !== null} onClick={() => input.current?.click()}>
          {progress === null ? strings.chooseFile : strings.uploading(Math.floor(progress * 100))}
        </Button>
        {upload !== null && (
          <Button small onClick={() => onChange(null)}>
            {strings.removeFile}
          </Button>
        )}
      </div>
      {(error !== null || fault !== undefined) && (
        <p role="alert" className="text-red">
          {error === null ? fault : sentenceOf(error)}
        </p>
      )}
    </fieldset>
  );
}

function nameOf({ filename, mime_type: type }: Upload): string {
  return filename ?? type;
}
