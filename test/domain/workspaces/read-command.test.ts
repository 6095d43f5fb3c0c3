import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Problem } from "#src/core/problem.ts";
import { normalizeCommand } from "#src/domain/workspaces/normalize-command.ts";
import { OPT_OUT_WORDS } from "#src/domain/workspaces/opt-out-words.ts";
import { mentionsStop, readCommand } from "#src/domain/workspaces/read-command.ts";
import { requireSettings } from "#src/domain/workspaces/workspace.ts";
import { quickestMs } from "#test/support/processor-wait.ts";

const own = { stopWords: ["basta", "1"], startWords: ["Volver"] };

const stops: string[] = [
  ...["STOP", "stop", " Stop! ", "Stop...", "stop .", "STOP?!", "\n\tstop\n", "Stop promotions", "stop  PROMOTIONS."],
  // Quotation marks, Markdown and punctuation, also before the word.
  ...[
    '"STOP"',
    "“stop”",
    "„Stop“",
    "«stop»",
    "「STOP」",
    "‹stop›",
    "*STOP*",
    "_stop_",
    "~stop~",
    "```stop```",
    "`stop`",
  ],
  ...[
    "*_“Stop”_*!!",
    "> stop",
    "- stop",
    "# STOP",
    "...stop",
    "¡STOP!",
    "¿stop?",
    "(stop)",
    "[STOP]",
    "|stop|",
    "=stop=",
  ],
  // Emoji, including those that are letters at the same time, with skin tones, joiners and flags.
  ...[
    "STOP 🛑",
    "🛑STOP🛑",
    "stop 🙏🏽",
    "STOP 👨‍👩‍👧‍👦",
    "❌ stop ❌",
    "STOP ✋️",
    "STOP 🇮🇳",
    "STOP ™️",
    "STOP ℹ️",
    "stop ㊗️",
  ],
  // Invisible characters and direction marks, at the ends and inside.
  ...[
    "\u200eSTOP",
    "\u202aSTOP\u202c",
    "\ufeffstop",
    "S\u200bT\u200bO\u200bP",
    "st\u00adop",
    "\u2067stop\u2069",
    "stop\ufe0f",
  ],
  // Other forms of the same letters.
  ...["ＳＴＯＰ", "𝐒𝐓𝐎𝐏", "𝗦𝗧𝗢𝗣", "𝓢𝓽𝓸𝓹", "𝚂𝚃𝙾𝙿", "ⓈⓉⓄⓅ", "🅂🅃🄾🄿", "ﬆop", "S̶T̶O̶P̶", "śtöp"],
  // White space of every kind.
  ...["stop\u00a0all", "STOP\u3000ALL", "opt\u2003 out", "\u2800stop\u2800"],
  ...["STOPALL", "stop all", "UNSUBSCRIBE", "Unsubscribe.", "OPT OUT", "optout", "Opt-out"],
  // Polite additions.
  ...[
    "please stop",
    "Stop, please!",
    "STOP pls",
    "Please please STOP",
    "STOP por favor",
    "Bitte STOPP",
    "Stopp bitte.",
  ],
  ...[
    "Arrêt s’il vous plaît",
    "ARRET SVP",
    "कृपया रोकें",
    "请停止",
    "停止してください",
    "توقف من فضلك",
    "Пожалуйста, стоп",
  ],
  // Every language, with and without its accents.
  ...["PARAR", "sair", "Sair.", "STOPP", "abmelden", "ARRÊT", "arret", "BERHENTI", "रोकें", "रोकें।", "توقف", "توقّف"],
  ...[
    "تـوقـف",
    "СТОП",
    "стоп!",
    "停止",
    "退订",
    "退訂。",
    "UNREG",
    "הסר",
    "수신거부",
    "DESINSCRIPTION",
    "abonelikten cik",
  ],
  // The network's own buttons.
  ...["Detener promociones", "Parar promoções", "parar promocoes", "Interrompi promozioni", "Berhenti promosi"],
  ...["Werbung stoppen", "Promotionen stoppen", "Arrêter les promotions", "प्रमोशन रोकें"],
  // The workspace's own words.
  ...["Basta", "BASTA!", "1", "1️⃣", "“1.”"],
];

