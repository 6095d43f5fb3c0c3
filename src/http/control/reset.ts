/** `/control/v1/reset`: back to the state after the start. */
import { Type } from "@sinclair/typebox";
import { answerJson, type ControlRoute } from "./route.ts";

export const resetRoutes: readonly ControlRoute[] = [
  {
    method: "POST",
    path: "/reset",
    body: Type.Object({}, { additionalProperties: false }),
    async handle({ reset }) {
      await reset();
      return answerJson({});
    },
  },
];
