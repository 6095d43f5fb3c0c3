/** Shows a changed template everywhere, and says what was done. */
import { useQueryClient } from "@tanstack/react-query";
import { useWorkspace } from "../../data/session.ts";
import { showToast } from "../../ui/toast.tsx";
import type { Template } from "./template-view.ts";

export function useChanged() {
  const { id } = useWorkspace();
  const client = useQueryClient();
  return async (template: Template, done: string) => {
    client.setQueryData(["template", id, String(template.id)], template);
    showToast(done);
    await client.invalidateQueries({ queryKey: ["templates", id] });
  };
}
