/** A select that changes a member's role in place. */
import { useState } from "react";
import { roles, type WorkspaceRole, workspaceRoles } from "#src/domain/users/roles.ts";
import { newFormKey } from "../../data/api.ts";
import { inputClass } from "../../ui/field.tsx";
import { ErrorLine } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./strings.ts";

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
  if (isFixed) return roles[role].label;
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
        {workspaceRoles.map((name) => (
          <option key={name} value={name}>
            {roles[name].label}
          </option>
        ))}
      </select>
      <ErrorLine error={error} />
    </>
  );
}
