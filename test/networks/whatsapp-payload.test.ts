import { describe, expect, test } from "bun:test";
import type { Content, TemplateContent } from "#src/domain/messages/content.ts";
import { createPayload } from "#src/networks/whatsapp/payload.ts";

const REFERENCE = "wx1.k3Qz.4oN0xYB3T2mJr8sVhLw5aA";

function payloadOf(content: Content) {
  return createPayload({ to: "+4915112345678", recipientNetworkUserId: null, sendToken: REFERENCE, content });
}

function template(more: Partial<TemplateContent>): TemplateContent {
  return {
    type: "template",
    name: "spring_offer",
    language: "en_US",
    header: null,
    body: [],
    oneTimePassword: null,
    ...more,
  };
}

function numbered(...values: string[]) {
  return values.map((text) => ({ name: null, text }));
}

test("a text is sent with + and send token, and never with a link preview", () => {
  expect(payloadOf({ type: "text", body: "Hello https://x.example" })).toEqual({
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: "+4915112345678",
    type: "text",
    biz_opaque_callback_data: REFERENCE,
    text: { preview_url: false, body: "Hello https://x.example" },
  });
});

describe("a recipient with Meta's own user id", () => {
  const content: Content = { type: "text", body: "Hi" };

  test("is addressed by it when no phone number is known", () => {
    const payload = createPayload({ to: null, recipientNetworkUserId: "DE.1234567890", sendToken: REFERENCE, content });
    expect(payload.recipient).toBe("DE.1234567890");
    expect(payload).not.toHaveProperty("to");
  });

  test("is addressed by the phone number when both are known", () => {
    const payload = createPayload({
      to: "+4915112345678",
      recipientNetworkUserId: "DE.1",
      sendToken: REFERENCE,
      content,
    });
    expect(payload.to).toBe("+4915112345678");
    expect(payload).not.toHaveProperty("recipient");
  });
});

describe("a template's payload", () => {
  const shapes: { name: string; content: TemplateContent; components: unknown }[] = [
    { name: "without values has no components at all", content: template({}), components: undefined },
    {
      name: "with a text header without values leaves the header out",
      content: template({ header: { type: "text", values: [] }, body: numbered("Anna") }),
      components: [{ type: "body", parameters: [{ type: "text", text: "Anna" }] }],
    },
    {
      name: "with header and body values",
      content: template({
        header: { type: "text", values: numbered("Summer") },
        body: numbered("the end of August", "25OFF", "25%"),
      }),
      components: [
        { type: "header", parameters: [{ type: "text", text: "Summer" }] },
        {
          type: "body",
          parameters: [
            { type: "text", text: "the end of August" },
            { type: "text", text: "25OFF" },
            { type: "text", text: "25%" },
          ],
        },
      ],
    },
    {
      name: "with named placeholders sends their names",
      content: template({
        body: [
          { name: "first_name", text: "Jessica" },
          { name: "order_number", text: "SKBUP2-4CPIG9" },
        ],
      }),
      components: [
        {
          type: "body",
          parameters: [
            { type: "text", text: "Jessica", parameter_name: "first_name" },
            { type: "text", text: "SKBUP2-4CPIG9", parameter_name: "order_number" },
          ],
        },
      ],
    },
    {
      name: "with an image header gives the link, and no filename",
      content: template({ header: { type: "image", link: "https://cdn.example/a.jpg", filename: "a.jpg" } }),
      components: [{ type: "header", parameters: [{ type: "image", image: { link: "https://cdn.example/a.jpg" } }] }],
    },
    {
      name: "with a video header gives the link",
      content: template({ header: { type: "video", link: "https://cdn.example/a.mp4", filename: null } }),
      components: [{ type: "header", parameters: [{ type: "video", video: { link: "https://cdn.example/a.mp4" } }] }],
    },
    {
      name: "with a document header gives link and filename",
      content: template({ header: { type: "document", link: "https://cdn.example/inv.pdf", filename: "Invoice.pdf" } }),
      components: [
        {
          type: "header",
          parameters: [
            { type: "document", document: { link: "https://cdn.example/inv.pdf", filename: "Invoice.pdf" } },
          ],
        },
      ],
    },
    {
      name: "with a document header without a filename omits it",
      content: template({ header: { type: "document", link: "https://cdn.example/inv.pdf", filename: null } }),
      components: [
        { type: "header", parameters: [{ type: "document", document: { link: "https://cdn.example/inv.pdf" } }] },
      ],
    },
    {
      name: "with a one-time password gives the code to body and button",
      content: template({ body: numbered("482913"), oneTimePassword: { index: 0, code: "482913" } }),
      components: [
        { type: "body", parameters: [{ type: "text", text: "482913" }] },
        { type: "button", sub_type: "url", index: "0", parameters: [{ type: "text", text: "482913" }] },
      ],
    },
  ];

  test.each(shapes)("$name", ({ content, components }) => {
    expect(payloadOf(content)).toEqual({
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: "+4915112345678",
      type: "template",
      biz_opaque_callback_data: REFERENCE,
      template: {
        name: "spring_offer",
        language: { code: "en_US" },
        ...(components === undefined ? {} : { components: components as never }),
      },
    });
  });

  test("without components has no `components` member", () => {
    expect(JSON.parse(JSON.stringify(payloadOf(template({}))))).not.toHaveProperty("template.components");
  });
});
