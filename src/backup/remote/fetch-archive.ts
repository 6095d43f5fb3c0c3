/** Fetches an archive from a store, decrypts it and unpacks it in one pass. */
import { dirname } from "node:path";
import { type Unpacked, unpack } from "../archive/unpack.ts";
import { requireFreeSpace, UNFINISHED } from "../files.ts";
import { decrypt } from "./encryption.ts";
import type { ObjectStore } from "./object-store.ts";

/** There is no such object in the store. */
export class NoSuchArchive extends Error {
  override readonly name = "NoSuchArchive";
}

interface FetchRequest {
  store: ObjectStore;
  key: string;
  recoveryKeys: readonly string[];
  /** The database that is to be replaced: the archive's is unpacked beside it. */
  database: string;
  mediaDirectory: string;
}

export async function fetchArchive(request: FetchRequest): Promise<Unpacked> {
  const { store, key, recoveryKeys, database, mediaDirectory } = request;
  const found = (await store.list(key, 1)).find((object) => object.key === key);
  if (found === undefined) throw new NoSuchArchive(key);
  requireFreeSpace(dirname(database), found.bytes, "the archive");
  const file = `${database}${UNFINISHED}-fetched-${process.pid}`;
  return unpack(await decrypt(recoveryKeys, store.get(key)), { file, mediaDirectory });
}
