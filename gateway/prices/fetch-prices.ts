import { AppError } from '#shared/errors.ts';
import { mayCarrySecrets } from '../upstream/dispatch-fetch.ts';
import { type PriceDocument, priceDocument } from './price-document.ts';

const mostBytes = 4 * 1024 * 1024;
const timeoutMs = 15_000;

/** Reads a price document from an address. Throws `invalid_input` with the reason where it cannot be used. */
export async function fetchPrices(address: string, send: typeof fetch = fetch): Promise<PriceDocument> {
  const url = urlOf(address);
  const text = await read(url, send);
  const parsed = priceDocument.safeParse(parse(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refused(`${issue?.path.join('.') || 'the document'}: ${issue?.message}`);
}

function urlOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !mayCarrySecrets(url) || url.username || url.password) {
    throw new AppError(
      'invalid_input',
      'Prices come from an https address without a user name, such as https://prices.example/book.json.',
    );
  }
  return url;
}

async function read(url: URL, send: typeof fetch): Promise<string> {
  try {
    const response = await send(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw refused(`${url.host} answered ${response.status}`);
    return await textOf(response);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw refused(`${url.host} could not be read: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    if (size > mostBytes) throw refused(`it is larger than ${mostBytes / 1024 / 1024} MiB`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refused('it is not JSON', cause);
  }
}

const refused = (why: string, cause?: unknown) =>
  new AppError('invalid_input', `The price document is refused: ${why}. The prices stay as they are.`, { cause });
