/** What systemd is told: ready when the server answers, alive while its loop turns, stopping when it stops. */
import { dlopen, ptr } from "bun:ffi";
import { expect, test } from "bun:test";
import { Workshop } from "./spawn.ts";

const [AF_UNIX, SOCK_DGRAM, MSG_DONTWAIT] = [1, 2, 0x40];

/** A datagram socket at the path, as systemd opens one. */
function listenForStates(path: string): { take(): string[]; close(): void } {
  const { symbols } = dlopen("libc.so.6", {
    socket: { args: ["int", "int", "int"], returns: "int" },
    bind: { args: ["int", "ptr", "u32"], returns: "int" },
    recv: { args: ["int", "ptr", "u64", "int"], returns: "i64" },
    close: { args: ["int"], returns: "int" },
  });
  const address = Buffer.concat([new Uint8Array(Uint16Array.of(AF_UNIX).buffer), Buffer.from(`${path}\0`)]);
  const socket = symbols.socket(AF_UNIX, SOCK_DGRAM, 0);
  if (symbols.bind(socket, ptr(address), address.length) !== 0) throw new Error(`${path} cannot be bound`);
  const buffer = Buffer.alloc(256);
  return {
    take() {
      const states: string[] = [];
      for (;;) {
        const size = Number(symbols.recv(socket, ptr(buffer), buffer.length, MSG_DONTWAIT));
        if (size <= 0) return states;
        states.push(buffer.toString("utf8", 0, size));
      }
    },
    close: () => void symbols.close(socket),
  };
}

test.skipIf(process.platform !== "linux")("systemd is told of readiness, the turning loop, and the stop", async () => {
  using workshop = new Workshop();
  const states = listenForStates(workshop.path("notify"));
  const env = { NOTIFY_SOCKET: workshop.path("notify"), WATCHDOG_USEC: "200000" };
  const { child } = await workshop.start(["serve", "--listen", "127.0.0.1:0"], { env });
  const until = async (state: string, count: number): Promise<string[]> => {
    const taken: string[] = [];
    for (let tries = 0; taken.filter((one) => one === state).length < count; tries++) {
      if (tries > 1_000) throw new Error(`only ${taken.join()}`);
      await Bun.sleep(10);
      taken.push(...states.take());
    }
    return taken;
  };
  expect((await until("WATCHDOG=1", 3))[0]).toBe("READY=1");
  // A loop that stands still feeds no watchdog.
  child.kill("SIGSTOP");
  await Bun.sleep(100);
  states.take();
  await Bun.sleep(300);
  expect(states.take()).toEqual([]);
  child.kill("SIGCONT");
  await until("WATCHDOG=1", 1);
  child.kill("SIGTERM");
  await until("STOPPING=1", 1);
  expect(await child.exited).toBe(0);
  states.close();
});
