/** Uploads at the end of their life. */
import { expect, test } from "bun:test";
import { expireUploads } from "#src/domain/media/release.ts";
import { single } from "#test/support/database.ts";
import { openTestStore } from "#test/support/store.ts";

const PEOPLE = 1_250;

test("an upload that very many people got is removed in slices, and the others with it", async () => {
  using at = await openTestStore(0);
  const { store, shop } = at;
  const { client } = store;
  client.pragma("foreign_keys = OFF");
  client.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PEOPLE})
    INSERT INTO upload_people SELECT 1, i FROM n UNION ALL SELECT 2, 1`);
  client.exec(`INSERT INTO media_files (id, workspace_id, hash, bytes, content_type, refs, upload_refs, created_at)
    VALUES (1, ${shop.id}, 'a', 1, 'image/png', 1, 1, 0), (2, ${shop.id}, 'b', 1, 'image/png', 1, 1, 0)`);
  client.exec(`INSERT INTO uploads (id, workspace_id, file_id, mime_type, state, created_at, used_at)
    VALUES (1, ${shop.id}, 1, 'image/png', 'stored', 0, 0), (2, ${shop.id}, 2, 'image/png', 'stored', 0, 1)`);
  const people = (): unknown => single(client, "SELECT count(*) FROM upload_people");
  const expire = (): Promise<number> => store.write((tx) => expireUploads(tx, 10, 200));
  // As many as were asked for: the caller asks again.
  expect([await expire(), people(), single(client, "SELECT count(*) FROM uploads")]).toEqual([200, 751, 2]);
  expect([await expire(), people()]).toEqual([200, 251]);
  expect([await expire(), people(), single(client, "SELECT count(*) FROM uploads")]).toEqual([2, 0, 0]);
  expect(await expire()).toBe(0);
});
