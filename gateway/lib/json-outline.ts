/** A value's place in the bytes of a JSON text. */
export interface JsonSpan {
  readonly bytes: Uint8Array;
  /** Strings in it, names of fields included: as many as were parsed, unless a name came twice. */
  readonly strings: number;
}

export interface JsonOutline {
  /** The deepest nesting. */
  readonly depth: number;
  /** The value of the field of this name at the top, where it is an array and the only one of the name; else null. */
  readonly span: JsonSpan | null;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Looks over a JSON text before a parser builds anything: strings are skipped, not read. What it says of a text that is no
 * JSON means nothing.
 */
export function outlineOf(text: Uint8Array, name: string): JsonOutline {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const wanted = Buffer.from(`"${name}"`);
  let [depth, deepest, strings, found] = [0, 0, 0, 0];
  let isName = false;
  let start = -1;
  let before = 0;
  let span: JsonSpan | null = null;
  /** A name may be spelled with escapes: then it is not certain that it came once. */
  let escaped = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      const end = endOfString(bytes, at);
      if (end < 0) break;
      strings += 1;
      if (depth === 1) escaped ||= bytes.subarray(at, end).includes(backslash);
      isName =
        depth === 1 && end + 1 - at === wanted.length && bytes.compare(wanted, 0, wanted.length, at, end + 1) === 0;
      if (isName) found += 1;
      at = end;
    } else if (byte === openBrace || byte === openBracket) {
      if (isName && byte === openBracket) [start, before] = [at, strings];
      isName = false;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 1 && start >= 0) {
        span = { bytes: bytes.subarray(start, at + 1), strings: strings - before };
        start = -1;
      }
    } else if (byte === comma) isName = false;
  }
  return { depth: deepest, span: found === 1 && !escaped ? span : null };
}

/** Where the string that begins here ends, or -1: long texts are searched, not walked through. */
function endOfString(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(quote, start + 1);
  while (end >= 0 && isEscaped(bytes, end)) end = bytes.indexOf(quote, end + 1);
  return end;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at - 1;
  while (bytes[before] === backslash) before -= 1;
  return (at - before) % 2 === 0;
}
