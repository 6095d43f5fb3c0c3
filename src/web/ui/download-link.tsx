/**
 * A link to a file that the server asks for the password again before it gives out. A browser would save the refusal as
 * the file, so the link checks first, which opens the dialog that asks.
 */
import type { MouseEvent, ReactNode } from "react";
import { ApiError, request } from "../data/api.ts";
import { sentenceOf } from "./states.tsx";
import { showToast } from "./toast.tsx";

interface DownloadLinkProps {
  href: string;
  /** Name of the saved file. The server's if absent. */
  name?: string;
  /** Asked before the download: false, nothing is downloaded. */
  check?: () => Promise<boolean>;
  className: string;
  children: ReactNode;
}

export function DownloadLink({ href, name = "", check, className, children }: DownloadLinkProps) {
  const start = async (event: MouseEvent) => {
    event.preventDefault();
    try {
      await request("GET /me/confirmation", {});
      if ((await check?.()) === false) return;
    } catch (error) {
      const isCancelled = error instanceof ApiError && error.code === "confirmation_required";
      if (!isCancelled) showToast(sentenceOf(error));
      return;
    }
    const link = document.createElement("a");
    link.href = href;
    link.download = name;
    link.click();
  };
  return (
    <a href={href} download={name} className={className} onClick={(event) => void start(event)}>
      {children}
    </a>
  );
}
