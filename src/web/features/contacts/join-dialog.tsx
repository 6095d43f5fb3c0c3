/** Joins two contacts: shows what differs, what would hold and what moves, and asks which one and which values stay. */
import { useQuery } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { profileFields } from "#src/domain/contacts/profile-fields.ts";
import { type Output, reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Chip } from "../../ui/chip.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { DescriptionList } from "../../ui/page.tsx";
import { formatCount } from "../../ui/plural.ts";
import { Loaded } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { consentChip, phoneOf } from "./contact-view.ts";
import { strings } from "./duplicate-strings.ts";
import type { Pair, Side } from "./duplicate-view.ts";

type Comparison = Output<"GET /w/{workspace}/contacts/{phone}/join/{other}">;
type Field = Comparison["fields"][number];

interface JoinDialogProps {
  pair: Pair;
  onClose: () => void;
  onJoined: () => Promise<void>;
}

export function JoinDialog({ pair, onClose, onJoined }: JoinDialogProps) {
  const { id } = useWorkspace();
  // A form of its own: choosing the other contact compares again, and the focus stays where it was.
  const choice = useForm({ defaultValues: { stays: "one" as "one" | "other" } });
  const [stays, goes] = choice.watch("stays") === "one" ? [pair.one, pair.other] : [pair.other, pair.one];
  const path = { workspace: id, phone: phoneOf(stays), other: phoneOf(goes) };
  const comparison = useQuery({
    ...reading("GET /w/{workspace}/contacts/{phone}/join/{other}", path, ["join", path]),
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <Dialog title={strings.dialogTitle} isOpen onClose={onClose}>
      <p>{strings.dialogLead}</p>
      <SelectField
        form={choice}
        name="stays"
        label={strings.stays}
        choices={[
          { value: "one", label: labelOf(pair.one) },
          { value: "other", label: labelOf(pair.other) },
        ]}
      />
      <Loaded query={comparison} label={strings.comparing}>
        {(compared) => (
          <JoinForm
            key={`${path.phone} ${compared.seen}`}
            compared={compared}
            stays={stays}
            goes={goes}
            onJoined={async () => {
              await onJoined();
              showToast(strings.joined);
              onClose();
            }}
            reread={() => void comparison.refetch()}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

interface JoinFormProps {
  compared: Comparison;
  stays: Side;
  goes: Side;
  onJoined: () => Promise<void>;
  reread: () => void;
}

function JoinForm({ compared, stays, goes, onJoined, reread }: JoinFormProps) {
  const { id } = useWorkspace();
  const differing = compared.fields.filter(({ differs }) => differs);
  const form = useForm({
    defaultValues: { kept: differing.map(() => "stays" as "stays" | "goes") },
  });
  const { label, tone } = consentChip(compared.consent.becomes);
  const moves = Object.entries(compared.moves).filter(([, count]) => count > 0);
  return (
    <Form
      form={form}
      submit={strings.confirm}
      onSend={async ({ kept }, key) => {
        const take = differing.flatMap(({ field }, index) => (kept[index] === "goes" ? [field] : []));
        const body = { with: phoneOf(goes), take, seen: compared.seen };
        const input = { workspace: id, phone: phoneOf(stays), body };
        try {
          await request("POST /w/{workspace}/contacts/{phone}/join", input, { key });
        } catch (error) {
          reread();
          throw error;
        }
        await onJoined();
      }}
    >
      {differing.map(({ field, stays: own, goes: others }, index) => (
        <SelectField
          key={field}
          form={form}
          name={`kept.${index}`}
          label={strings.valueOf(nameOfField(field))}
          {...(field === "phone" && compared.further_phone !== null ? { hint: strings.phoneHint } : {})}
          choices={[
            { value: "stays", label: String(own) },
            { value: "goes", label: String(others) },
          ]}
        />
      ))}
      <section aria-label={strings.holds} className="flex flex-col gap-2">
        <h3 className="font-semibold">{strings.holds}</h3>
        <p className="flex flex-wrap items-center gap-2">
          {strings.becomes} <Chip tone={tone}>{label}</Chip>
        </p>
        <p className="text-quiet">{strings.strictest}</p>
      </section>
      <section aria-label={strings.moves} className="flex flex-col gap-2">
        <h3 className="font-semibold">{strings.moves}</h3>
        {moves.length === 0 ? (
          <p>{strings.nothing}</p>
        ) : (
          <DescriptionList
            items={moves.map(([name, count]) => [
              strings.counts[name as keyof typeof strings.counts],
              <span key={name} className="figures">
                {formatCount(count)}
              </span>,
            ])}
          />
        )}
      </section>
    </Form>
  );
}

function labelOf(side: Side): string {
  return side.name === null ? phoneOf(side) : `${side.name}, ${phoneOf(side)}`;
}

function nameOfField(field: Field["field"]): string {
  const known = Object.entries(profileFields)
    .find(([name]) => name === field)?.[1]
    .label.toLowerCase();
  return strings.names[field] ?? known ?? field.replace(/^fields\./, "");
}
