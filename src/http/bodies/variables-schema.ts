/** The schemas of template values and of the header file in request bodies. Pure. */
import { Type } from "@sinclair/typebox";
import { inDocument } from "#src/core/schema.ts";

const LINK_LENGTH_MAX = 2048;
const FILENAME_LENGTH_MAX = 240;

/** More than any template has placeholders. */
export const VALUES_MAX = 100;

/** One line that is not blank and has at most four spaces in a row. */
export const VALUE_PATTERN = "^ {0,4}([^\\S\\n\\r\\t ] {0,4})*\\S {0,4}([^\\n\\r\\t ] {0,4})*$";

/** What `readLiteral` checks. */
export const LiteralValue = inDocument(Type.Unsafe<string | number>({ type: ["string", "number"] }), {
  pattern: VALUE_PATTERN,
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
});

export const VALUE_RULES =
  "A text is one line, is not blank and has at most four spaces in a row; a number needs no exponent.";

const Values = Type.Array(LiteralValue, {
  maxItems: VALUES_MAX,
  description: `Values in the order of the placeholders. ${VALUE_RULES}`,
  examples: [["Asha", 10042]],
});

const VariableParts = Type.Object(
  { header: Type.Optional(Values), body: Type.Optional(Values) },
  { additionalProperties: false, description: "Separate values for the header and the body." },
);

export const VariablesBody = Type.Union([Values, VariableParts], {
  $id: "Variables",
  description:
    "Values for the template's placeholders: an array fills the body; an object has separate values for the header and the body.",
});

export const MediaBody = Type.Object(
  {
    link: inDocument(
      Type.String({
        format: "uri",
        maxLength: LINK_LENGTH_MAX,
        description:
          "A public HTTPS URL, which the network fetches when the message is sent. JPG or PNG up to 5 MB, MP4 up to 16 MB, or PDF up to 100 MB, matching the media type of the template.",
        examples: ["https://files.example.com/invoice-10042.pdf"],
      }),
      { pattern: "^[Hh][Tt][Tt][Pp][Ss]://[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$" },
    ),
    filename: Type.Optional(
      Type.String({
        maxLength: FILENAME_LENGTH_MAX,
        description: "For PDFs only: the file name that the recipient sees. Default: the last part of the link.",
      }),
    ),
  },
  {
    $id: "Media",
    additionalProperties: false,
    description: "The file for a template with a media header. Neither the file nor the link is stored.",
  },
);
