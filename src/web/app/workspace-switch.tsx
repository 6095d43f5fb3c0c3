/** The current workspace, and a menu to switch to another. */
import { Menu } from "@base-ui/react/menu";
import { useNavigate } from "@tanstack/react-router";
import { Check, ChevronsUpDown, Plus } from "lucide-react";
import type { WorkspaceEntry } from "../data/session.ts";
import { strings } from "./strings.ts";

interface SwitchProps {
  current: WorkspaceEntry | undefined;
  all: readonly WorkspaceEntry[];
  isOperator: boolean;
}

const itemClass =
  "flex min-h-10 cursor-pointer items-center gap-2 rounded-control px-3 py-2 data-highlighted:bg-sunken outline-none max-mid:min-h-11";

export function WorkspaceSwitch({ current, all, isOperator }: SwitchProps) {
  const navigate = useNavigate();
  const go = (id: number) => void navigate({ to: "/w/$workspace", params: { workspace: String(id) } });
  return (
    <Menu.Root>
      <Menu.Trigger
        className="flex min-h-11 w-full items-center gap-2 rounded-control border border-line px-3 py-2 text-start font-semibold hover:bg-sunken max-wide:mid:px-2"
        aria-label={`${strings.switchWorkspace}: ${current?.name ?? strings.noWorkspaceTitle}`}
      >
        <span className="min-w-0 flex-1 truncate max-wide:mid:text-label">
          {current?.name ?? strings.noWorkspaceTitle}
        </span>
        <ChevronsUpDown aria-hidden size={16} className="shrink-0 text-quiet max-wide:mid:hidden" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="start" sideOffset={4} className="z-50">
          <Menu.Popup className="floats max-h-[70dvh] min-w-56 max-w-80 overflow-y-auto rounded-panel border border-line bg-surface p-1 shadow-float outline-none">
            {all.map(({ id, name }) => (
              <Menu.Item key={id} className={itemClass} onClick={() => go(id)}>
                <Check aria-hidden size={16} className={`shrink-0 ${id === current?.id ? "" : "invisible"}`} />
                <span className="min-w-0 truncate">{name}</span>
              </Menu.Item>
            ))}
            {isOperator && (
              <Menu.Item className={itemClass} onClick={() => void navigate({ to: "/new-workspace" })}>
                <Plus aria-hidden size={16} className="shrink-0" />
                {strings.newWorkspace}
              </Menu.Item>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
