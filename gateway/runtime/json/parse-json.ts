import { isUtf8 } from 'node:buffer';
import { AppError } from '#shared/errors.ts';
import { isObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { eventLimits, type JsonLimits, requestLimits } from './json-limits.ts';
import { isWord } from './json-words.ts';

const byteOrderMark = 0xfeff;

/** A body as it was sent and what it says. */
interface JsonBody {
  readonly value: Record<string, unknown>;
  /** Where `messages` stands in the bytes, where that is certain. */
  readonly messages: JsonSpan | null;
}

/** Up to here a body takes some milliseconds from its reading to its writing, whatever it holds. */
export const lightBytes = 131_072;
const lightValues = 2_000;

const messagesName = Buffer.from('"messages"');

const outlineOfBody = (bytes: Uint8Array): JsonOutline => getOutline(bytes, messagesName, requestLimits);

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

/** A value's place in the bytes of a JSON text. */
export interface JsonSpan {
  readonly bytes: Uint8Array;
  /** Strings in it, names of fields included: as many as were parsed, unless a name came twice. */
  readonly strings: number;
}

interface JsonOutline {
  /** What the text has too much of, to be said after "The JSON"; null where it keeps to its limits. */
  readonly excess: string | null;
  /** Values in it, containers included; empty ones count twice. */
  readonly values: number;
  /** The value of the field of this name at the top, where it is an array and the only one of the name; else null. */
  readonly span: JsonSpan | null;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Looks over a JSON text before a parser builds anything, and no further than to its first excess: strings are skipped, not
 * read. What it says of a text that is no JSON means nothing.
 */
export function getOutline(text: Uint8Array, wanted: Buffer | null, limits: JsonLimits, ownKeys = false): JsonOutline {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const counted = createCount(limits, ownKeys);
  let [depth, strings, found] = [0, 0, 0];
  /** The string that was read last: a name, where a colon follows. */
  let [from, to] = [0, 0];
  let isName = false;
  let start = -1;
  let before = 0;
  let span: JsonSpan | null = null;
  /** A name may be spelled with escapes: then it is not certain that it came once. */
  let escaped = false;
  let nextBackslash = -1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      const end = endOfString(bytes, at);
      if (end < 0) break;
      strings += 1;
      [from, to] = [at + 1, end];
      if (depth === 1 && nextBackslash < at) nextBackslash = indexOrEnd(bytes, backslash, at);
      if (depth === 1) escaped ||= nextBackslash < end;
      isName =
        depth === 1 && end + 1 - at === wanted?.length && bytes.compare(wanted, 0, wanted.length, at, end + 1) === 0;
      if (isName) found += 1;
      at = end;
    } else if (byte === colon) {
      counted.key(depth, bytes, from, to);
    } else if (byte === openBrace || byte === openBracket) {
      if (isName && byte === openBracket) [start, before] = [at, strings];
      isName = false;
      depth += 1;
      counted.opened(depth, byte === openBracket);
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 1 && start >= 0) {
        span = { bytes: bytes.subarray(start, at + 1), strings: strings - before };
        start = -1;
      }
    } else if (byte === comma) {
      isName = false;
      counted.another(depth);
    } else continue;
    // Few texts have so many keys that it matters whose they are: for those it is worth another look.
    if (counted.mayBeWords) return getOutline(text, wanted, limits, true);
    if (counted.excess !== null) return { excess: counted.excess, values: counted.values, span: null };
  }
  return { excess: null, values: counted.values, span: found === 1 && !escaped ? span : null };
}

/** Counts until there is too much of something. */
function createCount(limits: JsonLimits, ownKeys: boolean) {
  /** Items of the array, or keys of the object, that is open at each depth. */
  const members: number[] = [];
  const isArray: boolean[] = [];
  let keys = 0;
  const count = {
    values: 1,
    excess: null as string | null,
    /** There are too many keys, where those of the interface count. */
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

/** Where the string that begins here ends, or -1: long texts are searched, not walked through. */
function endOfString(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(quote, start + 1);
  while (end >= 0 && bytes[end - 1] === backslash && isEscaped(bytes, end)) end = bytes.indexOf(quote, end + 1);
  return end;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at - 1;
  while (bytes[before] === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

/** So short a text takes a moment to read, whatever it holds. */
const shortText = 16_384;

const holdsTooMuch = (text: string, limits: JsonLimits): boolean =>
  text.length > shortText && getOutline(Buffer.from(text), null, limits).excess !== null;

/** Reads foreign JSON that came as a text; undefined where it is none, or holds more than `limits` allow. */
export function parseWithin(text: string, limits: JsonLimits): unknown {
  if (holdsTooMuch(text, limits)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads one event of an upstream stream. What is not a JSON object is `upstream_bad_response`, and so is what holds too much, which is the
 * gateway's limit and not the upstream's fault.
 */
export function parseEvent(text: string, provider: string, limits: JsonLimits = eventLimits): JsonObject {
  if (holdsTooMuch(text, limits)) {
    const message = 'The provider sent an event that holds more than the gateway reads.';
    throw new AppError('upstream_bad_response', message, { provider, origin: 'gateway' });
  }
  const value = parseWithin(text, limits);
  if (isObject(value)) return value;
  throw new AppError('upstream_bad_response', 'The provider sent something that is not valid JSON.', { provider });
}
