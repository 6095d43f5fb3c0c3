/**
 * A kind of free message: its form in `POST /messages`, what is kept and shown of it, and how it reads. One file each.
 * What a network makes of a kind is a file in `networks/kinds`. Pure.
 */
import type { TSchema } from "@sinclair/typebox";
import type { FieldProblems } from "#src/core/fault.ts";
import type { MessageType } from "../message.ts";

export type ServiceType = Exclude<MessageType, "template">;

export interface ServiceKind<Content, Kept> {
  /** The network's word. */
  typeOf(content: Content): ServiceType;
  /** What one reads: the caption, the body or the title. Empty if there are no words. */
  textOf(content: Content): string;
  /** The request's own member without links, as the message shows it. Null: the text is all. */
  keptOf(content: Content): Kept | null;
  /** What one reads, and how long it may be. Absent, or null: the content has no words, and none can be added. */
  wordsOf?(content: Content): Words<Content> | null;
}

export interface Words<Content> {
  /** The member of the request that holds them. */
  field: string;
  /** Empty: there is room for words, and none were given. */
  text: string;
  /** In UTF-16 units. */
  max: number;
  /** The content with other words. */
  replaced(text: string): Content;
}

/** A kind that a request can ask for. */
export interface RequestedKind<Content, Kept> extends ServiceKind<Content, Kept> {
  form: {
    /** Of the form in the API's document. */
    $id: string;
    description: string;
    /** The members of the request that the kind has of its own; that of its name is required. */
    members: Readonly<Record<string, TSchema>>;
  };
  /**
   * Of a kind whose member has several forms: the schema of the one that `value` is meant to have, because a union alone
   * says only that none fits. Absent: the schema in `form`.
   */
  fitted?(value: unknown): TSchema;
  /** `body` fits the form. Adds to `fields` what no schema can say; the content counts only if that is nothing. */
  read(body: Readonly<Record<string, unknown>>, fields: FieldProblems): Content;
}
