/** Renders an endpoint or an event: description on one side, a request and answers to copy on the other. */
import {
  type Content,
  type OpenApiDocument,
  type OperationObject,
  ownParameters,
  type ParameterObject,
  type ReferenceObject,
  type ResponseObject,
} from "../openapi/document.ts";
import { PLACEHOLDER } from "./guide.ts";
import { type Html, html, inline, json, markdown } from "./html.ts";
import type { SampleGroups } from "./sample-group.ts";
import { type SampleRequest, samplesOf } from "./samples.ts";
import { meaning, memberTable, referredName, type Schemas, typeText } from "./schema.ts";

export interface DocumentedOperation {
  path: string;
  /** In lower case. */
  method: string;
  operation: OperationObject;
}

export function endpointSection(document: OpenApiDocument, one: DocumentedOperation, samples: SampleGroups): Html {
  const { path, method, operation } = one;
  const { schemas } = document.components;
  const prefix = document.servers[0]?.url ?? "";
  const requests = requestsOf(PLACEHOLDER + prefix, one);
  const responses = Object.entries(operation.responses).map(([status, response]) => ({
    status,
    ...resolve(document, response),
  }));
  const [success, ...refusals] = responses;
  return html`<section class="operation" id="${operation.operationId}">
<div class="words">
<h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="address"><span class="method ${method}">${method.toUpperCase()}</span> <code>${prefix}${path}</code></p>
${markdown(operation.description)}
${parameterTable(ownParameters(operation), schemas)}
${operation.requestBody === undefined ? "" : html`<h4>Body</h4>${bodyForms(operation.requestBody.content, schemas)}`}
<h4>Response</h4>
<p><span class="status">${success?.status ?? ""}</span> ${inline(success?.description)} ${answerType(success)}</p>
<h4>Other responses</h4>
<dl class="refusals">${refusals.map(({ status, description, content }) => {
    return html`<dt><span class="status">${status}</span></dt><dd>${markdown(description)}
<details><summary>Example${Object.keys(content?.["application/json"]?.examples ?? {}).length > 1 ? "s" : ""}</summary>${exampleBlocks(content)}</details></dd>`;
  })}</dl>
</div>
<div class="code">
<h4>Request</h4>${requests.map(({ summary, request }) => html`${caption(summary)}${samples.render(samplesOf(request))}`)}
<h4>Response</h4>${exampleBlocks(success?.content)}
</div>
</section>`;
}

export function eventSection(type: string, operation: OperationObject, schemas: Schemas): Html {
  const schema = operation.requestBody?.content["application/json"]?.schema;
  return html`<section class="operation" id="${operation.operationId}">
<div class="words">
<h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="address"><span class="method event">EVENT</span> <code>${type}</code></p>
${markdown(operation.description)}
${schema === undefined ? "" : html`<p>Body: ${typeText(schema)}</p>`}
${parameterTable(ownParameters(operation), schemas)}
</div>
<div class="code"><h4>Body</h4>${exampleBlocks(operation.requestBody?.content)}</div>
</section>`;
}

function parameterTable(parameters: readonly ParameterObject[], schemas: Schemas): Html {
  if (parameters.length === 0) return html``;
  const rows = parameters.map((parameter) => {
    return html`<tr><td><code>${parameter.name}</code>${parameter.required ? "" : html` <small>optional</small>`}</td>
<td>${parameter.in}: ${typeText(parameter.schema)}</td><td>${inline(parameter.description)} ${meaning(parameter.schema, schemas)}</td></tr>`;
  });
  return html`<h4>Parameters</h4><div class="wide" tabindex="0"><table class="members">
<thead><tr><th>Name</th><th>Type</th><th>Description</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Shows the forms of the body in place instead of linking to them: the reader needs every field to write a request. */
function bodyForms(content: Content, schemas: Schemas): Html[] {
  const find = (reference: string | undefined) => schemas[referredName(reference ?? "")];
  const schema = content["application/json"]?.schema;
  if (schema === undefined) return [];
  const named = find(schema.$ref) ?? schema;
  const forms = named.oneOf ?? [schema];
  const introduction = html`<p>${inline(named.description)}</p>`;
  return [
    introduction,
    ...forms.map(
      (form) =>
        html`<h5>${typeText(form)}</h5><p>${inline(find(form.$ref)?.description)}</p>${memberTable(find(form.$ref) ?? form, schemas)}`,
    ),
  ];
}

function answerType(response: ResponseObject | undefined): Html {
  const { data, meta } = response?.content?.["application/json"]?.schema.properties ?? {};
  if (data === undefined) return html``;
  return html`<br><code>data</code>: ${typeText(data)}${meta === undefined ? "" : html`, <code>meta</code>: ${typeText(meta)}`}`;
}

function exampleBlocks(content: Content | undefined): Html[] {
  const examples = Object.values(content?.["application/json"]?.examples ?? {});
  return examples.map(({ summary, value }) => html`${caption(summary)}${json(value)}`);
}

function caption(summary: string | undefined): Html {
  return summary === undefined ? html`` : html`<p class="caption">${summary}</p>`;
}

/** One request for each example of the body. */
export function requestsOf(
  base: string,
  { path, method, operation }: DocumentedOperation,
): { summary?: string; request: SampleRequest }[] {
  const url = base + path.replace(/\{(\w+)\}/g, (_, name: string) => String(exampleOf(operation, name) ?? 1042));
  const request: SampleRequest = { method: method.toUpperCase(), url, headers: {} };
  if (operation.requestBody === undefined) {
    const success = Object.values(operation.responses)[0];
    const isFile = success !== undefined && !("$ref" in success) && success.content?.["*/*"] !== undefined;
    return [{ request: { ...request, isFile } }];
  }
  if (operation.requestBody.content["multipart/form-data"] !== undefined) {
    return [{ request: { ...request, upload: "menu.pdf" } }];
  }
  const keys = ownParameters(operation).find((one) => one.name === "Idempotency-Key")?.examples ?? {};
  return Object.entries(operation.requestBody.content["application/json"]?.examples ?? {}).map(
    ([name, { summary, value }]) => ({
      ...(summary === undefined ? {} : { summary }),
      request: {
        ...request,
        headers: keys[name] === undefined ? {} : { "Idempotency-Key": String(keys[name].value) },
        body: value,
      },
    }),
  );
}

/** The example of a path parameter; undefined for an id. */
function exampleOf(operation: OperationObject, name: string): unknown {
  const examples = ownParameters(operation).find((one) => one.in === "path" && one.name === name)?.schema.examples;
  return Array.isArray(examples) ? examples[0] : undefined;
}

export function resolve(document: OpenApiDocument, response: ResponseObject | ReferenceObject): ResponseObject {
  if (!("$ref" in response)) return response;
  const found = document.components.responses[referredName(response.$ref)];
  if (found === undefined) throw new Error(`the document has no ${response.$ref}`);
  return found;
}
