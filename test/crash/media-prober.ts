/** Sends messages at a steady pace and prints how long each took, milliseconds: `media-prober.ts URL KEY MS`. */
const [url = "", key = "", ms = "0"] = process.argv.slice(2);
const PER_SECOND = 50;
const latencies: number[] = [];
const running = new Set<Promise<void>>();

async function send(index: number): Promise<void> {
  const startedAt = performance.now();
  const answered = await fetch(`${url}/api/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ to: `+4915112${100_000 + (index % 1_000)}`, template: "greeting", variables: ["Anna"] }),
  });
  const text = await answered.text();
  if (answered.status !== 201) throw new Error(`${answered.status}: ${text}`);
  latencies.push(performance.now() - startedAt);
}

const until = performance.now() + Number(ms);
let next = performance.now();
for (let index = 0; performance.now() < until; index++) {
  const one: Promise<void> = send(index).finally(() => running.delete(one));
  running.add(one);
  next += 1_000 / PER_SECOND;
  await Bun.sleep(Math.max(0, next - performance.now()));
}
await Promise.all(running);
console.log(JSON.stringify(latencies));

export {};
