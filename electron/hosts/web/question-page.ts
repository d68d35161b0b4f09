import { html } from 'hono/html';
import type { Question } from '#core/runtime/host/ask-person.ts';
import { getStyle } from '#core/runtime/markup/style-element.ts';
import type { Language } from '#shared/language/messages.ts';
import type { Html } from '#shared/markdown/to-html.ts';
import { pageText } from './page-text.ts';

/** Yes is disabled at first, so that a click meant for something else does not confirm. */
export const readingMs = 1_000;

const style = `
body{margin:0;background:Canvas;color:CanvasText;font:16px/1.5 system-ui,sans-serif}
main{max-width:44rem;margin:0 auto;padding:3rem 1.25rem}
h1{margin:0;font-size:1.5rem}
h2{margin:1.25rem 0 .25rem;font-size:1rem}
pre{margin:0;padding:.75rem;border:1px solid;border-radius:.5rem;font:.875rem/1.6 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
form{display:flex;gap:.75rem;margin-top:2rem}
button{min-height:2.75rem;padding:0 1.25rem;border:1px solid;border-radius:.5rem;background:ButtonFace;color:ButtonText;font:inherit;cursor:pointer}
button:focus-visible{outline:3px solid;outline-offset:2px}
button[value=yes]{animation:held ${readingMs}ms step-end}
@keyframes held{from{pointer-events:none;visibility:hidden}}
`;

const { element, source } = getStyle(style);

/** The question as a page without scripts or resources; foreign text is escaped. */
export const questionPage = ({ title, advice, facts, yes, no, language }: Question): Promise<string> =>
  page(
    title,
    language,
    html`<h1>${title}</h1>
<p>${advice}</p>
${facts.map(({ label, lines }) => html`<h2>${label}</h2>\n<pre>${lines.join('\n')}</pre>\n`)}
<form method="post" autocomplete="off">
<button name="answer" value="no" autofocus>${no}</button>
<button name="answer" value="yes">${yes}</button>
</form>`,
  );

/** Replaces the question after the answer. */
export const answeredPage = (sentence: string, language: Language): Promise<string> =>
  page('Portico', language, html`<h1>${sentence}</h1><p>${pageText(language).goBack}</p>`);

/** Security page, Settings: no resources, no scripts, no framing, no opener. */
export const questionHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${source}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // The answer’s POST needs its own origin; the address is not sent elsewhere.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  connection: 'close',
};

async function page(title: string, language: Language, body: Html): Promise<string> {
  return String(
    await html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${element}
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`,
  );
}
