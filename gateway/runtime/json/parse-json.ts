/**
 * The platform's `JSON.parse` builds everything before anybody can look at it, can't be interrupted, and doesn't report where a
 * value was in the bytes. This file scans the bytes first: it refuses what exceeds the limits before anything is built, sends
 * large bodies to a worker thread, and finds the bytes of `messages` so that a long prompt can be sent on unchanged. A body of 25
 * MiB of any kind blocks the event loop for less than 10 ms (decisions 020 and 028). To check: `json-outline.test.ts` and
 * `json-value.test.ts`.
 */

import { isUtf8 } from 'node:buffer';
import { AppError } from '#shared/errors.ts';
import { isObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { mayHaveExactNumbers, parseExact, roundNumbers } from './exact-numbers.ts';
import { eventLimits, type JsonLimits, requestLimits } from './json-limits.ts';
import { isWord } from './json-words.ts';

const byteOrderMark = 0xfeff;

/** The parsed body, and where its messages are in the bytes that were sent. */
interface JsonBody {
  readonly value: Record<string, unknown>;
  /** The bytes of `messages`, or null when their position isn't certain. */
  readonly messages: JsonSpan | null;
}

/** Up to this size, handling a body takes a few milliseconds in total, whatever it contains. */
export const lightBytes = 131_072;
const lightValues = 2_000;

const messagesName = Buffer.from('"messages"');

const getBodyOutline = (bytes: Uint8Array): JsonOutline => getOutline(bytes, messagesName, requestLimits);

/** Parses a body at once. Returns null when that could block the event loop; the body must then go to a worker thread. */
export function parseLightBody(bytes: Uint8Array): JsonBody | null {
  if (bytes.byteLength > lightBytes) return null;
  const outline = getBodyOutline(bytes);
  return outline.values > lightValues && outline.excess === null ? null : parseBody(bytes, outline);
}

/**
 * Parses a JSON body. Throws 400 `invalid_json` when it's empty, not UTF-8, not an object, or contains more than a request may
 * (`requestLimits`), which is found before anything is built.
 */
export function parseBody(bytes: Uint8Array, { excess, span }: JsonOutline = getBodyOutline(bytes)): JsonBody {
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
    const value = parseExact(text);
    if (mayHaveExactNumbers(text)) roundNumbers(value, isCallInput);
    return value;
  } catch (cause) {
    throw invalid('The request body is not valid JSON.', cause);
  }
}

/**
 * Whether a member has the arguments of an earlier tool call, as an object: those of Anthropic's calls, and of the calls of
 * OpenAI's Responses API that have no text. The model gets them back as it wrote them.
 */
const isCallInput = (owner: object, name: string): boolean => {
  const { type } = owner as { readonly type?: unknown };
  return (
    typeof type === 'string' &&
    ((name === 'input' && type.endsWith('tool_use')) ||
      (type.endsWith('_call') && (name === 'arguments' || name === 'action' || name === 'operation')))
  );
};

const invalid = (message: string, cause?: unknown) => new AppError('invalid_json', message, { cause });

/** The bytes of a value within a JSON text. */
export interface JsonSpan {
  readonly bytes: Uint8Array;
  /**
   * How many strings it contains, including field names. A field that appears twice counts twice, although a parser keeps only
   * one.
   */
  readonly strings: number;
}

