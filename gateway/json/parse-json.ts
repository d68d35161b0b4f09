import { isUtf8 } from 'node:buffer';
import { AppError } from '#shared/errors.ts';
import { requestLimits } from './json-limits.ts';
import { type JsonOutline, type JsonSpan, outlineOf } from './json-outline.ts';

const byteOrderMark = 0xfeff;

/** A body as it was sent and what it says. */
export interface JsonBody {
  readonly value: Record<string, unknown>;
  /** Where `messages` stands in the bytes, where that is certain. */
  readonly messages: JsonSpan | null;
}

/** Up to here a body takes some milliseconds from its reading to its writing, whatever it holds. */
export const lightBytes = 131_072;
const lightValues = 2_000;

export const outlineOfBody = (bytes: Uint8Array): JsonOutline => outlineOf(bytes, 'messages', requestLimits);

/** Reads a body at once, or gives null where that might hold the event loop: it belongs into a thread of its own. */
export function parseLightBody(bytes: Uint8Array): JsonBody | null {
  if (bytes.byteLength > lightBytes) return null;
  const outline = outlineOfBody(bytes);
  return outline.values > lightValues && outline.excess === null ? null : parseBody(bytes, outline);
}

/**
 * Reads a JSON body. Throws 400 `invalid_json` where it is empty, not UTF-8, not an object, or holds more than a request
 * may (`requestLimits`): that is found before anything is built.
 */
export function parseBody(bytes: Uint8Array, { excess, span }: JsonOutline = outlineOfBody(bytes)): JsonBody {
  if (excess !== null) throw invalid(`The JSON body ${excess}.`);
  const text = decode(bytes);
  if (text.trim() === '') throw invalid('The request body is empty; send a JSON object.');
  const value = parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalid('The request body must be a JSON object.');
  }
  return { value: value as Record<string, unknown>, messages: span };
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
