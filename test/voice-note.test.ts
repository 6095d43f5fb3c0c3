/** Packets of Opus in WebM, as browsers record them, become an Ogg file with the same packets. */
import { afterEach, expect, test } from "bun:test";
import { recognize } from "#src/media/recognize.ts";
import { oggOfWebm } from "#src/web/features/inbox/ogg-opus.ts";

interface Listeners {
  onNote(file: File, notice: string | null): void;
  onFailure(sentence: string): void;
}

/** By a computed path, because the compiler of the tests knows no browser. */
const recorderPath = new URL("../src/web/features/inbox/voice-recording.ts", import.meta.url).href;
const { startRecording } = (await import(recorderPath)) as {
  startRecording(listeners: Listeners): Promise<{ stop(): void; discard(): void } | null>;
};

const HEAD = Uint8Array.from([...Buffer.from("OpusHead"), 1, 1, 0x38, 1, 0x80, 0xbb, 0, 0, 0, 0, 0]);
/** An element; `size`: null, it is not known. */
const element = (id: string, content: Uint8Array, isOpen = false): Uint8Array => {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(content.length));
  size[0] = 0x01;
  return Buffer.concat([Buffer.from(id, "hex"), isOpen ? Buffer.from("01ffffffffffffff", "hex") : size, content]);
};
const block = (packet: Uint8Array, flags = 0x80): Uint8Array =>
  Buffer.concat([Buffer.from([0x81, 0, 0, flags]), packet]);
const webm = (blocks: Uint8Array[], head = HEAD): Uint8Array =>
  Buffer.concat([
    element("1a45dfa3", Buffer.from("webm")),
    element(
      "18538067",
      Buffer.concat([
        element("1654ae6b", element("ae", element("63a2", head))),
        element("1f43b675", Buffer.concat(blocks), true),
      ]),
      true,
    ),
  ]);
/** A frame of 20 ms. */
const packet = (length: number, fill = 7): Uint8Array => Uint8Array.from([0x08, ...Array(length - 1).fill(fill)]);

interface Page {
  type: number;
  played: number;
  number: number;
  packets: Buffer[];
}

/** Reads the file as RFC 3533 describes it. */
function pagesOf(ogg: Buffer): Page[] {
  const pages: Page[] = [];
  for (let at = 0; at < ogg.length; ) {
    expect(ogg.toString("latin1", at, at + 4)).toBe("OggS");
    const count = ogg[at + 26] ?? 0;
    const sizes = [...ogg.subarray(at + 27, at + 27 + count)];
    const end = at + 27 + count + sizes.reduce((sum, size) => sum + size, 0);
    const page = Buffer.from(ogg.subarray(at, end));
    const sum = page.readUInt32LE(22);
    page.writeUInt32LE(0, 22);
    expect(checksum(page)).toBe(sum);
    let from = at + 27 + count;
    let length = 0;
    const packets: Buffer[] = [];
    for (const size of sizes) {
      length += size;
      if (size === 255) continue;
      packets.push(ogg.subarray(from, from + length));
      from += length;
      length = 0;
    }
    expect(from).toBe(end);
    pages.push({
      ...{ type: page[5] ?? 0, played: Number(page.readBigUInt64LE(6)), number: page.readUInt32LE(18), packets },
    });
    at = end;
  }
  return pages;
}

/** Bit by bit. */
function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum << 1) ^ (sum < 0 ? 0x04c11db7 : 0);
  }
  return sum >>> 0;
}

test("an Ogg file has every packet of the recording, with its time, and the server takes it", () => {
  // Lengths around the end of a segment, and more than a second.
  const packets = [1, 254, 255, 256, 510, 511, ...Array(120).fill(60)].map((length, index) =>
    packet(length, index % 256),
  );
  const file = oggOfWebm(webm(packets.map((one, index) => element(index % 2 === 0 ? "a3" : "a1", block(one)))));
  const ogg = Buffer.from(file ?? []);
  const [head, tags, ...pages] = pagesOf(ogg);
  expect([head?.type, head?.packets.map((one) => one.toString("latin1"))]).toEqual([
    2,
    [Buffer.from(HEAD).toString("latin1")],
  ]);
  expect(tags?.packets[0]?.toString("latin1", 0, 8)).toBe("OpusTags");
  expect(pages.flatMap((page) => page.packets).map((one) => one.toString("hex"))).toEqual(
    packets.map((one) => Buffer.from(one).toString("hex")),
  );
  expect(pages.map(({ number }) => number)).toEqual(pages.map((_, index) => index + 2));
  expect(pages.map(({ type }) => type)).toEqual(pages.map((_, index) => (index === pages.length - 1 ? 4 : 0)));
  expect(pages.at(-1)?.played).toBe(packets.length * 960);
  for (const page of pages) expect(page.packets.length).toBeLessThanOrEqual(50);
  expect(recognize(ogg, ogg, { contentType: null, filename: "Voice note.ogg" }).mimeType).toBe("audio/ogg");
});

