/** The hot statements of groups and their members: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { hotRows } from "#src/db/hot-rows.ts";
import { hotQuery, integer } from "#src/db/hot-statement.ts";
import { hotDelete, hotFind, hotInsert } from "#src/db/hot-table.ts";
import { groupMembers, groups } from "./table.ts";

const group = getTableColumns(groups);
const member = getTableColumns(groupMembers);
const { contactId } = member;

export const groupInWorkspace = hotFind(groups, ["workspaceId", "id"]);

export const groupByName = hotFind(groups, ["workspaceId", "folded"]);

export const groupsOfContact = hotQuery(
  `SELECT groups.id AS id, groups.name AS name FROM group_members JOIN groups ON groups.id = group_members.group_id
  WHERE group_members.contact_id = +:contactId ORDER BY groups.folded`,
  member,
  { id: group.id, name: group.name },
);

export const insertMember = hotInsert(groupMembers, ["groupId", "contactId"], "ON CONFLICT DO NOTHING");

export const deleteMember = hotDelete(groupMembers, ["groupId", "contactId"]);

export const membership = hotFind(groupMembers, ["groupId", "contactId"], { take: ["contactId"] });

export const memberIds = hotQuery(
  `SELECT contact_id AS contactId FROM group_members WHERE group_id = +:groupId AND contact_id > :after
  ORDER BY contact_id LIMIT +:limit`,
  { ...member, after: integer, limit: integer },
  { contactId },
);

/** Memberships, none of which exists. */
export const insertMembers = hotRows(groupMembers, member);
