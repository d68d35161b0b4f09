import { Hono } from 'hono';
import type { AppEnv } from '../../http/context.ts';

/**
 * The explorer's script and style are text here, because the gateway ships as one bundle and serves nothing from disk.
 * The script only ever writes text (`textContent`, `value`), and the key stays in its input field.
 */

const explorerScript = `'use strict';

const key = document.getElementById('key');

function getUrl(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll('[data-in]')) {
    if (input.value === '') continue;
    if (input.dataset.in === 'path') path = path.replace('{' + input.name + '}', encodeURIComponent(input.value));
    if (input.dataset.in === 'query') query.append(input.name, input.value);
  }
  const text = query.toString();
  return text === '' ? path : path + '?' + text;
}

function getHeaders(form) {
  const headers = {};
  if (form.dataset.public === undefined && key.value !== '') headers.authorization = 'Bearer ' + key.value.trim();
  for (const input of form.querySelectorAll('[data-in="header"]')) {
    if (input.value !== '') headers[input.name] = input.value;
  }
  if (form.elements.body) headers['content-type'] = 'application/json';
  return headers;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function send(form, signal) {
  const answer = form.querySelector('.answer');
  const status = form.querySelector('.status');
  answer.textContent = '';
  answer.hidden = false;
  status.textContent = '…';
  const started = performance.now();
  const body = form.elements.body ? form.elements.body.value : undefined;
  const response = await fetch(getUrl(form), { method: form.dataset.method, headers: getHeaders(form), body, signal });
  const took = () => Math.round(performance.now() - started) + ' ms';
  const id = response.headers.get('x-request-id') || '';
  status.textContent = response.status + ' · ' + took() + ' · ' + id;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
    answer.textContent = text;
  }
  answer.textContent = pretty(text);
  status.textContent = response.status + ' · ' + took() + ' · ' + id;
}

for (const form of document.querySelectorAll('form[data-path]')) {
  const stop = form.querySelector('.stop');
  let running = null;
  stop.addEventListener('click', () => running && running.abort());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (running) running.abort();
    const mine = new AbortController();
    running = mine;
    stop.hidden = false;
    try {
      await send(form, mine.signal);
    } catch (error) {
      form.querySelector('.status').textContent = mine.signal.aborted ? 'stopped' : 'no answer: ' + error.message;
    }
    if (running === mine) stop.hidden = true;
  });
}
`;

const explorerStyle = `:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1.5rem; }
h1 { font-size: 1.6rem; margin: 0; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
code, pre, textarea, input { font: 13px/1.5 ui-monospace, monospace; }
label { display: grid; gap: 0.2rem; margin: 0.6rem 0; }
input, textarea { width: 100%; padding: 0.45rem 0.6rem; border: 1px solid var(--line); border-radius: 6px; background: Field; color: FieldText; }
textarea { min-height: 9rem; resize: vertical; }
button { font: inherit; padding: 0.35rem 0.9rem; border: 1px solid var(--line); border-radius: 6px; cursor: pointer; }
:focus-visible { outline: 2px solid Highlight; outline-offset: 2px; }
details.operation { border: 1px solid var(--line); border-radius: 8px; margin: 0.5rem 0; padding: 0.5rem 0.9rem; }
details.operation > summary { cursor: pointer; }
.method { display: inline-block; min-width: 3.2rem; font-weight: 600; }
.note, .status { opacity: 0.75; }
pre { overflow: auto; max-height: 30rem; padding: 0.7rem; border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/** Allows nothing from other origins and nothing inline. The page can only call this gateway. */
const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'",
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
].join('; ');

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/**
 * Serves the description of the API, for programs (`/openapi.json`) and for people (`/docs`). It's loaded and generated
 * once, at the first request.
 */
export function docsRoutes(): Hono<AppEnv> {
  let made: Promise<{ json: string; page: string }> | null = null;
  const documents = () => {
    made ??= makeDocuments();
    return made;
  };
  return new Hono<AppEnv>()
    .get('/openapi.json', async (context) =>
      context.body((await documents()).json, 200, { 'content-type': 'application/json' }),
    )
    .get('/docs', async (context) => context.body((await documents()).page, 200, pageHeaders))
    .get('/docs/explorer.js', (context) =>
      context.body(explorerScript, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
    )
    .get('/docs/explorer.css', (context) =>
      context.body(explorerStyle, 200, { 'content-type': 'text/css; charset=utf-8' }),
    );
}

async function makeDocuments() {
  const [{ openApiDocument }, { explorerPage }] = await Promise.all([
    import('./document.ts'),
    import('./explorer-page.ts'),
  ]);
  const document = openApiDocument();
  return { json: JSON.stringify(document), page: String(await explorerPage(document)) };
}
