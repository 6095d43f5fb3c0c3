/** The hot statements of templates: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery } from "#src/db/hot-statement.ts";
import { sampleUploads, templates } from "./table.ts";

const template = getTableColumns(templates);
const upload = getTableColumns(sampleUploads);

/** Every language of a template. */
export const templatesByName = hotQuery(
  `SELECT ${columns(template)} FROM templates
  WHERE workspace_id = +:workspaceId AND account_id = +:accountId AND name = +:name ORDER BY language`,
  template,
  template,
);

export const templateInAccount = hotQuery(
  `SELECT ${columns(template)} FROM templates
  WHERE account_id = +:accountId AND name = +:name AND language = +:language AND workspace_id = +:workspaceId`,
  template,
  template,
);

export const sampleUpload = hotQuery(
  `SELECT ${columns(upload)} FROM sample_uploads WHERE number_id = +:numberId AND link = +:link`,
  upload,
  upload,
);
