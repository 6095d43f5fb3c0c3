/**
 * The first steps, apart for the owner of the shop and for its developer. A step is done when what it is about is true,
 * also when another user did it. A list ends when all of its steps are done, or when the user hides it.
 */
import { Check, Circle } from "lucide-react";
import { type ReactNode, useState } from "react";
import { may, useMe, type Workspace } from "../../data/session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { OwnNumberCommand } from "../developer/own-number-command.tsx";
import { addNumberCommand, commandContext, sendMessageCommand } from "../developer/printed-commands.ts";
import type { HomeView } from "./attention.ts";
import { hideSteps, isHidden, showSteps } from "./hidden-steps.ts";
import { strings } from "./strings.ts";

interface Step {
  title: string;
  isDone: boolean;
  done: string;
  todo: ReactNode;
}

interface StepsProps {
  workspace: Workspace;
  home: HomeView;
}

export function FirstSteps({ workspace, home }: StepsProps) {
  const { user } = useMe();
  const [, setCount] = useState(0);
  const lists = [
    {
      name: "owner",
      title: strings.ownerTitle,
      lead: strings.ownerLead,
      steps: ownerSteps({ workspace, home }),
    },
    {
      name: "developer",
      title: strings.developerTitle,
      lead: strings.developerLead,
      steps: developerSteps({ workspace, home }),
    },
  ].filter(({ steps }) => steps.some(({ isDone }) => !isDone));
  const place = (name: string) => ({ user: user.id, workspace: workspace.id, list: name });
  const change = (act: typeof hideSteps, name: string) => {
    act(place(name));
    setCount((count) => count + 1);
  };
  const shown = lists.filter(({ name }) => !isHidden(place(name)));
  const hidden = lists.filter(({ name }) => isHidden(place(name)));
  return (
    <>
      {shown.map(({ name, title, lead, steps }) => (
        <Section
          key={name}
          title={title}
          lead={`${lead} ${strings.stepsDone(steps.filter(({ isDone }) => isDone).length, steps.length)}.`}
          action={
            <Button small tone="quiet" aria-label={strings.hideList(title)} onClick={() => change(hideSteps, name)}>
              {strings.hide}
            </Button>
          }
        >
          <StepList steps={steps} />
        </Section>
      ))}
      {hidden.length > 0 && (
        <p className="flex flex-wrap gap-2">
          {hidden.map(({ name, title }) => (
            <Button key={name} small tone="quiet" onClick={() => change(showSteps, name)}>
              {strings.showList(title)}
            </Button>
          ))}
        </p>
      )}
    </>
  );
}

function StepList({ steps }: { steps: readonly Step[] }) {
  return (
    <Card>
      <ol className="flex flex-col gap-6">
        {steps.map(({ title, isDone, done, todo }) => (
          <li key={title} className="flex gap-3">
            {isDone ? (
              <Check role="img" aria-label={strings.done} size={20} className="mt-0.5 shrink-0 text-green" />
            ) : (
              <Circle role="img" aria-label={strings.open} size={20} className="mt-0.5 shrink-0 text-quiet" />
            )}
            <div className="flex min-w-0 flex-1 flex-col items-start gap-2 [&>*]:max-w-full">
              <h3 className="text-form font-semibold">{title}</h3>
              {isDone ? <p className="text-quiet">{done}</p> : todo}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function ownerSteps({ workspace, home }: StepsProps): Step[] {
  const params = { workspace: String(workspace.id) };
  const mayManage = may(workspace, "manage");
  const mayWrite = may(workspace, "broadcasts");
  return [
    numberStep(workspace),
    {
      title: strings.template,
      isDone: home.has_template,
      done: strings.templateDone,
      todo: (
        <>
          <p>{strings.templateText}</p>
          {mayWrite && (
            <ButtonLink small to="/w/$workspace/templates/new" params={params}>
              {strings.templateAction}
            </ButtonLink>
          )}
        </>
      ),
    },
    {
      title: strings.people,
      isDone: home.has_people,
      done: strings.peopleDone,
      todo: (
        <>
          <p>{strings.peopleText}</p>
          {mayWrite && (
            <ButtonLink small to="/w/$workspace/contacts/import" params={params}>
              {strings.peopleAction}
            </ButtonLink>
          )}
        </>
      ),
    },
    {
      title: strings.broadcast,
      isDone: home.has_broadcast,
      done: strings.broadcastDone,
      todo: (
        <>
          <p>{strings.broadcastText}</p>
          {mayWrite && (
            <ButtonLink small to="/w/$workspace/broadcasts/new" params={params}>
              {strings.broadcastAction}
            </ButtonLink>
          )}
        </>
      ),
    },
    {
      title: strings.colleague,
      isDone: home.has_colleague,
      done: strings.colleagueDone,
      todo: (
        <>
          <p>{mayManage ? strings.colleagueText : strings.colleagueByOwner}</p>
          {mayManage && (
            <ButtonLink small to="/w/$workspace/members" params={params}>
              {strings.colleagueAction}
            </ButtonLink>
          )}
        </>
      ),
    },
  ];
}

function numberStep(workspace: Workspace): Step {
  const ready = workspace.numbers.find((number) => number.ready);
  const [first] = workspace.numbers;
  const isMissing = first === undefined;
  return {
    title: strings.number,
    isDone: ready !== undefined,
    done: strings.numberReady(ready?.phone ?? ""),
    todo:
      isMissing && may(workspace, "manage") ? (
        <>
          <p>{strings.numberNone}</p>
          <ButtonLink
            tone="primary"
            small
            to="/w/$workspace/numbers/connect"
            params={{ workspace: String(workspace.id) }}
          >
            {strings.numberAction}
          </ButtonLink>
        </>
      ) : isMissing ? (
        <>
          <p>{strings.numberNoneMember}</p>
          <Copyable text={addNumberCommand({ workspaceId: workspace.id })} label={strings.copyCurl} />
        </>
      ) : (
        <p>{strings.numberNotReady(first.phone)}</p>
      ),
  };
}

function developerSteps({ workspace, home }: StepsProps): Step[] {
  const { template } = home;
  const params = { workspace: String(workspace.id) };
  const mayManage = may(workspace, "manage");
  return [
    {
      title: strings.key,
      isDone: home.has_key,
      done: strings.keyDone,
      todo: (
        <>
          <p>{mayManage ? strings.keyText : strings.keyByOwner}</p>
          {mayManage && (
            <ButtonLink small to="/w/$workspace/api" params={params}>
              {strings.keyAction}
            </ButtonLink>
          )}
        </>
      ),
    },
    {
      title: strings.send,
      isDone: home.has_sent,
      done: strings.sendDone,
      todo:
        template === null ? (
          <>
            <p>{strings.sendNoTemplate}</p>
            <Copyable text={strings.templateCommand(workspace.id)} label={strings.copyCurl} />
          </>
        ) : (
          <>
            <p>{strings.sendText}</p>
            <OwnNumberCommand
              make={(own) => sendMessageCommand(commandContext(location.origin, workspace, template), own)}
              label={strings.send}
            />
          </>
        ),
    },
    {
      title: strings.webhook,
      isDone: home.has_delivered_events,
      done: strings.webhookDone,
      todo: (
        <>
          <p>{mayManage ? strings.webhookText : strings.webhookByOwner}</p>
          {mayManage && (
            <ButtonLink small to="/w/$workspace/api" params={params} hash="webhook">
              {strings.webhookAction}
            </ButtonLink>
          )}
        </>
      ),
    },
  ];
}
