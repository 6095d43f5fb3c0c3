/**
 * Writes one HTTP request as a sample in five languages: curl, TypeScript, Python, PHP and Go, each with nothing but what
 * the language brings. The key is taken from the environment variable WAXWING_KEY.
 */

export interface SampleRequest {
  method: string;
  url: string;
  /** Besides `Authorization` and `Content-Type`. */
  headers: Readonly<Record<string, string>>;
  /** The JSON of the body; absent: the request has none. */
  body?: unknown;
  /** The answer is a file instead of JSON. */
  isFile?: boolean;
  /** The name of a file that the request sends, as a form of one part, instead of a body. */
  upload?: string;
}

export interface Sample {
  language: Language;
  text: string;
}

/** In the order in which they are offered. The name is that of a fenced block in Markdown. */
export const languages = ["sh", "ts", "python", "php", "go"] as const;
export type Language = (typeof languages)[number];

export const languageNames: Readonly<Record<Language, string>> = {
  sh: "curl",
  ts: "TypeScript",
  python: "Python",
  php: "PHP",
  go: "Go",
};

export function isLanguage(name: string): name is Language {
  return languages.some((language) => language === name);
}

const writers: Readonly<Record<Language, (request: SampleRequest) => string>> = {
  sh: curl,
  ts: typescript,
  python,
  php,
  go,
};

export function samplesOf(request: SampleRequest): Sample[] {
  return languages.map((language) => ({ language, text: writers[language](request) }));
}

export function curl({ method, url, headers, body, isFile, upload }: SampleRequest): string {
  const implied = body === undefined && upload === undefined ? "GET" : "POST";
  const lines = [
    `curl ${/[?&]/.test(url) ? `"${url}"` : url}`,
    '-H "Authorization: Bearer $WAXWING_KEY"',
    ...(method === implied ? [] : [`-X ${method}`]),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"']),
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d '${literal(body, jsonWords).replaceAll("'", "'\\''")}'`]),
    ...(upload === undefined ? [] : [`-F file=@${upload}`]),
    ...(isFile ? ["-o file"] : []),
  ];
  return lines.join(" \\\n  ");
}

function typescript({ method, url, headers, body, isFile, upload }: SampleRequest): string {
  const lines = [
    ...(isFile ? ['import { writeFile } from "node:fs/promises";', ""] : []),
    ...(upload === undefined
      ? []
      : [
          'import { readFile } from "node:fs/promises";',
          "",
          "const form = new FormData();",
          `form.append("file", new File([await readFile(${quote(upload)})], ${quote(upload)}));`,
        ]),
    `const response = await fetch(${quote(url)}, {`,
    ...(method === "GET" ? [] : [`  method: ${quote(method)},`]),
    "  headers: {",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a program.
    "    Authorization: `Bearer ${process.env.WAXWING_KEY}`,",
    ...(body === undefined ? [] : ['    "Content-Type": "application/json",']),
    ...Object.entries(headers).map(([name, value]) => `    ${quote(name)}: ${quote(value)},`),
    "  },",
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(literal(body, javascriptWords), 2)}),`]),
    ...(upload === undefined ? [] : ["  body: form,"]),
    "});",
    isFile
      ? 'await writeFile("file", new Uint8Array(await response.arrayBuffer()));'
      : "console.log(response.status, await response.json());",
  ];
  return lines.join("\n");
}

function python({ method, url, headers, body, isFile, upload }: SampleRequest): string {
  const lines = [
    `import ${isFile ? "" : "json, "}os, urllib.error, urllib.request${upload === undefined ? "" : ", uuid"}`,
    "",
    ...(upload === undefined
      ? []
      : [
          "boundary = uuid.uuid4().hex",
          `head = f'--{boundary}\\r\\nContent-Disposition: form-data; name="file"; filename="${upload}"\\r\\n\\r\\n'`,
          `with open(${quote(upload)}, "rb") as file:`,
          '    form = head.encode() + file.read() + f"\\r\\n--{boundary}--\\r\\n".encode()',
        ]),
    "request = urllib.request.Request(",
    `    ${quote(url)},`,
    ...(method === "GET" ? [] : [`    method=${quote(method)},`]),
    "    headers={",
    '        "Authorization": "Bearer " + os.environ["WAXWING_KEY"],',
    ...(body === undefined ? [] : ['        "Content-Type": "application/json",']),
    ...(upload === undefined ? [] : ['        "Content-Type": "multipart/form-data; boundary=" + boundary,']),
    ...Object.entries(headers).map(([name, value]) => `        ${quote(name)}: ${quote(value)},`),
    "    },",
    ...(body === undefined ? [] : [`    data=json.dumps(${indented(literal(body, pythonWords), 4)}).encode(),`]),
    ...(upload === undefined ? [] : ["    data=form,"]),
    ")",
    "try:",
    "    with urllib.request.urlopen(request) as response:",
    ...(isFile
      ? ['        with open("file", "wb") as file:', "            file.write(response.read())"]
      : ["        print(response.status, json.load(response))"]),
    "except urllib.error.HTTPError as error:",
    "    print(error.code, error.read().decode())",
  ];
  return lines.join("\n");
}

