import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { html } from 'hono/html';
import type { Question } from '#core/runtime/host/ask-person.ts';
import { getStyle } from '#core/runtime/markup/style-element.ts';
import type { Language } from '#shared/language/messages.ts';
import type { Html } from '#shared/markdown/to-html.ts';
import { pageText } from './page-text.ts';
import { allowedHosts, type Refusal, refuseFileRequest, refuseForeignOrigin, refuseHost } from './request-rules.ts';

/** The yes button is disabled for this long, so a click that was meant for something else can't confirm. */
const readingMs = 1_000;

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

/** Renders the question as a page without scripts or resources. Text from others is escaped. */
const questionPage = ({ title, advice, facts, yes, no, language }: Question): Promise<string> =>
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
const answeredPage = (sentence: string, language: Language): Promise<string> =>
  page('Portico', language, html`<h1>${sentence}</h1><p>${pageText(language).goBack}</p>`);

/** Security page, Settings: no resources, no scripts, no framing, no opener. */
const questionHeaders: Readonly<Record<string, string>> = {
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
  // The answer's POST needs its own origin in the header. Other sites don't get the address.
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

export interface AskPersonOptions {
  /**
   * Shows the user the link through terminal and browser, never through the app's page. Returns a function that cleans
   * up.
   */
  readonly show: (title: string, link: string) => () => void;
  readonly elapsed: () => number;
}

const maxAnswerBytes = 64;

/** How long a question stays open. */
const limitMs = 300_000;

/**
 * Asks on a separate page. The question has its own server on its own port, and therefore its own origin, which the
 * app's page can neither read nor reach. Its secret path is never known to the app's page.
 */
export async function askOnPage(
  question: Question,
  signal: AbortSignal,
  { show, elapsed }: AskPersonOptions,
): Promise<boolean> {
  const path = `/${randomBytes(32).toString('base64url')}`;
  const server = await listening();
  const { port } = server.address() as AddressInfo;
  const hosts = allowedHosts(port);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let readable = Number.POSITIVE_INFINITY;
  const words = pageText(question.language);

  const sendSentence = async (response: ServerResponse, status: number, sentence: string) =>
    send(response, status, await answeredPage(sentence, question.language));
  const refuse = (response: ServerResponse, { status, why }: Refusal) =>
    sendSentence(response, status, words.refusals[why]);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refuseHost(request, hosts);
    if (refusal) return refuse(response, refusal);
    if (!same(request.url ?? '', path)) return refuse(response, { status: 404, why: 'nothingHere' });
    if (request.method === 'POST') return take(request, response);
    const unfit = refuseFileRequest(request);
    if (unfit) return refuse(response, unfit);
    readable = Math.min(readable, elapsed() + readingMs);
    return send(response, 200, await questionPage(question));
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refuseForeignOrigin(request, 'POST');
    if (refusal) return refuse(response, refusal);
    const given = await readAnswer(request);
    if (given === null) return refuse(response, { status: 400, why: 'noAnswer' });
    // The answer came too fast for the question to have been read.
    if (given === 'yes' && elapsed() < readable) return send(response, 409, await questionPage(question));
    response.on('close', () => resolve(given === 'yes'));
    await sendSentence(response, 200, words[given]);
  }

  server.on('request', (request, response) => void answer(request, response).catch(() => response.destroy()));
  const ended = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  ended.addEventListener('abort', () => resolve(false));
  const hide = show(question.title, `http://127.0.0.1:${port}${path}`);
  try {
    return ended.aborted ? false : await promise;
  } finally {
    hide();
    server.closeAllConnections();
    server.close();
  }
}

async function listening(): Promise<Server> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 15_000, maxHeaderSize: 16_384 });
  server.maxConnections = 32;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

async function readAnswer(request: IncomingMessage): Promise<'yes' | 'no' | null> {
  const length = Number(request.headers['content-length']);
  if (!(length > 0 && length <= maxAnswerBytes)) return null;
  const given = new URLSearchParams(await text(request)).get('answer');
  return given === 'yes' || given === 'no' ? given : null;
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, questionHeaders);
  response.end(body);
}

const digest = (value: string) => createHash('sha256').update(value).digest();
const same = (first: string, second: string): boolean => timingSafeEqual(digest(first), digest(second));