interface JsonOutline {
  /** The text that completes "The JSON body …" when a limit is exceeded, else null. */
  readonly excess: string | null;
  /** How many values the text contains, including arrays and objects. Empty ones count twice. */
  readonly values: number;
  /** The value of the wanted top-level field, if it's an array and the name appears once; else null. */
  readonly span: JsonSpan | null;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Scans a JSON text before a parser builds anything, and stops when a limit is exceeded. Strings are skipped. The result is
 * meaningless for a text that isn't JSON.
 */
export function getOutline(text: Uint8Array, wanted: Buffer | null, limits: JsonLimits, ownKeys = false): JsonOutline {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const counted = createCount(limits, ownKeys);
  let [depth, strings, found] = [0, 0, 0];
  /** The bounds of the last string, which is a field name if a colon follows. */
  let [from, to] = [0, 0];
  let isName = false;
  let start = -1;
  let before = 0;
  let span: JsonSpan | null = null;
  /** A name that is spelled with escapes could be the wanted one a second time, so its position is no longer certain. */
  let escaped = false;
  let nextBackslash = -1;
  for (let position = 0; position < bytes.length; position += 1) {
    const byte = bytes[position];
    if (byte === quote) {
      const end = endOfString(bytes, position);
      if (end < 0) break;
      strings += 1;
      [from, to] = [position + 1, end];
      if (depth === 1 && nextBackslash < position) nextBackslash = indexOrEnd(bytes, backslash, position);
      if (depth === 1) escaped ||= nextBackslash < end;
      isName =
        depth === 1 &&
        end + 1 - position === wanted?.length &&
        bytes.compare(wanted, 0, wanted.length, position, end + 1) === 0;
      if (isName) found += 1;
      position = end;
    } else if (byte === colon) {
      counted.key(depth, bytes, from, to);
    } else if (byte === openBrace || byte === openBracket) {
      if (isName && byte === openBracket) [start, before] = [position, strings];
      isName = false;
      depth += 1;
      counted.opened(depth, byte === openBracket);
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 1 && start >= 0) {
        span = { bytes: bytes.subarray(start, position + 1), strings: strings - before };
        start = -1;
      }
    } else if (byte === comma) {
      isName = false;
      counted.another(depth);
    } else continue;
    // Few texts have so many keys that it matters whether they are names of the API. Only those are scanned a second time.
    if (counted.mayBeWords) return getOutline(text, wanted, limits, true);
    if (counted.excess !== null) return { excess: counted.excess, values: counted.values, span: null };
  }
  return { excess: null, values: counted.values, span: found === 1 && !escaped ? span : null };
}

/** Counts until a limit is exceeded. */
function createCount(limits: JsonLimits, ownKeys: boolean) {
  /** The number of items or keys at each depth, for the array or object that is open there. */
  const members: number[] = [];
  const isArray: boolean[] = [];
  let keys = 0;
  const count = {
    values: 1,
    excess: null as string | null,
    /** Whether there are too many keys if names of the API are counted as well. */
    mayBeWords: false,
    key(depth: number, bytes: Buffer, from: number, to: number) {
      const here = (members[depth] ?? 0) + 1;
      members[depth] = here;
      if (!ownKeys || !isWord(bytes, from, to)) keys += 1;
      if (!ownKeys) count.mayBeWords = keys > limits.keys;
      else if (here > limits.keys || keys > limits.keys) count.excess = `has more than ${limits.keys} keys`;
    },
    opened(depth: number, array: boolean) {
      isArray[depth] = array;
      members[depth] = array ? 1 : 0;
      if (depth > limits.depth) count.excess = `is nested deeper than ${limits.depth} levels`;
      else more();
    },
    another(depth: number) {
      if (isArray[depth]) members[depth] = (members[depth] ?? 0) + 1;
      if (isArray[depth] && (members[depth] ?? 0) > limits.items)
        count.excess = `has an array of more than ${limits.items} items`;
      else more();
    },
  };
  function more() {
    count.values += 1;
    if (count.values > limits.values) count.excess = `has more than ${limits.values} values`;
  }
  return count;
}

function indexOrEnd(bytes: Buffer, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found < 0 ? bytes.length : found;
}

/** Returns where the string that begins here ends, or -1. Searches for the quote instead of reading every byte. */
function endOfString(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(quote, start + 1);
  while (end >= 0 && bytes[end - 1] === backslash && isEscaped(bytes, end)) end = bytes.indexOf(quote, end + 1);
  return end;
}

function isEscaped(bytes: Buffer, position: number): boolean {
  let before = position - 1;
  while (bytes[before] === backslash) before -= 1;
  return (position - before) % 2 === 0;
}

/** A text up to this length is parsed quickly whatever it contains, so it isn't scanned first. */
const shortText = 16_384;

const exceedsLimits = (text: string, limits: JsonLimits): boolean =>
  text.length > shortText && getOutline(Buffer.from(text), null, limits).excess !== null;

/**
 * Parses foreign JSON, with the digits of long whole numbers. Returns undefined when it's invalid or exceeds `limits`.
 */
export function parseWithin(text: string, limits: JsonLimits): unknown {
  if (exceedsLimits(text, limits)) return undefined;
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses one event of an upstream's stream. Throws `upstream_bad_response` when it isn't a JSON object or exceeds the limits. In
 * the second case the error names the gateway as its origin, because the limit is the gateway's.
 */
export function parseEvent(text: string, provider: string, limits: JsonLimits = eventLimits): JsonObject {
  if (exceedsLimits(text, limits)) {
    const message = 'The provider sent an event that holds more than the gateway reads.';
    throw new AppError('upstream_bad_response', message, { provider, origin: 'gateway' });
  }
  const value = parseWithin(text, limits);
  if (isObject(value)) return value;
  throw new AppError('upstream_bad_response', 'The provider sent something that is not valid JSON.', { provider });
}
