import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Question } from '#core/runtime/host/ask-person.ts';
import { pageText } from './page-text.ts';
import { answeredPage, questionHeaders, questionPage, readingMs } from './question-page.ts';
import { allowedHosts, type Refusal, refuseFileRequest, refuseForeignOrigin, refuseHost } from './request-rules.ts';

export interface AskPersonOptions {
  /** Leads the user to the page by terminal and browser, never by the app’s page. Returns a function that cleans up. */
  readonly show: (title: string, link: string) => () => void;
  readonly elapsed: () => number;
}

const maxAnswerBytes = 64;

/** How long a question stays open. */
const limitMs = 300_000;

/**
 * Asks on its own page: a server for this one question, on its own port and so its own origin, which the app’s page can
 * neither read nor reach, with a secret path that it never learns.
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

  const sayTo = async (response: ServerResponse, status: number, sentence: string) =>
    send(response, status, await answeredPage(sentence, question.language));
  const refuse = (response: ServerResponse, { status, why }: Refusal) => sayTo(response, status, words.refusals[why]);

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
    // Too fast to have been read.
    if (given === 'yes' && elapsed() < readable) return send(response, 409, await questionPage(question));
    response.on('close', () => resolve(given === 'yes'));
    await sayTo(response, 200, words[given]);
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
const same = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));
