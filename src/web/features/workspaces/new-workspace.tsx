/** Creates a workspace: its name, the country of numbers without a country code, and its timezone. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useForm } from "react-hook-form";
import { strings as frame } from "../../app/strings.ts";
import { request } from "../../data/api.ts";
import { meQuery, useMe } from "../../data/session.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Card, Page } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import { countries, guessCountry, ownTimezone, timezones } from "./countries.ts";

const strings = {
  title: "Create a workspace",
  lead: "A workspace is one business: its numbers, contacts, templates and messages.",
  name: "Name",
  nameHint: "The name your team uses, for example Corner Shop.",
  country: "Country",
  countryHint: "Phone numbers without a country code are read as numbers of this country.",
  timezone: "Timezone",
  timezoneHint: "Times are shown in this timezone, and quiet hours use it.",
  submit: "Create workspace",
} as const;

export function Screen() {
  const { user } = useMe();
  const client = useQueryClient();
  const navigate = useNavigate();
  const timezone = ownTimezone();
  const form = useForm({ defaultValues: { name: "", country: guessCountry(timezone), timezone } });
  if (!user.is_operator) {
    return (
      <Page title={frame.noWorkspaceTitle} isNarrow>
        <Empty title={frame.noWorkspaceTitle}>{frame.noWorkspaceText}</Empty>
      </Page>
    );
  }
  const create = async (values: { name: string; country: string; timezone: string }, key: string) => {
    const { id } = await request("POST /workspaces", { body: values }, { key });
    await client.refetchQueries({ queryKey: meQuery.queryKey });
    await navigate({ to: "/w/$workspace", params: { workspace: String(id) } });
  };
  return (
    <Page title={strings.title} lead={strings.lead} isNarrow>
      <Card>
        <Form form={form} onSend={create} submit={strings.submit}>
          <TextField form={form} name="name" label={strings.name} hint={strings.nameHint} autoComplete="organization" />
          <SelectField
            form={form}
            name="country"
            label={strings.country}
            hint={strings.countryHint}
            choices={countries().map(({ code, name }) => ({ value: code, label: `${name} (${code})` }))}
          />
          <SelectField
            form={form}
            name="timezone"
            label={strings.timezone}
            hint={strings.timezoneHint}
            choices={timezones().map((zone) => ({ value: zone, label: zone }))}
          />
        </Form>
      </Card>
    </Page>
  );
}
