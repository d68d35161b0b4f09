import { isUtf8 } from 'node:buffer';
import { AppError } from '#shared/errors.ts';
import { type JsonSpan, outlineOf } from './json-outline.ts';
import { SocketRequest } from './socket-request.ts';

const depthLimit = 64;
const byteOrderMark = 0xfeff;

/** A body as it was sent and what it says. */
export interface JsonBody {
  readonly value: Record<string, unknown>;
  /** Where `messages` stands in the bytes, where that is certain. */
  readonly messages: JsonSpan | null;
}

/**
 * Reads a JSON body of at most `limit` bytes. Throws 413 `request_too_large` as soon as it is longer, and 400
 * `invalid_json` where it is empty, not UTF-8, not an object, or nested deeper than 64 levels.
 */
export async function readJsonBody(request: Request, limit: number): Promise<JsonBody> {
  const bytes = await readBytes(request, limit);
  const text = decode(bytes);
  if (text.trim() === '') throw invalid('The request body is empty; send a JSON object.');
  const outline = outlineOf(bytes, 'messages');
  if (outline.depth > depthLimit) throw invalid(`The JSON body is nested deeper than ${depthLimit} levels.`);
  const value = parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalid('The request body must be a JSON object.');
  }
  return { value: value as Record<string, unknown>, messages: outline.span };
}

/** The same, of which only what it says is wanted. */
export const readJson = async (request: Request, limit: number): Promise<Record<string, unknown>> =>
  (await readJsonBody(request, limit)).value;

async function readBytes(request: Request | SocketRequest, limit: number): Promise<Uint8Array> {
  if (request instanceof SocketRequest) return request.readAll(limit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) {
      throw new AppError('request_too_large', `The request body is larger than ${limit} bytes.`, {
        details: { limit },
      });
    }
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

function decode(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw invalid('The request body is not UTF-8 text.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid('The request body is not valid JSON.', cause);
  }
}

const invalid = (message: string, cause?: unknown) => new AppError('invalid_json', message, { cause });
