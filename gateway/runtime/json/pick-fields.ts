/**
 * The platform's `JSON.parse` builds the full text even if two small fields are wanted. The last event of an upstream's stream
 * may repeat the complete request and answer. This file finds the wanted fields and skips the rest unbuilt, so that such an event
 * isn't refused for its size. To check: `pick-fields.test.ts` compares it with a full parse.
 */

import { isObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { eventLimits } from './json-limits.ts';
import { parseWithin } from './parse-json.ts';

/**
 * Parses only these fields of the object under `parent` at the top of a JSON text. Everything else is skipped without being
 * built, however large it is. A field that is missing or exceeds `eventLimits` is left out. Returns null when the text has no
 * such object.
 */
export function pickFields(text: string, parent: string, wanted: readonly string[]): JsonObject | null {
  const start = skipBlanks(text, 0);
  const outer = getMembers(text, start);
  if (outer === null) return null;
  for (const { name, from } of outer) {
    if (name !== parent) continue;
    const inner = getMembers(text, from);
    if (inner === null) return null;
    const fields: Record<string, unknown> = {};
    for (const member of inner) {
      if (!wanted.includes(member.name)) continue;
      const value = parseWithin(text.slice(member.from, member.to), eventLimits);
      if (value !== undefined) fields[member.name] = value;
    }
    return isObject(fields) ? fields : null;
  }
  return null;
}

interface Member {
  readonly name: string;
  /** Where the value begins and ends. */
  readonly from: number;
  readonly to: number;
}

/**
 * Iterates over the members of the object that begins here; null when there is no object. Ends early in a text that isn't JSON.
 */
function getMembers(text: string, start: number): Iterable<Member> | null {
  return text[start] === '{' ? walk(text, start) : null;
}

function* walk(text: string, start: number): Generator<Member, void> {
  let position = skipBlanks(text, start + 1);
  while (text[position] === '"') {
    const nameEnd = endOfString(text, position);
    const colon = skipBlanks(text, nameEnd);
    if (text[colon] !== ':') return;
    const from = skipBlanks(text, colon + 1);
    const to = endOfValue(text, from);
    yield { name: nameIn(text.slice(position, nameEnd)), from, to };
    position = skipBlanks(text, to);
    if (text[position] !== ',') return;
    position = skipBlanks(text, position + 1);
  }
}

/** Returns the name with its escapes decoded. */
function nameIn(quoted: string): string {
  const name: unknown = quoted.includes('\\') ? parseWithin(quoted, eventLimits) : quoted.slice(1, -1);
  return typeof name === 'string' ? name : '';
}

function skipBlanks(text: string, from: number): number {
  let position = from;
  while (position < text.length && text.charCodeAt(position) <= 0x20) position += 1;
  return position;
}

/** Returns the position after the closing quote, or the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === '\\') before -= 1;
    if ((end - before) % 2 === 1) return end + 1;
  }
  return text.length;
}

/** Outside of strings, these characters always open or close something, and strings are skipped. */
const marks = /["{}[\]]/g;

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') {
    let position = start;
    while (position < text.length && !/[,}\]\s]/.test(text[position] ?? '')) position += 1;
    return position;
  }
  let depth = 0;
  marks.lastIndex = start;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const position = found.index;
    if (found[0] === '"') marks.lastIndex = endOfString(text, position);
    else depth += found[0] === '{' || found[0] === '[' ? 1 : -1;
    if (depth === 0) return position + 1;
  }
  return text.length;
}
