/** A group, as the JSON of the API and the console has it. */
import type { Entry, Output } from "../../data/api.ts";

export type Group = Entry<"GET /w/{workspace}/groups">;

export type SamplePerson = GroupDetail["sample"][number];

export type GroupDetail = Output<"GET /w/{workspace}/groups/{id}">;
