/** The guides of /docs, in reading order. Each is a Markdown file of the repository, and part of the executable. */
import broadcasts from "../../../../docs/guides/broadcasts.md" with { type: "text" };
import errors from "../../../../docs/guides/errors.md" with { type: "text" };
import firstMessage from "../../../../docs/guides/first-message.md" with { type: "text" };
import messages from "../../../../docs/guides/messages.md" with { type: "text" };
import movingContacts from "../../../../docs/guides/moving-contacts.md" with { type: "text" };
import templates from "../../../../docs/guides/templates.md" with { type: "text" };
import webhooks from "../../../../docs/guides/webhooks.md" with { type: "text" };
import inbound from "../../../../docs/inbound.md" with { type: "text" };
import operations from "../../../../docs/operations.md" with { type: "text" };
import security from "../../../../docs/security.md" with { type: "text" };
import testing from "../../../../docs/testing.md" with { type: "text" };
import whatsapp from "../../../../docs/whatsapp.md" with { type: "text" };
import { codesGuide, problemsSection } from "./codes.ts";
import type { Guide } from "./guide.ts";

export const guides: readonly Guide[] = [
  { name: "first-message", source: firstMessage },
  { name: "messages", source: messages },
  { name: "templates", source: templates },
  { name: "webhooks", source: webhooks },
  { name: "broadcasts", source: broadcasts },
  { name: "errors", source: errors + problemsSection() },
  { name: "whatsapp-codes", source: codesGuide() },
  { name: "moving-contacts", source: movingContacts },
  { name: "inbound", source: inbound },
  { name: "testing", source: testing },
  { name: "whatsapp", source: whatsapp },
  { name: "operations", source: operations },
  { name: "security", source: security },
];
