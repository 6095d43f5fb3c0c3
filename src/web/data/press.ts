/** What a button starts: one act at a time, under an idempotency key that a further press repeats until it was accepted. */
import { useRef, useState } from "react";
import { ApiError, newFormKey } from "./api.ts";

interface Press {
  /** Where one component has several buttons, each adds its name to the key. */
  press: (act: (key: string) => Promise<unknown>) => Promise<void>;
  isBusy: boolean;
  /** Why the last press failed; null: it did not. */
  error: unknown;
}

/** `leaves`: the button goes away with what was done, so after that it is pressed no more. */
export function usePress({ leaves = false } = {}): Press {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const key = useRef(newFormKey());
  const isUnderWay = useRef(false);
  const press = async (act: (key: string) => Promise<unknown>) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setIsBusy(true);
    setError(null);
    try {
      await act(key.current);
      if (leaves) return;
      key.current = newFormKey();
    } catch (reason) {
      // Refused for good, and the key repeats the refusal: another press is another attempt.
      if (reason instanceof ApiError && reason.status === 422) key.current = newFormKey();
      setError(reason);
    }
    isUnderWay.current = false;
    setIsBusy(false);
  };
  return { press, isBusy, error };
}
