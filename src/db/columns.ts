/** Column types shared by every table, so that an instant or an amount is stored the same way everywhere. */
import { customType, integer } from "drizzle-orm/sqlite-core";

/** Milliseconds since the epoch. */
export const instant = () => integer({ mode: "number" });

/** Integer millionths of the currency's unit. */
export const micros = () => integer({ mode: "number" });

/** 0 or 1 in the database, a boolean in the code. */
export const flag = () => integer({ mode: "boolean" });

/** Raw bytes. */
export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "blob" });
