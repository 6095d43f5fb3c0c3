/** A select that changes a member's role in place. */
import { roles, type WorkspaceRole, workspaceRoles } from "#src/domain/users/roles.ts";
import { usePress } from "../../data/press.ts";
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
  const { press, isBusy, error } = usePress();
  if (isFixed) return roles[role].label;
  const choose = (next: WorkspaceRole) =>
    press(async (key) => {
      await change(next, `${key}-${next}`);
      showToast(strings.roleChanged);
    });
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
