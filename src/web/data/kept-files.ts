/**
 * Files that the server does not have yet, as this browser keeps them: those of drafts and those that wait for the line. Each belongs
 * to one user and one conversation. In IndexedDB, because the drafts' own storage takes texts alone.
 */
const DATABASE = "waxwing-files";
const STORE = "files";
/** The key of a file that is dropped, by its name, in the storage of texts: a page that ends may not live to see it dropped. */
const DROPPED = "waxwing-dropped ";
/** As drafts are kept. */
const KEPT_MS = 30 * 86_400_000;
/** Of all users of the browser. */
const BYTES_MAX = 200 * 1024 * 1024;

interface Owned {
  userId: number;
  workspaceId: number;
  contactId: number;
}

interface Kept extends Owned {
  file: File;
  /** The same for each copy of the file. */
  fileKey: string;
  until: number;
}

let opening: Promise<IDBDatabase> | null = null;

/** Resolves to whether the browser keeps it now: it may have no room, or keep nothing. `name`: unique in the browser. */
export async function keepFile(name: string, place: Owned, file: File, fileKey: string): Promise<boolean> {
  const { userId, workspaceId, contactId } = place;
  const kept: Kept = { ...{ userId, workspaceId, contactId, file, fileKey }, until: Date.now() + KEPT_MS };
  if (droppedKey(name) === fileKey) unmark(name);
  try {
    let hasRoom = false;
    // In one transaction: the file may be sent and dropped meanwhile, and does not come back then.
    await inStore("readwrite", (store) => {
      const all = store.getAll() as IDBRequest<Kept[]>;
      all.onsuccess = () => {
        hasRoom = all.result.reduce((sum, one) => sum + one.file.size, file.size) <= BYTES_MAX;
        if (hasRoom) store.put(kept, name);
      };
      return all;
    });
    return hasRoom;
  } catch {
    return false;
  }
}

/** Null: it is not there, or not any more. */
export async function readKept(name: string): Promise<{ file: File; fileKey: string } | null> {
  try {
    const kept = await inStore("readonly", (store) => store.get(name) as IDBRequest<Kept | undefined>);
    if (kept === undefined) return null;
    if (kept.until >= Date.now() && droppedKey(name) !== kept.fileKey) return kept;
    await dropFile(name);
    return null;
  } catch {
    return null;
  }
}

export async function dropFile(name: string): Promise<void> {
  await inStore("readwrite", (store) => store.delete(name)).then(
    () => unmark(name),
    () => undefined,
  );
}

/** From now on, the file is not there, although another of the same name may be. */
export function markDropped(name: string, fileKey: string): void {
  try {
    localStorage.setItem(DROPPED + name, fileKey);
  } catch {
    // Storage is full or switched off.
  }
}

function unmark(name: string): void {
  try {
    localStorage.removeItem(DROPPED + name);
  } catch {
    // Nothing is kept.
  }
}

function droppedKey(name: string): string | null {
  try {
    return localStorage.getItem(DROPPED + name);
  } catch {
    return null;
  }
}

/** The person was erased: what any user of this browser was about to send them goes. */
export async function dropFilesTo(workspaceId: number, contactId: number): Promise<void> {
  await dropWhere((one) => one.workspaceId === workspaceId && one.contactId === contactId).catch(() => undefined);
}

async function dropWhere(isOver: (one: Kept) => boolean): Promise<void> {
  await inStore("readwrite", (store) => {
    const asked = store.openCursor();
    asked.onsuccess = () => {
      const cursor = asked.result;
      if (cursor === null) return;
      if (isOver(cursor.value as Kept)) cursor.delete();
      cursor.continue();
    };
    return asked;
  });
}

/** Resolves once the transaction is complete: on disk, as far as the browser says. */
async function inStore<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  opening ??= open();
  const database = await opening.catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, mode);
    const asked = act(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(asked.result);
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(DATABASE, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE);
    asked.onerror = () => reject(asked.error);
    asked.onsuccess = () => {
      resolve(asked.result);
      const now = Date.now();
      // So that files of conversations that are never opened again do not stay.
      setTimeout(() => void dropWhere(({ until }) => until < now).catch(() => undefined));
    };
  });
}
