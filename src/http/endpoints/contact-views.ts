/** Saved views of the list of contacts: a user's own, and those that are shared with the workspace. */
import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest } from "#src/core/problem.ts";
import { Form } from "#src/core/schema.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import {
  addView,
  type GivenView,
  getView,
  listViews,
  removeView,
  type ShownView,
  updateView,
} from "#src/domain/filters/views.ts";
import { hasRight } from "#src/domain/users/roles.ts";
import type { WorkspaceCall } from "./call.ts";
import { Data, Empty, endpoint, Id } from "./endpoint.ts";

const Search = Form({
  q: Type.Optional(Type.String()),
  consent: Type.Optional(Type.String()),
  /** Id of a static or dynamic group. */
  group: Type.Optional(Type.String()),
  /** A group filter. */
  filter: Type.Optional(Type.Unknown()),
  sort: Type.Optional(Type.String()),
});

const ContactsView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  is_shared: Type.Boolean(),
  /** Made by the user who asks. */
  is_own: Type.Boolean(),
  search: Search,
  columns: Type.Array(Type.String()),
  /** Sentences: what the view refers to that no longer exists. `search` and `columns` are without it. */
  gone: Type.Array(Type.String()),
});

/** The domain says which values are right. */
const ViewForm = Form({
  name: Type.String({ maxLength: 1_000 }),
  is_shared: Type.Boolean(),
  search: Search,
  columns: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 }),
});

const params = { id: Id("view") };

export const contactViewEndpoints = {
  "GET /w/{workspace}/contact-views": endpoint({ session: "inbox", output: Data(Type.Array(ContactsView)) }).read(
    (tx, { workspace, user }) => listViews(tx, workspace, user.id).map(viewOf),
  ),
  "POST /w/{workspace}/contact-views": endpoint({
    session: "inbox",
    body: ViewForm,
    output: Data(ContactsView),
  }).change((tx, call) => {
    const { workspace, user } = call;
    const view = addView(tx, workspace, user.id, readView(call, call.body, false));
    const audit = {
      action: "contact_view.create",
      subject: view.name,
      details: { id: view.id, shared: view.isShared },
    };
    return { status: 201, data: viewOf(view), audit };
  }),
  "PUT /w/{workspace}/contact-views/{id}": endpoint({
    session: "inbox",
    params,
    body: ViewForm,
    output: Data(ContactsView),
  }).change((tx, call) => {
    const { workspace, user, path } = call;
    const was = requireChangeable(call, getView(tx, workspace, path.id, user.id));
    const view = updateView(tx, workspace, was, readView(call, call.body, was.isShared), user.id);
    const details = { id: view.id, name: [was.name, view.name], shared: [was.isShared, view.isShared] };
    return { status: 200, data: viewOf(view), audit: { action: "contact_view.change", subject: was.name, details } };
  }),
  "DELETE /w/{workspace}/contact-views/{id}": endpoint({ session: "inbox", params, output: Data(Empty) }).change(
    (tx, call) => {
      const view = requireChangeable(call, getView(tx, call.workspace, call.path.id, call.user.id));
      removeView(tx, view.id);
      const audit = { action: "contact_view.remove", subject: view.name, details: { id: view.id } };
      return { status: 200, data: {}, audit };
    },
  ),
};

/** Throws `invalid_request` where the user's role may not share. */
function readView(call: Pick<WorkspaceCall, "role">, form: Static<typeof ViewForm>, wasShared: boolean): GivenView {
  const { name, is_shared: isShared, search, columns } = form;
  if (isShared && !wasShared && !hasRight(call.role, "broadcasts")) {
    throw invalidRequest({ is_shared: ["Members and owners share views; yours is for yourself."] });
  }
  const { q, ...others } = search;
  // Words that show nothing search for nothing.
  const isSearched = q !== undefined && !SHOWS_NOTHING.test(q);
  return { name, isShared, search: isSearched ? search : others, columns };
}

/** Others' shared views are changed by those who may share. Throws `invalid_request`. */
function requireChangeable(call: Pick<WorkspaceCall, "role">, view: ShownView): ShownView {
  if (view.isOwn || hasRight(call.role, "broadcasts")) return view;
  throw invalidRequest({ id: ["This view belongs to another user. Save it as your own under another name."] });
}

function viewOf({ id, name, isShared, isOwn, search, columns, gone }: ShownView): Static<typeof ContactsView> {
  return { id, name, is_shared: isShared, is_own: isOwn, search, columns: [...columns], gone };
}