const starts = ["START", "start.", "“Start”", "UNSTOP", "Subscribe", "please subscribe", "Volver", "VOLVER 🙂"];

const others: string[] = [
  ...["", "...", "🎉", "!", "\u200b", "please", "por favor", "bitte bitte"],
  // Sentences that contain such a word, and words that contain one.
  ...[
    "stop it",

    "Please stop by later",
    "Don't stop",
    "non-stop",
    "bus stop",
    "Stop 5",
    "5 stops",
    "stopped",
  ],
  ...[
    "I want to stop my order",
    "When do you stop serving?",
    "Does the 14 bus stop there?",
    "Full stop",
    "unstoppable",
  ],
  ...[
    "Parar o pedido",
    "vou sair agora",
    "Ich melde mich ab",
    "कब बंद होगा",
    "停止营业吗",
    "restart",
    "start over",
    "Start now",
  ],
  // Everyday words that are close to one.
  ...[
    "ok",
    "no",
    "No.",
    "nahi",
    "acha",
    "haan",
    "fin",
    "dung",
    "đúng",
    "dùng",
    "si",
    "sí",
    "oui",
    "top",
    "shop",
    "stoop",
  ],
  // In a script whose vowel signs are combining marks, a word without its marks is a different word.
  ...["रक", "राक", "बद"],
  `stop ${"x".repeat(60)}`,
  `${"x".repeat(5_000)} stop`,
];

/** Words that people also use with another meaning. */
const ambiguous = ["CANCEL", "end", "Quit", "BAJA", "alto", "cancelar", "dur", "İPTAL", "الغاء", "बंद", "বন্ধ", "TC"];

describe("the command in a recipient's message", () => {
  for (const said of stops) {
    test(`${JSON.stringify(said)} is STOP`, () => expect(readCommand(said, own)).toBe("stop"));
  }
  for (const said of starts) {
    test(`${JSON.stringify(said)} is START`, () => expect(readCommand(said, own)).toBe("start"));
  }
  for (const said of others) {
    test(`${JSON.stringify(said.slice(0, 60))} is not a command`, () => expect(readCommand(said, own)).toBeNull());
  }

  for (const said of ambiguous) {
    test(`${JSON.stringify(said)} may be STOP`, () => expect(readCommand(said, own)).toBe("ambiguous"));
  }

  test("an ambiguous word that the workspace lists as its own is STOP", () => {
    expect(readCommand("Cancel", { stopWords: ["cancel"], startWords: [] })).toBe("stop");
  });

  test("STOP inside more text is a mention, and a part of another word is not", () => {
    const mentions = ["please stop sending me this", "l'arrêt", "I said “STOP”, thanks", "não basta"];
    const others = ["nonstop", "non-stop", "shops", "stopped", "5 or 1", "停止营业吗", ""];
    expect(mentions.filter((said) => !mentionsStop(said, own))).toEqual([]);
    expect(others.filter((said) => mentionsStop(said, own))).toEqual([]);
  });

  test("a text of the greatest length is read in a moment, whatever it is made of", () => {
    const longTexts = ["stop", "stopstop ", "please ", "s", "🛑", "\u0300", "x stop-", "ﷺ"].map((part) =>
      part.repeat(70_000),
    );
    const read = () => longTexts.map((said) => [readCommand(said, own), mentionsStop(said, own)]);
    expect(quickestMs(read)).toBeLessThan(2_000);
  });

  test("STOP with any emoji around it is STOP", () => {
    const missed: string[] = [];
    for (let code = 0; code <= 0x1ffff; code += 1) {
      const sign = String.fromCodePoint(code);
      if (!/\p{Emoji}/u.test(sign) || /[0-9]/.test(sign)) continue;
      if (readCommand(`${sign}\ufe0f STOP${sign}\ufe0f`, own) !== "stop") missed.push(code.toString(16));
    }
    expect(missed).toEqual([]);
  });

  test("every word of the list is found, however it is written, and only an unambiguous one is STOP", () => {
    const wrong = OPT_OUT_WORDS.filter(({ word, isAmbiguous }) => {
      const forms = [word, word.toLowerCase(), word.toUpperCase(), word.normalize("NFD"), `“${word}” 🛑`];
      return forms.some((form) => readCommand(form, own) !== (isAmbiguous ? "ambiguous" : "stop"));
    });
    expect(wrong).toEqual([]);
  });

  test("a stop word of the workspace is recognised in every form", () => {
    const stored = { stopWords: ["não", "нет!"], startWords: [] };
    for (const said of ["NÃO", "nao", "Нет"]) expect(readCommand(said, stored)).toBe("stop");
  });
});

