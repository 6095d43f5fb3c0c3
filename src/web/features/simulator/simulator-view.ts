/** The simulator, as the server's JSON has it. */
import type { Output } from "../../data/api.ts";

export type SimulatedNumber = SimulatorState["numbers"][number];

export type Phone = SimulatorState["phones"][number];

export type SimulatorState = Output<"GET /w/{workspace}/simulator">;
