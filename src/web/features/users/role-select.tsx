/** The role of somebody in a workspace, changed where it stands. */
import { useState } from "react";
import { newFormKey } from "../../data/api.ts";
import type { Role } from "../../data/session.ts";
import { inputLook } from "../../ui/field.tsx";
import { sentenceOf } from "../../ui/states.tsx";
import { sayDone } from "../../ui/toast.tsx";
import { words } from "./strings.ts";

type WorkspaceRole = Exclude<Role, "operator">;

interface RoleSelectProps {
  label: string;
  role: WorkspaceRole;
  /** One's own cannot be changed here: nobody locks themselves out by a slip. */
  isFixed: boolean;
  change: (role: WorkspaceRole, key: string) => Promise<unknown>;
}

export function RoleSelect({ label, role, isFixed, change }: RoleSelectProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  if (isFixed) return words.roles[role];
  const choose = async (next: WorkspaceRole) => {
    setIsBusy(true);
    setError(null);
    try {
      await change(next, newFormKey());
      sayDone(words.roleChanged);
    } catch (reason) {
      setError(reason);
    }
    setIsBusy(false);
  };
  return (
    <>
      <select
        aria-label={label}
        className={`${inputLook} mid:min-h-8 mid:w-32 mid:py-1`}
        value={role}
        disabled={isBusy}
        onChange={({ target }) => void choose(target.value as WorkspaceRole)}
      >
        <option value="owner">{words.roles.owner}</option>
        <option value="member">{words.roles.member}</option>
      </select>
      {error !== null && (
        <p role="alert" className="text-red">
          {sentenceOf(error)}
        </p>
      )}
    </>
  );
}
