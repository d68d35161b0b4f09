import type { KeyObject } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import { isSignedBy, signatureAddress } from '../../access/auth/signed-bytes.ts';
import { type PriceDocument, parsePriceDocument } from '../../models/prices/price-document.ts';
import { isLoopback, mayCarrySecrets } from '../../providers/upstream/dispatch-fetch.ts';

const maxDocument = { bytes: 4 * 1024 * 1024, text: '4 MiB' };
const maxSignature = { bytes: 4 * 1024, text: '4 KiB' };
const timeoutMs = 15_000;

export interface PriceSource {
  readonly address: string;
  /** The key that verifies the document. Null: only an address of this machine is trusted, because the operator serves it. */
  readonly publicKey: KeyObject | null;
}

/** Reads a price document from an address. Throws `invalid_input` with the reason when it can't be used. */
export async function fetchPrices(
  { address, publicKey }: PriceSource,
  send: typeof fetch = fetch,
): Promise<PriceDocument> {
  const url = getUrl(address);
  if (!publicKey && !isLoopback(url.hostname)) {
    throw refused(
      `${url.host} is not this machine, and whoever controls it would say what users pay. Give the public key of who signs it: PORTICO_PRICES_KEY, "prices": {"key": …} in the configuration, or --key`,
    );
  }
  const bytes = await read(url, maxDocument, send);
  if (publicKey) await requireSignature(url, bytes, publicKey, send);
  const { document, fault } = parsePriceDocument(bytes);
  if (!document) throw refused(fault);
  return document;
}

function getUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !mayCarrySecrets(url) || url.username || url.password) {
    throw new AppError(
      'invalid_input',
      'Prices come from an https address without a user name, such as https://prices.example/book.json.',
    );
  }
  return url;
}

async function requireSignature(url: URL, bytes: Uint8Array, publicKey: KeyObject, send: typeof fetch): Promise<void> {
  const beside = signatureAddress(url);
  const signature = await read(beside, maxSignature, send);
  if (isSignedBy(publicKey, bytes, Buffer.from(signature).toString('utf8'))) return;
  throw refused(
    `${beside.href} is no signature of it by the public key that was given. "gateway prices sign" makes one; if it was signed anew, the key may have changed`,
  );
}

async function read(url: URL, limit: typeof maxDocument, send: typeof fetch): Promise<Uint8Array> {
  try {
    const response = await send(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw refused(`${url.host} answered ${response.status} for ${url.pathname}`);
    return await getBytes(response, limit);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw refused(`${url.host} could not be read: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

async function getBytes(response: Response, limit: typeof maxDocument): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    if (size > limit.bytes) throw refused(`it is larger than ${limit.text}`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const refused = (why: string, cause?: unknown) =>
  new AppError('invalid_input', `The price document is refused: ${why}. The prices stay as they are.`, { cause });
