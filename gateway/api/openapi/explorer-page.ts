import { html } from 'hono/html';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from './document.ts';

type Html = ReturnType<typeof html>;

/** Renders the document as a page with a form for each operation. Without scripts the page can still be read. */
export function explorerPage(document: OpenApiDocument): Html {
  const { info } = document;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${info.title} – API</title>
<link rel="stylesheet" href="/docs/explorer.css">
<script type="module" src="/docs/explorer.js"></script>
</head>
<body>
<header>
<h1>${info.title}</h1>
<p class="note">Interface ${info.version}. ${info.description} The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<label>API key or token <input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="sk-portico-…"></label>
<p class="note">It stays in this field and is sent to this gateway only.</p>
</header>
<main>
${document.tags.map((tag) => section(document, tag))}
<h2>Errors</h2>
<p>Every error has the same shape; its <code>code</code> is what programs may rely on.</p>
${Object.entries(document.components.responses).map(
  ([name, { description }]) =>
    html`<p><strong>${name.slice('Error'.length)}</strong> ${marked(String(description))}</p>`,
)}
</main>
</body>
</html>`;
}

const section = (document: OpenApiDocument, { name, description }: OpenApiDocument['tags'][number]): Html =>
  html`<section><h2>${name}</h2><p class="note">${description}</p>${Object.entries(document.paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.tags.includes(name))
        .map(([method, operation]) => operationPart(document, path, method.toUpperCase(), operation)),
  )}</section>`;

function operationPart(document: OpenApiDocument, path: string, method: string, operation: OpenApiOperation): Html {
  const isPublic = operation.security.length === 0;
  const body = operation.requestBody?.content['application/json'];
  return html`<details class="operation" id="${operation.operationId}">
<summary><span class="method">${method}</span> <code>${path}</code> ${operation.summary}</summary>
${operation.description ? html`<p>${marked(operation.description)}</p>` : ''}
<form data-path="${path}" data-method="${method}" ${isPublic ? 'data-public' : ''}>
${(operation.parameters ?? []).map(field)}
${body ? html`<label>Body <textarea name="body" spellcheck="false">${JSON.stringify(body.example, null, 2)}</textarea></label>` : ''}
<p><button type="submit">Send</button> <button type="button" class="stop" hidden>Stop</button> <span class="status" role="status"></span></p>
<pre class="answer" hidden></pre>
</form>
${body ? schemaPart('What it takes', document, body.schema) : ''}
${answerPart(document, operation)}
</details>`;
}

function field(parameter: OpenApiParameter): Html {
  const { name, required, description } = parameter;
  const hint = getHint(parameter.schema);
  return html`<label>${name}${required ? ' (required)' : ''} ${description ? marked(description) : ''}
<input name="${name}" data-in="${parameter.in}" placeholder="${hint}" ${required ? 'required' : ''} spellcheck="false"></label>`;
}

function getHint({ enum: values, default: fallback, type }: OpenApiParameter['schema']): string {
  if (Array.isArray(values)) return values.join(' | ');
  return fallback === undefined ? String(type ?? '') : `${fallback}`;
}

function answerPart(document: OpenApiDocument, operation: OpenApiOperation): Html | string {
  const content = operation.responses['200']?.content as
    | Record<string, { schema: Record<string, unknown> }>
    | undefined;
  const schema = content?.['application/json']?.schema;
  return schema && '$ref' in schema ? schemaPart('What it answers', document, schema) : '';
}

const getName = (ref: unknown) => String(ref).split('/').at(-1) ?? '';

function schemaPart(title: string, document: OpenApiDocument, schema: Record<string, unknown>): Html {
  const names = Array.isArray(schema.anyOf)
    ? schema.anyOf.map((option) => getName(option.$ref))
    : [getName(schema.$ref)];
  return html`<details><summary>${title}: ${names.join(' or ')}</summary>${names.map(
    (name) => html`<pre>${JSON.stringify(document.components.schemas[name], null, 2)}</pre>`,
  )}</details>`;
}

/** Renders text in backticks as code. */
const marked = (text: string): (Html | string)[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
