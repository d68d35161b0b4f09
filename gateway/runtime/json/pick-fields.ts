import { isObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { eventLimits } from './json-limits.ts';
import { parseWithin } from './parse-json.ts';

/**
 * Reads these fields of the object under `parent` at the top of a JSON text, and nothing else: the rest is skipped unbuilt, however much it
 * holds. A field that is missing, or larger than an event may be (`eventLimits`), is left out. Null where the text has no such object.
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
  /** Where its value begins and ends. */
  readonly from: number;
  readonly to: number;
}

/** The members of the object that begins here, one after another; null where there is no object. Ends early in a text that is no JSON. */
function getMembers(text: string, start: number): Iterable<Member> | null {
  return text[start] === '{' ? walk(text, start) : null;
}

function* walk(text: string, start: number): Generator<Member, void> {
  let at = skipBlanks(text, start + 1);
  while (text[at] === '"') {
    const nameEnd = endOfString(text, at);
    const colon = skipBlanks(text, nameEnd);
    if (text[colon] !== ':') return;
    const from = skipBlanks(text, colon + 1);
    const to = endOfValue(text, from);
    yield { name: nameIn(text.slice(at, nameEnd)), from, to };
    at = skipBlanks(text, to);
    if (text[at] !== ',') return;
    at = skipBlanks(text, at + 1);
  }
}

/** A name as it is meant, with its escapes read. */
function nameIn(quoted: string): string {
  const name: unknown = quoted.includes('\\') ? parseWithin(quoted, eventLimits) : quoted.slice(1, -1);
  return typeof name === 'string' ? name : '';
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** After the closing quote; the end of the text where there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === '\\') before -= 1;
    if ((end - before) % 2 === 1) return end + 1;
  }
  return text.length;
}

/** Of what stands between the marks nothing can be a mark but in strings, which are skipped. */
const marks = /["{}[\]]/g;

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') {
    let at = start;
    while (at < text.length && !/[,}\]\s]/.test(text[at] ?? '')) at += 1;
    return at;
  }
  let depth = 0;
  marks.lastIndex = start;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const at = found.index;
    if (found[0] === '"') marks.lastIndex = endOfString(text, at);
    else depth += found[0] === '{' || found[0] === '[' ? 1 : -1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
