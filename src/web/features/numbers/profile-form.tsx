/** The texts of the business profile. What is typed is shown in the preview at once. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useForm, useWatch } from "react-hook-form";
import { profileLimits as limits, verticals } from "#src/domain/numbers/business-profile.ts";
import { type Body, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Unsaved } from "../../ui/unsaved.tsx";
import type { NumberProfile, SendingNumber } from "./number-view.ts";
import { strings } from "./profile-strings.ts";

export interface ProfileDraft {
  about: string;
  description: string;
  address: string;
  email: string;
  website1: string;
  website2: string;
  vertical: string;
}

/** The server counts websites without gaps. */
const NAMES = { websites: "website1", "websites.0": "website1", "websites.1": "website2" } as const;
const choices = Object.entries(verticals).map(([value, label]) => ({ value, label }));

interface ProfileFormProps {
  number: SendingNumber;
  profile: NumberProfile;
  onChange: (draft: ProfileDraft) => void;
}

export function ProfileForm({ number: { id }, profile, onChange }: ProfileFormProps) {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const { websites, about, description, address, email, vertical } = profile;
  const form = useForm<ProfileDraft>({
    defaultValues: {
      ...{ about, description, address, email, vertical },
      ...{ website1: websites[0] ?? "", website2: websites[1] ?? "" },
    },
  });
  const draft = useWatch({ control: form.control }) as ProfileDraft;
  useEffect(() => onChange(draft), [draft, onChange]);
  const counted = (name: "about" | "description" | "address") =>
    strings.counted([...(draft[name] ?? "")].length, limits[name]);
  return (
    <Form
      form={form}
      submit={strings.save}
      names={NAMES}
      onSend={async ({ website1, website2, ...texts }, key) => {
        const given = [website1, website2].filter((one) => one.trim() !== "");
        const body = { ...texts, websites: given } as Body<"PUT /w/{workspace}/numbers/{id}/profile">;
        const saved = await request("PUT /w/{workspace}/numbers/{id}/profile", { workspace, id, body }, { key });
        client.setQueryData(["number-profile", workspace, id], saved);
        form.reset({ ...texts, website1: given[0] ?? "", website2: given[1] ?? "" });
        showToast(strings.saved);
      }}
    >
      <Unsaved isUnsaved={form.formState.isDirty} />
      <TextField form={form} name="about" label={strings.about} hint={counted("about")} autoComplete="off" />
      <AreaField form={form} name="description" label={strings.description} hint={counted("description")} />
      <TextField form={form} name="address" label={strings.address} hint={counted("address")} autoComplete="off" />
      <TextField form={form} name="email" label={strings.email} type="email" autoComplete="off" />
      <TextField form={form} name="website1" label={strings.website1} hint={strings.websiteHint} inputMode="url" />
      <TextField form={form} name="website2" label={strings.website2} inputMode="url" />
      <SelectField form={form} name="vertical" label={strings.vertical} choices={choices} />
    </Form>
  );
}
