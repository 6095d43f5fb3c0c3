/** Asks before a page is left whose typed text is not saved: by a link, by Back, or by closing the tab. */
import { useBlocker } from "@tanstack/react-router";
import { Confirm } from "./dialog.tsx";

export function Unsaved({ isUnsaved }: { isUnsaved: boolean }) {
  const { status, proceed, reset } = useBlocker({
    // A change of parameters alone stays on the page.
    shouldBlockFn: ({ current, next }) => isUnsaved && current.pathname !== next.pathname,
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  });
  return (
    <Confirm
      isOpen={status === "blocked"}
      title="Leave without saving?"
      action="Leave page"
      cancelLabel="Keep editing"
      onClose={() => reset?.()}
      act={async () => proceed?.()}
    >
      <p>What you typed is not saved.</p>
    </Confirm>
  );
}
