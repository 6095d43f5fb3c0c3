/** Hours of the day in which marketing waits: `21:00-08:00`. */

/** Minutes after midnight, the end exclusive. The hours span midnight if `fromMinute` is the larger one. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** Null: these are not two different times of day, `HH:MM-HH:MM`. */
export function readQuietHours(text: string): QuietHours | null {
  const parts = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (parts === null) return null;
  const fromMinute = Number(parts[1]) * 60 + Number(parts[2]);
  const toMinute = Number(parts[3]) * 60 + Number(parts[4]);
  return fromMinute === toMinute ? null : { fromMinute, toMinute };
}

/** `21:00-08:00` */
export function formatQuietHours({ fromMinute, toMinute }: QuietHours): string {
  return `${formatMinute(fromMinute)}-${formatMinute(toMinute)}`;
}

/** `08:00` */
export function formatMinute(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}
