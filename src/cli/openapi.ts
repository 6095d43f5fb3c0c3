/** `waxwing openapi`: the API's description, as the server publishes it at `/docs/openapi.json`. */
import { type Command, command } from "./command.ts";

export const commands: readonly Command[] = [
  command("openapi", { summary: "Print the OpenAPI document", needsNoData: true }, {}, async ({ io }) => {
    const { openApiText } = await import("#src/http/api/openapi/openapi.ts");
    // Byte for byte what the server publishes, with or without --json.
    io.out(openApiText());
    return null;
  }),
];