describe("the normal form of a text", () => {
  const pieces = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom(
      "stop",
      "please",
      "请",
      "“",
      "🛑",
      " ",
      "\u200b",
      "ẞ",
      "İ",
      "Σ",
      "ﷺ",
      "\u0345",
      "ǰ",
      "\ud83d",
      "רב",
    ),
  );
  const texts = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(""));

  test("is the same after normalising twice", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = normalizeCommand(text);
        expect(normalizeCommand(once)).toBe(once);
      }),
      { numRuns: 3_000 },
    );
  });

  test("is the same after normalising twice, for every single character that is assigned", () => {
    const changed: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      if (/[\p{Cn}\p{Co}]/u.test(character)) continue;
      const once = normalizeCommand(`a${character}b`);
      if (normalizeCommand(once) !== once) changed.push(code.toString(16));
    }
    expect(changed).toEqual([]);
  }, 60_000);

  test("has at most 64 characters, and no decoration at its ends", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const said = normalizeCommand(text);
        expect([...said].length).toBeLessThanOrEqual(64);
        expect(/^[\s\p{P}\p{S}]|[\s\p{P}\p{S}]$/u.test(said)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
    expect(normalizeCommand("x".repeat(64))).toBe("x".repeat(64));
    expect(normalizeCommand("x".repeat(65))).toBe("");
  });

  test("ignores everything after the first 4,096 characters", () => {
    expect(normalizeCommand(`stop${" ".repeat(4_092)}no`)).toBe("stop");
    expect(normalizeCommand(`stop${" ".repeat(4_091)}no`)).toBe(`stop n`);
  });
});

describe("a workspace's own stop and start words", () => {
  const settings = { name: "Shop", country: "IN", timezone: "UTC", dailyCap: null, stopWords: [], startWords: [] };
  const refusal = (more: object) => {
    try {
      requireSettings({ ...settings, ...more });
      return null;
    } catch (error) {
      return (error as Problem).details.fields;
    }
  };

  test("are stored as given, without white space around them", () => {
    const kept = requireSettings({ ...settings, stopWords: [" «NÃO»", " "], startWords: ["Volver!"] });
    expect([kept.stopWords, kept.startWords]).toEqual([["«NÃO»"], ["Volver!"]]);
  });

  test("are refused when no message could ever match them", () => {
    expect(refusal({ stopWords: ["🛑"] })).toHaveProperty("stop_words");
    expect(refusal({ startWords: ["x".repeat(65)] })).toHaveProperty("start_words");
  });

  test("are refused when a word means both STOP and START", () => {
    expect(refusal({ stopWords: ["Unstop"] })).toHaveProperty("stop_words");
    expect(refusal({ startWords: ["parar"] })).toHaveProperty("stop_words");
    expect(refusal({ stopWords: ["hola"], startWords: ["¡HOLA!"] })).toHaveProperty("stop_words");
    expect(refusal({ stopWords: ["cancel"] })).toBeNull();
  });
});
