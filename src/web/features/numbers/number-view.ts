/** Numbers, the doctor's findings, and what connecting a number shows, as the server's JSON has them. */
import type { Entry, Output } from "../../data/api.ts";

export type SendingNumber = Entry<"GET /w/{workspace}/numbers">;

export type Finding = Entry<"GET /w/{workspace}/numbers/{id}/findings">;

export type Connection = Output<"GET /w/{workspace}/connection">;

export type OfferedAccount = Entry<"GET /w/{workspace}/connection/numbers">;

export type OfferedNumber = OfferedAccount["numbers"][number];

export type NumberProfile = Output<"GET /w/{workspace}/numbers/{id}/profile">;
