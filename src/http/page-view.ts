/** The schemas of lists: which page a request wants, and the page's position, which every list carries as `meta`. Pure. */
import { Type } from "@sinclair/typebox";
import { Nullable } from "#src/core/schema.ts";

export const PER_PAGE = 50;
export const PER_PAGE_MAX = 500;

/** In the query of a list that is read by cursor alone. */
export const CursorQuery = {
  per_page: Type.Integer({
    minimum: 1,
    default: PER_PAGE,
    description: `Maximum number of entries on a page; more than ${PER_PAGE_MAX} counts as ${PER_PAGE_MAX}.`,
  }),
  after: Type.String({ description: "Cursor: the `meta.next` of the previous response." }),
};

/** In the query of a list: a page by its number, or by a cursor. */
export const PageQuery = {
  page: Type.Integer({
    minimum: 1,
    default: 1,
    description: "Number of the page. A page past the end is empty.",
  }),
  per_page: CursorQuery.per_page,
  after: Type.String({
    description:
      "Cursor: the `meta.next` of the previous response. Use it for syncing: with page numbers, an entry that is removed between two requests shifts all later entries.",
  }),
};

export const PageView = Type.Object(
  {
    page: Type.Integer({ description: "Number of the page; always 1 if the request used `after`." }),
    per_page: Type.Integer({ description: "Maximum number of entries on a page.", examples: [PER_PAGE] }),
    total: Type.Integer({ description: "Total number of entries on all pages." }),
    has_more: Type.Boolean({ description: "Whether more entries follow this page." }),
    next: Nullable(
      Type.String({ description: "Cursor of the next page, to be passed as `after`; null on the last page." }),
    ),
    pending: Type.Optional(
      Type.Integer({
        description:
          "Only in lists of messages filtered by `reference` or `idempotency_key`: matching messages that were accepted and are not listed yet, because they are still on their way to the network.",
      }),
    ),
  },
  { $id: "Page", description: "The position of a page in its list." },
);
