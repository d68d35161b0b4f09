import { isUtf8 } from 'node:buffer';
import { AppError } from '#shared/errors.ts';
import { SocketRequest } from './socket-request.ts';

const depthLimit = 64;
const byteOrderMark = 0xfeff;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Reads a JSON body of at most `limit` bytes. Throws 413 `request_too_large` as soon as it is longer, and 400
 * `invalid_json` where it is empty, not UTF-8, not an object, or nested deeper than 64 levels.
 */
export async function readJson(request: Request, limit: number): Promise<Record<string, unknown>> {
  const text = decode(await readBytes(request, limit));
  if (text.trim() === '') throw invalid('The request body is empty; send a JSON object.');
  if (deeperThan(text, depthLimit)) throw invalid(`The JSON body is nested deeper than ${depthLimit} levels.`);
  const value = parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalid('The request body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}

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

/** Counts open brackets outside strings, before the parser builds anything. */
function deeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === quote) {
      at = endOfString(text, at);
      if (at < 0) return false;
    } else if (char === 0x7b || char === 0x5b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (char === 0x7d || char === 0x5d) depth -= 1;
  }
  return false;
}

/** Where the string that begins here ends, or -1: long texts are searched, not walked through. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

const invalid = (message: string, cause?: unknown) => new AppError('invalid_json', message, { cause });
