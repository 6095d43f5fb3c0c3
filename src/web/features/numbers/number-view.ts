/** A number and the doctor's findings, as the server's JSON has them. */
import type { Entry } from "../../data/api.ts";

export type SendingNumber = Entry<"GET /w/{workspace}/numbers">;

export type Finding = Entry<"GET /w/{workspace}/numbers/{id}/findings">;
