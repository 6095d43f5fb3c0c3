/** A select that changes a member's role in place. */
import { useState } from "react";
import { newFormKey } from "../../data/api.ts";
import type { Role } from "../../data/session.ts";
import { inputClass } from "../../ui/field.tsx";
import { sentenceOf } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./strings.ts";

type WorkspaceRole = Exclude<Role, "operator">;

interface RoleSelectProps {
  label: string;
  role: WorkspaceRole;
  /** The user's own role is fixed, so that they cannot lock themselves out by accident. */
  isFixed: boolean;
  change: (role: WorkspaceRole, key: string) => Promise<unknown>;
}

export function RoleSelect({ label, role, isFixed, change }: RoleSelectProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  if (isFixed) return strings.roles[role];
  const choose = async (next: WorkspaceRole) => {
    setIsBusy(true);
    setError(null);
    try {
      await change(next, newFormKey());
      showToast(strings.roleChanged);
    } catch (reason) {
      setError(reason);
    }
    setIsBusy(false);
  };
  return (
    <>
      <select
        aria-label={label}
        className={`${inputClass} mid:min-h-8 mid:w-32 mid:py-1`}
        value={role}
        disabled={isBusy}
        onChange={({ target }) => void choose(target.value as WorkspaceRole)}
      >
        <option value="owner">{strings.roles.owner}</option>
        <option value="member">{strings.roles.member}</option>
      </select>
      {error !== null && (
        <p role="alert" className="text-red">
          {sentenceOf(error)}
        </p>
      )}
    </>
  );
}
