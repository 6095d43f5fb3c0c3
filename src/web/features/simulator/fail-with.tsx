/** Lets a message on the simulator fail, with one of the network's error codes. */
import { Menu } from "@base-ui/react/menu";
import { ChevronDown } from "lucide-react";
import type { Body } from "../../data/api.ts";
import { buttonClass } from "../../ui/button.tsx";
import { strings } from "./strings.ts";

export type Receipt = Body<"POST /w/{workspace}/simulator/messages/{id}/status">;

export function FailWith({ playStatus }: { playStatus: (body: Receipt) => void }) {
  return (
    <Menu.Root>
      <Menu.Trigger className={buttonClass("plain", true)}>
        {strings.failWith}
        <ChevronDown aria-hidden size={14} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="start" sideOffset={4} className="z-50">
          <Menu.Popup className="floats max-w-80 rounded-panel border border-line bg-surface p-1 shadow-float outline-none">
            {Object.entries(strings.failures).map(([code, meaning]) => (
              <Menu.Item
                key={code}
                className="flex min-h-10 cursor-pointer items-baseline gap-2 rounded-control px-3 py-2 outline-none data-highlighted:bg-sunken max-mid:min-h-11"
                onClick={() => playStatus({ status: "failed", code })}
              >
                <code className="font-mono">{code}</code>
                <span>{meaning}</span>
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
