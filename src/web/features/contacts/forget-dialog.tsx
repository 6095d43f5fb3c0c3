/**
 * Forgets a person: shows first what goes and what stays, asks for the number, and then follows the erasure to its receipt. The
 * contact is gone from the first moment, so the dialog belongs to the panel and not to what the panel shows.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useForm } from "react-hook-form";
import { type Output, reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { DescriptionList } from "../../ui/page.tsx";
import { formatCount } from "../../ui/plural.ts";
import { Failed, Loaded, Loading } from "../../ui/states.tsx";
import { exact } from "../../ui/time.tsx";
import { type Contact, nameOf, phoneOf } from "./contact-view.ts";
import { strings } from "./person-strings.ts";

type Preview = Output<"GET /w/{workspace}/contacts/{phone}/forget">;
type Erasure = Output<"GET /w/{workspace}/erasures/{id}">;
type Copies = Preview["backups"];
type Item = readonly [name: string, value: ReactNode];

const ASK_EVERY_MS = 1_000;

interface ForgetDialogProps {
  contact: Contact;
  /** `hasBegun`: the contact is gone. */
  onClose: (hasBegun: boolean) => void;
}

export function ForgetDialog({ contact, onClose }: ForgetDialogProps) {
  const [begun, setBegun] = useState<Erasure | null>(null);
  if (begun !== null) return <Following begun={begun} onClose={() => onClose(true)} />;
  return (
    <Dialog title={strings.dialogTitle(nameOf(contact))} isOpen onClose={() => onClose(false)}>
      <Asking contact={contact} onBegun={setBegun} />
    </Dialog>
  );
}

function Asking({ contact, onBegun }: { contact: Contact; onBegun: (begun: Erasure) => void }) {
  const { id, timezone } = useWorkspace();
  const client = useQueryClient();
  const phone = phoneOf(contact);
  const preview = useQuery({
    ...reading("GET /w/{workspace}/contacts/{phone}/forget", { workspace: id, phone }, ["forget", id, phone]),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const form = useForm({ defaultValues: { typed: "" } });
  if (preview.isError) return <Failed error={preview.error} retry={() => void preview.refetch()} />;
  if (preview.data === undefined) return <Loading label={strings.counting} />;
  return (
    <>
      <p>{strings.dialogLead}</p>
      <Part title={strings.goes} lead={strings.profile} items={goingItems(preview.data)}>
        <p className="text-label text-quiet">{strings.counted(formatCount(preview.data.counted_max))}</p>
      </Part>
      <Part title={strings.stays} items={stayingItems(preview.data, timezone)} />
      <Form
        form={form}
        submit={strings.confirm}
        tone="danger"
        onSend={async ({ typed }, key) => {
          if (plain(typed) !== plain(phone)) {
            form.setError("typed", { message: strings.wrong }, { shouldFocus: true });
            return;
          }
          const input = { workspace: id, phone, body: { typed } };
          onBegun(await request("POST /w/{workspace}/contacts/{phone}/forget", input, { key }));
          await client.invalidateQueries({ queryKey: ["contacts", id] });
        }}
      >
        <TextField form={form} name="typed" label={strings.type(phone)} autoComplete="off" />
      </Form>
    </>
  );
}

/** Signs between the digits of a number do not matter. */
function plain(text: string): string {
  return text.replaceAll(/[\s().-]/g, "");
}

function Following({ begun, onClose }: { begun: Erasure; onClose: () => void }) {
  const { id, timezone } = useWorkspace();
  const erasure = useQuery({
    ...reading("GET /w/{workspace}/erasures/{id}", { workspace: id, id: begun.id }, ["erasure", id, begun.id]),
    initialData: begun,
    refetchInterval: ({ state }) => (state.data?.state === "running" ? ASK_EVERY_MS : false),
  });
  const isDone = erasure.data.state === "done";
  return (
    <Dialog title={isDone ? strings.doneTitle : strings.runningTitle} isOpen onClose={onClose}>
      <Loaded query={erasure}>
        {({ counts, holders }) => (
          <>
            <p aria-live="polite">{isDone ? strings.doneText : strings.running(sumOf(counts))}</p>
            {holders !== null && (
              <>
                <Part title={strings.erased} items={erasedItems(counts)} />
                <Part title={strings.holding} items={holdingItems(holders, timezone)} />
              </>
            )}
          </>
        )}
      </Loaded>
      <div className="flex justify-end">
        <Button tone={isDone ? "primary" : "plain"} onClick={onClose}>
          {strings.close}
        </Button>
      </div>
    </Dialog>
  );
}

interface PartProps {
  title: string;
  lead?: string;
  items: readonly Item[];
  /** Below the items. */
  children?: ReactNode;
}

function Part({ title, lead, items, children }: PartProps) {
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h3 className="font-semibold">{title}</h3>
      {lead !== undefined && <p>{lead}</p>}
      <DescriptionList items={items} />
      {children}
    </section>
  );
}

function goingItems({ counts, counted_max: max }: Preview): Item[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => [
      strings.names[name as keyof typeof counts],
      <span key={name} className="figures">
        {count >= max ? strings.orMore(formatCount(count)) : formatCount(count)}
      </span>,
    ]);
}

function stayingItems({ keeps_opt_out, backups, is_replicated }: Preview, timezone: string): Item[] {
  return [
    [strings.kept, strings.keptText],
    ...(keeps_opt_out ? [[strings.optOut, strings.optOutText] as const] : []),
    ...copyItems(backups, is_replicated, timezone),
    [strings.receivers, strings.receiversText],
  ];
}

function copyItems(backups: Copies, isReplicated: boolean, timezone: string): Item[] {
  const lines = backups.map(({ kind, until }) => {
    const end = until === null ? strings.untilDeleted : strings.until(exact(Date.parse(until), timezone));
    return <li key={`${kind} ${until}`}>{`${strings.copies[kind]}, ${end}`}</li>;
  });
  const shown =
    lines.length === 0 ? (
      strings.backupsNone
    ) : (
      <>
        {strings.backupsHold}
        <ul>{lines}</ul>
      </>
    );
  return [[strings.backups, shown], ...(isReplicated ? [[strings.replica, strings.replicaText] as const] : [])];
}

function sumOf(counts: Erasure["counts"]): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function erasedItems(counts: Erasure["counts"]): Item[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => [
      strings.names[name as keyof typeof counts],
      <span key={name} className="figures">
        {formatCount(count)}
      </span>,
    ]);
}

function holdingItems(holders: NonNullable<Erasure["holders"]>, timezone: string): Item[] {
  const { backups, is_replicated, shared_uploads: uploads, waiting_imports: imports, log_emptied } = holders;
  const { still_blocked_on: blockedOn } = holders;
  return [
    ...copyItems(backups, is_replicated, timezone),
    ...(uploads.length > 0 ? [[strings.uploads, strings.uploadsText(uploads.length)] as const] : []),
    ...(blockedOn.length > 0 ? [[strings.blocked, strings.blockedText(blockedOn.join(", "))] as const] : []),
    ...(imports.length > 0 ? [[strings.imports, strings.importsText(imports.length)] as const] : []),
    ...(log_emptied ? [] : [[strings.log, strings.logText] as const]),
  ];
}
