/** A link to a page of this server's own documentation, which shows this server's address. */
import { BookOpen } from "lucide-react";
import { textLink } from "./button.tsx";

/** `page`: the path below `/docs`; absent: the reference of the API. */
export function DocsLink({ page, children }: { page?: string; children: string }) {
  return (
    <a href={page === undefined ? "/docs" : `/docs/${page}`} className={`inline-flex items-center gap-2 ${textLink}`}>
      <BookOpen aria-hidden size={16} className="shrink-0" />
      {children}
    </a>
  );
}
