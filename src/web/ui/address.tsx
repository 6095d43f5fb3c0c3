/**
 * The search parameters of the open screen: reading them, and changing some of them while the others stay. A component
 * names its screen by its address, so the compiler knows the parameters. It does not check the names in what a function
 * returns, which is why a `search` function is written here only.
 */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ComponentProps, type ReactNode, startTransition, useCallback, useOptimistic } from "react";
import type { Parameters, Screen } from "../app/routes.ts";

/** The parameters of `screen`, which has to be the open one. */
export function useParameters<At extends Screen>(screen: At): Parameters<At>;
export function useParameters() {
  return useSearch({ strict: false });
}

interface ChangeOptions {
  /** Replaces the current entry of the browser's history. */
  replace?: boolean;
  /** False keeps the scroll position. */
  resetScroll?: boolean;
  /** Stored with the entry of the browser's history. */
  state?: object;
}

/** Navigates within the open screen. A parameter changed to `undefined` is removed. */
export function useChangeParameters<At extends Screen>(
  screen: At,
): (change: Parameters<At>, options?: ChangeOptions) => Promise<void>;
export function useChangeParameters(screen: Screen) {
  const navigate = useNavigate();
  return useCallback(
    (change: Parameters<Screen>, options: ChangeOptions = {}) =>
      navigate({ from: screen, to: ".", search: (known) => ({ ...known, ...change }), ...options }),
    [navigate, screen],
  );
}

/**
 * What the user chooses and the address says: shown from the press on, because the address follows a moment later, and by
 * then the user may have chosen again. `follow` changes the address.
 */
export function useChoice<Value>(
  there: Value,
  follow: (next: Value) => Promise<void>,
): [shown: Value, choose: (next: Value) => void] {
  const [shown, show] = useOptimistic(there);
  const choose = (next: Value) =>
    startTransition(async () => {
      show(next);
      await follow(next);
    });
  return [shown, choose];
}

interface ParameterLinkProps<At extends Screen> extends Omit<ComponentProps<"a">, "href" | "target"> {
  screen: At;
  /** A parameter changed to `undefined` is removed. */
  change: Parameters<At>;
  /** False keeps the scroll position. */
  resetScroll?: boolean;
}

/** A link within the open screen. */
export function ParameterLink<At extends Screen>(props: ParameterLinkProps<At>): ReactNode;
export function ParameterLink({ screen, change, ...rest }: ParameterLinkProps<Screen>) {
  return <Link {...rest} from={screen} to="." search={(known) => ({ ...known, ...change })} />;
}
