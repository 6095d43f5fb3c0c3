/**
 * How much a way into the server may cost. The bounds come from one rule and never from a measurement; what may cost more
 * has a line here with the reason.
 */

const KIBIBYTE = 1024;
export const MEBIBYTE = 1024 * KIBIBYTE;

/**
 * What a way answers with. `one`: a thing, made at once. `rows`: a list, made while it is sent. `file`: a download without
 * an end that we set. `document`: a page or file of ours. `command`: a process beside the server, whose writes the server
 * waits for.
 */
export type Kind = "one" | "rows" | "file" | "document" | "command";

export interface Bounds {
  /** Processor time of the server's thread between two chances for others; of a command, of one write. */
  sliceMs: number;
  bytes: number;
  /** How much more the process may hold at once. */
  memory: number;
}

/**
 * A thing fits in one piece of what is sent; a page has 500 rows of 128 KiB. The writes of a command are as long as those of
 * an import beside the server.
 */
export const RULE: Readonly<Record<Kind, Bounds>> = {
  one: { sliceMs: 5, bytes: 256 * KIBIBYTE, memory: 32 * MEBIBYTE },
  rows: { sliceMs: 5, bytes: 64 * MEBIBYTE, memory: 64 * MEBIBYTE },
  file: { sliceMs: 5, bytes: Number.POSITIVE_INFINITY, memory: 64 * MEBIBYTE },
  document: { sliceMs: 5, bytes: 4 * MEBIBYTE, memory: 32 * MEBIBYTE },
  command: { sliceMs: 10, bytes: 64 * MEBIBYTE, memory: 256 * MEBIBYTE },
};

interface Exception extends Partial<Bounds> {
  ways: RegExp;
  why: string;
}

export const exceptions: readonly Exception[] = [
  {
    ways: /^(API|console): POST .*\/broadcasts$|\/drafts\/\{id\}\/(send|check|values)$|\/broadcasts\/preview$/,
    sliceMs: 25,
    why: "A list has 1,000 people. It is accepted as a whole or not at all, in one transaction, and the preview is the same reading.",
  },
  {
    ways: /^(API|console): PUT .*\/contacts\/\{phone\}$/,
    sliceMs: 30,
    bytes: 2 * MEBIBYTE,
    why: "One person with a form of 1 MiB, a hundred new tags and a hundred new groups is one change, which is written and answered as a whole.",
  },
  {
    ways: /^(API|console): (POST|PUT|PATCH|DELETE) /,
    sliceMs: 30,
    why: "A form of 1 MiB is parsed in one piece, when it is the sender's turn: as many values under names that differ take 15 to 25 ms.",
  },
  {
    ways: /^console: GET \/w\/\{workspace\}\/(inbox\/\{contact\}|simulator.*|messages\/\{id\})$/,
    sliceMs: 30,
    bytes: 4 * MEBIBYTE,
    why: "What one person wrote is shown as a screen, of 50 texts with up to 64 KiB each, when it is the workspace's turn.",
  },
  {
    ways: /^console: GET \/(users|workspaces)$/,
    sliceMs: 10,
    why: "Only operators of the server ask, and a server has fewer than the 500 that are measured.",
  },
  {
    ways: /^command: callback replay$/,
    sliceMs: 150,
    why: "Bodies of 4 MiB are written again, up to a thousand callbacks in one transaction, when an operator says so.",
  },
  {
    ways: /^server: POST \/networks\/whatsapp/,
    sliceMs: 25,
    why: "A body of the network has up to 4 MiB and is parsed in one piece. Only a signed one is.",
  },
  {
    ways: /^command: contact opt-out$/,
    sliceMs: 25,
    why: "The first write of the process compiles its statements; each person of 25 leaves an entry, an event and a delivery.",
  },
  {
    ways: /^command: contact join$/,
    sliceMs: 25,
    why: "A process that has just started compiles some forty statements in the one transaction that decides a join.",
  },
  {
    ways: /^command: contact erase$/,
    sliceMs: 40,
    why: "A process that has just started compiles some sixty statements, and no request waits for a command.",
  },
  {
    ways: /^(command: webhook clear|console: DELETE \/w\/\{workspace\}\/webhook)$/,
    sliceMs: 60,
    why: "Deliveries that wait for the address end with it, in one transaction: 0.1 ms each.",
  },
  {
    ways: /^console: POST \/(sign-in|links\/use|lost-password\/use|me\/confirmation|me\/second-factor\/\w+)$|^console: PUT \/me\/password$/,
    memory: 96 * MEBIBYTE,
    why: "A password is hashed with 64 MiB, on another thread; two at a time on the whole server.",
  },
];
