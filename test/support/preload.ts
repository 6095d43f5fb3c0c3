/** Loaded before every test file: the suite runs in UTC, with its databases in memory if there is room for them. */
import { statfsSync } from "node:fs";

process.env.TZ = "UTC";

const MEMORY = "/dev/shm";
const ROOM_BYTES = 4e9;

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM_BYTES;
  } catch {
    return false;
  }
}

// Hundreds of small databases would wait for a disk. The full crash tests use a real one.
if (process.env.TMPDIR === undefined && process.env.WAXWING_CRASH === undefined && hasRoom()) {
  process.env.TMPDIR = MEMORY;
}
