/** Below the name in the head of a conversation: its state, who answers it, and what else can be done, each with its key. */
import { Menu } from "@base-ui/react/menu";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, Clock, Ellipsis, RotateCcw, UserRound } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useForm } from "react-hook-form";
import { useMe, useWorkspace } from "../../data/session.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { useKeys } from "../../ui/keys.ts";
import { sentenceOf } from "../../ui/states.tsx";
import { phoneOf } from "../contacts/contact-view.ts";
import { BlockQuestion } from "./block.tsx";
import { Changes } from "./change-question.tsx";
import { type ConversationActs, type StateChange, shortName, useConversationActs } from "./conversation-state.ts";
import type { Conversation } from "./inbox-view.ts";
import { useColleagues } from "./mention-field.tsx";
import { localTime, shortTime, snoozeTimes } from "./snooze-times.ts";
import { strings } from "./team-strings.ts";

type State = Conversation["conversation"] & object;

/** Nothing on a number that the person never wrote to. */
export function TeamBar({ conversation, openTags }: Pick<BarProps, "conversation" | "openTags">) {
  const { conversation: state } = conversation;
  return state === null ? null : <Bar conversation={conversation} state={state} openTags={openTags} />;
}

interface BarProps {
  conversation: Conversation;
  state: State;
  openTags: () => void;
}

type Opened = "snooze" | "assign" | "more" | "time" | "block" | null;
const OPENED_BY: Readonly<Record<string, Opened>> = { s: "snooze", a: "assign", ".": "more" };

function Bar({ conversation, state, openTags }: BarProps) {
  const [opened, setOpened] = useState<Opened>(null);
  const acts = useConversationActs(conversation);
  const toggle = () => acts.change({ state: state.state === "open" ? "done" : "open" });
  useKeys((key) => {
    if (key === "e") void toggle();
    // Its field has the focus before the next key.
    else if (key === "t") flushSync(openTags);
    else if (OPENED_BY[key] !== undefined) setOpened(OPENED_BY[key]);
    else return false;
    return true;
  });
  /** Of a menu: what closes later than another opens does not close that one. */
  const openFor = (name: Opened) => ({
    isOpen: opened === name,
    onOpen: (isOpen: boolean) => setOpened((now) => (isOpen ? name : now === name ? null : now)),
  });
  const close = () => setOpened(null);
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2 max-mid:py-1">
      <AssignMenu {...openFor("assign")} state={state} acts={acts} />
      {state.state !== "open" && (
        <span className="max-mid:order-last max-mid:basis-full">
          <StateChip state={state} />
        </span>
      )}
      <span className="flex-1" />
      {state.state !== "open" ? (
        <Button small busy={acts.isBusy} onClick={() => void toggle()} aria-keyshortcuts="e">
          <RotateCcw aria-hidden size={16} />
          {strings.reopen}
        </Button>
      ) : (
        <>
          <SnoozeMenu {...openFor("snooze")} acts={acts} chooseTime={() => setOpened("time")} />
          <Button small busy={acts.isBusy} onClick={() => void toggle()} aria-keyshortcuts="e">
            <Check aria-hidden size={16} />
            {strings.done}
          </Button>
        </>
      )}
      <MoreMenu
        {...openFor("more")}
        conversation={conversation}
        openTags={openTags}
        askBlock={() => setOpened("block")}
      />
      {acts.error !== null && (
        <p role="alert" className="w-full text-red">
          {sentenceOf(acts.error)}
        </p>
      )}
      <Confirm
        title={strings.takeTitle(shortName(state.assignee ?? ""))}
        isOpen={acts.asked !== null}
        onClose={acts.leave}
        action={strings.take}
        cancelLabel={strings.leave}
        act={acts.take}
      >
        {strings.takeText(state.assignee ?? "")}
      </Confirm>
      <ChangedQuestion acts={acts} />
      {opened === "time" && <SnoozeDialog acts={acts} onClose={close} />}
      <BlockQuestion conversation={conversation} state={state} isOpen={opened === "block"} onClose={close} />
    </div>
  );
}

