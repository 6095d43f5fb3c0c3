/** One Elysia route that returns a constant object: the bare comparison for `GET /me`. */
import { Elysia } from "elysia";
import { answerJobs, partArgument } from "../part.ts";

const { json } = partArgument<{ json: Record<string, unknown> }>();

const app = new Elysia().get("/api/v1/me", () => json).listen({ hostname: "127.0.0.1", port: 0 });

answerJobs(app.server?.port ?? 0, () => Promise.resolve(null));