function php({ method, url, headers, body, isFile, upload }: SampleRequest): string {
  const lines = [
    "<?php",
    `$curl = curl_init(${phpQuote(url)});`,
    "curl_setopt_array($curl, [",
    "    CURLOPT_RETURNTRANSFER => true,",
    ...(method === "GET" ? [] : [`    CURLOPT_CUSTOMREQUEST => ${phpQuote(method)},`]),
    "    CURLOPT_HTTPHEADER => [",
    '        "Authorization: Bearer " . getenv("WAXWING_KEY"),',
    ...(body === undefined ? [] : ['        "Content-Type: application/json",']),
    ...Object.entries(headers).map(([name, value]) => `        ${phpQuote(`${name}: ${value}`)},`),
    "    ],",
    ...(body === undefined ? [] : [`    CURLOPT_POSTFIELDS => json_encode(${indented(literal(body, phpWords), 4)}),`]),
    ...(upload === undefined ? [] : [`    CURLOPT_POSTFIELDS => ["file" => new CURLFile(${phpQuote(upload)})],`]),
    "]);",
    isFile
      ? 'file_put_contents("file", curl_exec($curl));'
      : 'echo curl_exec($curl), "\\n", curl_getinfo($curl, CURLINFO_RESPONSE_CODE), "\\n";',
  ];
  return lines.join("\n");
}

function go({ method, url, headers, body, isFile, upload }: SampleRequest): string {
  const packages = [
    ...(upload === undefined ? [] : ["bytes"]),
    ...(isFile ? [] : ["fmt"]),
    "io",
    "log",
    ...(upload === undefined ? [] : ["mime/multipart"]),
    "net/http",
    "os",
    ...(body === undefined ? [] : ["strings"]),
  ];
  const failing = ["\tif err != nil {", "\t\tlog.Fatal(err)", "\t}"];
  const sent = upload === undefined ? (body === undefined ? "nil" : "body") : "&body";
  const lines = [
    "package main",
    "",
    "import (",
    ...packages.map((name) => `\t${quote(name)}`),
    ")",
    "",
    "func main() {",
    ...(body === undefined ? [] : [`\tbody := strings.NewReader(\`${literal(body, jsonWords)}\`)`]),
    ...(upload === undefined
      ? []
      : [
          `\tcontent, err := os.ReadFile(${quote(upload)})`,
          ...failing,
          "\tvar body bytes.Buffer",
          "\tform := multipart.NewWriter(&body)",
          `\tpart, err := form.CreateFormFile("file", ${quote(upload)})`,
          ...failing,
          "\tpart.Write(content)",
          "\tform.Close()",
        ]),
    `\trequest, err := http.NewRequest(${quote(method)}, ${quote(url)}, ${sent})`,
    ...failing,
    '\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("WAXWING_KEY"))',
    ...(body === undefined ? [] : ['\trequest.Header.Set("Content-Type", "application/json")']),
    ...(upload === undefined ? [] : ['\trequest.Header.Set("Content-Type", form.FormDataContentType())']),
    ...Object.entries(headers).map(([name, value]) => `\trequest.Header.Set(${quote(name)}, ${quote(value)})`),
    "\tresponse, err := http.DefaultClient.Do(request)",
    ...failing,
    "\tdefer response.Body.Close()",
    "\tanswer, err := io.ReadAll(response.Body)",
    ...failing,
    ...(isFile
      ? ['\tif err := os.WriteFile("file", answer, 0o600); err != nil {', "\t\tlog.Fatal(err)", "\t}"]
      : ["\tfmt.Println(response.StatusCode, string(answer))"]),
    "}",
  ];
  return lines.join("\n");
}

/** How a language writes what JSON can hold. */
interface Words {
  true: string;
  false: string;
  null: string;
  object: readonly [open: string, close: string];
  emptyObject: string;
  arrow: string;
  unit: string;
  /** Whether names of members stand without quotes where they can. */
  hasPlainNames: boolean;
  quote: (text: string) => string;
  /** After the last member, where each stands on a line of its own. */
  lastComma: string;
}

const jsonWords: Words = {
  ...{ true: "true", false: "false", null: "null" },
  ...{ object: ["{", "}"], emptyObject: "{}", arrow: ": ", unit: "  " },
  ...{ hasPlainNames: false, quote, lastComma: "" },
};

const javascriptWords: Words = { ...jsonWords, hasPlainNames: true, lastComma: "," };

const pythonWords: Words = { ...jsonWords, true: "True", false: "False", null: "None", unit: "    ", lastComma: "," };

const phpWords: Words = {
  ...jsonWords,
  ...{ object: ["[", "]"], emptyObject: "new stdClass", arrow: " => ", unit: "    " },
  ...{ quote: phpQuote, lastComma: "," },
};

/** Short lists and objects on one line, the others a member a line. */
function literal(value: unknown, words: Words): string {
  if (value === null) return words.null;
  if (typeof value === "boolean") return value ? words.true : words.false;
  if (typeof value !== "object") return typeof value === "string" ? words.quote(value) : String(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, words));
    return laidOut(items, ["[", "]"], words);
  }
  const members = Object.entries(value).map(([name, member]) => {
    const written = words.hasPlainNames && /^[a-z_]\w*$/i.test(name) ? name : words.quote(name);
    return `${written}${words.arrow}${literal(member, words)}`;
  });
  return members.length === 0 ? words.emptyObject : laidOut(members, words.object, words);
}

const LINE_MAX = 70;

function laidOut(items: readonly string[], [open, close]: readonly [string, string], words: Words): string {
  const line = items.join(", ");
  if (line.length <= LINE_MAX && !line.includes("\n")) {
    return open === "{" && words.hasPlainNames ? `{ ${line} }` : `${open}${line}${close}`;
  }
  const lines = items.map((item) => words.unit + indented(item, words.unit.length)).join(",\n");
  return `${open}\n${lines}${words.lastComma}\n${close}`;
}

function indented(text: string, spaces: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(spaces)}`);
}

/** JSON's strings are valid in all of these languages. */
function quote(text: string): string {
  return JSON.stringify(text);
}

/** In PHP, a dollar sign would begin a variable. */
function phpQuote(text: string): string {
  return quote(text).replaceAll("$", "\\$");
}