test("packets of other lengths count as what they play", () => {
  const played = (...bytes: number[]): number | undefined =>
    pagesOf(Buffer.from(oggOfWebm(webm([element("a3", block(Uint8Array.from([...bytes, 0, 0, 0])))])) ?? [])).at(-1)
      ?.played;
  expect(played(0x00)).toBe(480);
  expect(played(0x18)).toBe(2_880);
  expect(played(0x68)).toBe(960);
  expect(played(0x80)).toBe(120);
  expect(played(0xf9)).toBe(1_920);
  expect(played(0xfb, 3)).toBe(2_880);
});

test("a recording that was cut off keeps its whole packets; one without packets is nothing; what is not Opus is refused", () => {
  const whole = webm([packet(60), packet(60)].map((one) => element("a3", block(one))));
  const cut = pagesOf(Buffer.from(oggOfWebm(whole.subarray(0, whole.length - 10)) ?? []));
  expect(cut.slice(2).flatMap(({ packets }) => packets)).toHaveLength(1);
  expect(oggOfWebm(webm([]))).toBeNull();
  expect(() => oggOfWebm(Buffer.from("not a recording"))).toThrow();
  expect(() => oggOfWebm(webm([element("a3", block(packet(60)))], Buffer.from("VorbisHead")))).toThrow("not Opus");
  expect(() => oggOfWebm(webm([element("a3", block(packet(60), 0x82))]))).toThrow("share a block");
});

/** A browser that records these types; `refusal`: why there is no microphone. */
function pretend(types: readonly string[], refusal: string | null = null) {
  const tracks = { stopped: 0 };
  const recorders: Recorder[] = [];
  class Recorder {
    static isTypeSupported = (type: string): boolean => types.includes(type);
    state = "recording";
    ondataavailable: (event: { data: Blob }) => void = () => undefined;
    onstop: () => unknown = () => undefined;
    constructor(_: unknown, { mimeType }: { mimeType: string }) {
      expect(types).toContain(mimeType);
      recorders.push(this);
    }
    start(): void {}
    stop(): void {
      this.state = "inactive";
      this.onstop();
    }
  }
  const getUserMedia = () =>
    refusal === null
      ? Promise.resolve({ getTracks: () => [{ stop: () => (tracks.stopped += 1) }] })
      : Promise.reject(new DOMException("no", refusal));
  Object.assign(globalThis, { MediaRecorder: Recorder });
  Object.defineProperty(navigator, "mediaDevices", { configurable: true, value: { getUserMedia } });
  return { recorders, tracks };
}

async function record() {
  const said: string[] = [];
  const notes: File[] = [];
  const recording = await startRecording({
    onNote: (file, notice) => {
      notes.push(file);
      if (notice !== null) said.push(notice);
    },
    onFailure: (sentence) => said.push(sentence),
  });
  return { recording, said, notes };
}

afterEach(() => {
  Reflect.deleteProperty(globalThis, "MediaRecorder");
  Reflect.deleteProperty(navigator, "mediaDevices");
});

test("a browser that cannot record says what to do", async () => {
  expect((await record()).said).toEqual([expect.stringContaining("only over HTTPS or on localhost")]);
  pretend(["audio/mp4"]);
  expect((await record()).said).toEqual([expect.stringContaining("Use a current Firefox, Chrome or Edge")]);
  for (const [name, words] of [
    ["NotAllowedError", "Allow it in the settings"],
    ["NotFoundError", "Connect one"],
    ["NotReadableError", "Close other programs"],
  ] as const) {
    pretend(["audio/webm;codecs=opus"], name);
    const { recording, said } = await record();
    expect([recording, said]).toEqual([null, [expect.stringContaining(words)]]);
  }
});

test("what is recorded as Ogg is kept as it is; discarded, nothing is; the microphone is released either way", async () => {
  const { recorders, tracks } = pretend(["audio/ogg;codecs=opus", "audio/webm;codecs=opus"]);
  const { recording, said, notes } = await record();
  recorders[0]?.ondataavailable({ data: new Blob(["OggS of a browser"]) });
  recording?.stop();
  while (notes.length === 0) await Bun.sleep(1);
  expect([notes[0]?.name, notes[0]?.type, await notes[0]?.text()]).toEqual([
    "Voice note.ogg",
    "audio/ogg",
    "OggS of a browser",
  ]);
  const discarded = await record();
  recorders[1]?.ondataavailable({ data: new Blob(["OggS"]) });
  discarded.recording?.discard();
  const empty = await record();
  empty.recording?.stop();
  while (empty.said.length === 0) await Bun.sleep(1);
  expect(empty.said).toEqual([expect.stringContaining("Nothing was recorded")]);
  expect([said, discarded.said, discarded.notes, empty.notes, tracks.stopped]).toEqual([[], [], [], [], 3]);
});

test("a recording that reaches its largest size stops, is kept, and says why", async () => {
  const { recorders } = pretend(["audio/ogg;codecs=opus"]);
  const { said, notes } = await record();
  for (let piece = 0; piece < 15; piece += 1) {
    expect(recorders[0]?.state).toBe("recording");
    recorders[0]?.ondataavailable({ data: new Blob([new Uint8Array(1024 * 1024)]) });
  }
  expect(recorders[0]?.state).toBe("inactive");
  while (notes.length === 0) await Bun.sleep(1);
  expect(notes[0]?.size).toBeLessThan(16 * 1024 * 1024);
  expect(said).toEqual([expect.stringContaining("at most 10 minutes and 16 MB")]);
});
