/** The hot statements of templates: see `db/hot-statement.ts`. */
import { hotFind } from "#src/db/hot-table.ts";
import { sampleUploads, templates } from "./table.ts";

/** Every language of a template. */
export const templatesByName = hotFind(templates, ["workspaceId", "accountId", "name"], { rest: "ORDER BY language" });

export const templateInAccount = hotFind(templates, ["accountId", "name", "language", "workspaceId"]);

export const sampleUpload = hotFind(sampleUploads, ["numberId", "link"]);

export const templateById = hotFind(templates, ["workspaceId", "id"]);
