/** Names of files that people sent, for those who save them. */

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
  "video/quicktime": "mov",
  "video/3gpp": "3gp",
  "text/plain": "txt",
};

/** `filename`: as its sender named it. Without one, the name is made of the id. */
export function fileNameOf(contentType: string, filename: string | null, id: number): string {
  const extension = EXTENSIONS[contentType] ?? /\/([a-z0-9]{2,5})$/.exec(contentType)?.[1] ?? "bin";
  return (filename ?? `${id}.${extension}`).replace(/\p{C}|[/\\]/gu, "_").slice(0, 200);
}