/** Others changed the conversation since it was in sight. */
function ChangedQuestion({ acts: { changed, changeAnyway, leave } }: { acts: ConversationActs }) {
  const { state = "snoozed", take } = changed?.change ?? {};
  return (
    <Confirm
      key={changed?.by.version}
      title={take === true ? strings.takeAnyway : strings.changeTitle[state]}
      isOpen={changed !== null}
      onClose={leave}
      action={take === true ? strings.take : strings.changeAnyway[state]}
      cancelLabel={take === true ? strings.leave : strings.leaveOpen}
      act={changeAnyway}
    >
      {changed !== null && <Changes {...changed.by} />}
    </Confirm>
  );
}

function StateChip({ state: { state, snoozed_until: until } }: { state: State }) {
  const { timezone } = useWorkspace();
  if (state === "done") return <Chip tone="green">{strings.states.done}</Chip>;
  return (
    <Chip tone="blue">
      {until === null ? strings.snoozedUntilWritten : strings.snoozedUntil(shortTime({ until }, timezone))}
    </Chip>
  );
}

interface OpenedMenu {
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

interface BarMenuProps extends OpenedMenu {
  label: string;
  keyName: string;
  trigger: ReactNode;
  isQuiet?: boolean;
  /** Whether the trigger gets the focus back when the menu closes; by default it does. */
  finalFocus?: () => boolean;
  children: ReactNode;
}

function BarMenu({ label, keyName, trigger, isOpen, onOpen, isQuiet = false, finalFocus, children }: BarMenuProps) {
  return (
    <Menu.Root open={isOpen} onOpenChange={onOpen}>
      <Menu.Trigger
        aria-label={label}
        title={`${label} (${keyName})`}
        aria-keyshortcuts={keyName}
        className={isQuiet ? `${buttonClass("quiet", true)} px-2` : buttonClass("plain", true)}
      >
        {trigger}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} className="z-50">
          <Menu.Popup
            finalFocus={finalFocus}
            className="floats max-h-(--available-height) overflow-y-auto rounded-panel border border-line bg-surface p-1 shadow-float outline-none"
          >
            {children}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

const itemClass =
  "flex min-h-10 cursor-pointer items-center gap-3 rounded-control px-3 text-ink no-underline outline-none data-highlighted:bg-sunken max-mid:min-h-11";

function SnoozeMenu({ acts, chooseTime, ...menu }: OpenedMenu & { acts: ConversationActs; chooseTime: () => void }) {
  const { timezone } = useWorkspace();
  const trigger = (
    <>
      <Clock aria-hidden size={16} />
      <span className="max-mid:sr-only">{strings.snooze}</span>
    </>
  );
  const snooze = (change: StateChange) => void acts.change({ state: "snoozed", ...change });
  return (
    <BarMenu {...menu} label={strings.snooze} keyName="s" trigger={trigger}>
      {snoozeTimes(Date.now(), timezone).map((time) => (
        <Menu.Item
          key={time.name}
          className={`${itemClass} justify-between gap-8`}
          onClick={() => snooze({ snoozed_until: time.until })}
        >
          {strings.snoozeTimes[time.name]}
          <span className="text-label text-quiet figures">{shortTime(time, timezone)}</span>
        </Menu.Item>
      ))}
      <Menu.Item className={itemClass} onClick={() => snooze({ snoozed_until: null })}>
        {strings.untilWritten}
      </Menu.Item>
      <Menu.Item className={itemClass} onClick={() => setTimeout(chooseTime)}>
        {strings.chosenTime}
      </Menu.Item>
    </BarMenu>
  );
}

function SnoozeDialog({ acts, onClose }: { acts: ConversationActs; onClose: () => void }) {
  const { timezone } = useWorkspace();
  const tomorrow = snoozeTimes(Date.now(), timezone).find(({ name }) => name === "tomorrow");
  const form = useForm({ defaultValues: { snoozed_until: tomorrow?.until ?? localTime(Date.now(), timezone) } });
  return (
    <Dialog title={strings.snoozeTitle} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={strings.snooze}
        onSend={async (change) => {
          await acts.send({ state: "snoozed", ...change });
          onClose();
        }}
      >
        <TextField
          form={form}
          name="snoozed_until"
          type="datetime-local"
          label={strings.snoozeUntil(timezone)}
          hint={strings.snoozeHint}
        />
      </Form>
    </Dialog>
  );
}

const NOBODY = "";

function AssignMenu({ state, acts, ...menu }: OpenedMenu & { state: State; acts: ConversationActs }) {
  const { email: me } = useMe().user;
  const colleagues = useQuery(useColleagues(state.id));
  const { assignee } = state;
  const known = colleagues.data ?? [];
  const others = known.filter((email) => email !== me);
  const choices = [
    ...(known.includes(me) ? [[me, strings.me(me)] as const] : []),
    ...others.map((email) => [email, email] as const),
    [NOBODY, strings.nobody] as const,
  ];
  const shown = assignee === null ? strings.assign : assignee === me ? strings.you : shortName(assignee);
  const label = assignee === null ? strings.unassigned : strings.assignTo(assignee === me ? strings.you : assignee);
  const trigger = (
    <>
      <UserRound aria-hidden size={16} className="shrink-0" />
      <span className="max-w-32 truncate">{shown}</span>
    </>
  );
  return (
    <>
      <BarMenu {...menu} label={label} keyName="a" trigger={trigger}>
        <Menu.RadioGroup
          aria-label={strings.assign}
          value={assignee ?? NOBODY}
          onValueChange={(email: string) => void acts.change({ assignee: email === NOBODY ? null : email })}
        >
          {choices.map(([email, text]) => (
            <Menu.RadioItem key={email} value={email} closeOnClick className={itemClass}>
              <span className="size-4">
                <Menu.RadioItemIndicator>
                  <Check aria-hidden size={16} />
                </Menu.RadioItemIndicator>
              </span>
              {text}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </BarMenu>
      {assignee === null && known.includes(me) && (
        <Button small className="max-mid:hidden" busy={acts.isBusy} onClick={() => void acts.change({ assignee: me })}>
          {strings.assignMe}
        </Button>
      )}
    </>
  );
}

function MoreMenu({
  conversation,
  openTags,
  askBlock,
  ...menu
}: OpenedMenu & { conversation: Conversation; openTags: () => void; askBlock: () => void }) {
  const { id } = useWorkspace();
  const phone = phoneOf(conversation.contact);
  // The field of the tags takes the focus.
  const hasOpenedTags = useRef(false);
  return (
    <BarMenu
      {...menu}
      onOpen={(isOpen) => {
        if (isOpen) hasOpenedTags.current = false;
        menu.onOpen(isOpen);
      }}
      label={strings.more}
      keyName="."
      trigger={<Ellipsis aria-hidden size={16} />}
      isQuiet
      finalFocus={() => !hasOpenedTags.current}
    >
      {phone !== "" && (
        <Menu.Item
          className={itemClass}
          onClick={() => {
            hasOpenedTags.current = true;
            setTimeout(openTags);
          }}
        >
          {strings.tags}
        </Menu.Item>
      )}
      {conversation.conversation?.block_state !== "checking" && (
        <Menu.Item className={itemClass} onClick={() => setTimeout(askBlock)}>
          {conversation.conversation?.block_state === "blocked" ? strings.unblockItem : strings.blockItem}
        </Menu.Item>
      )}
      {phone !== "" && (
        <Menu.Item
          className={itemClass}
          render={<Link to="/w/$workspace/contacts" params={{ workspace: String(id) }} search={{ open: phone }} />}
        >
          {strings.openContact}
        </Menu.Item>
      )}
    </BarMenu>
  );
}
