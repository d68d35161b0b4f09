import type { JsonObject } from '#shared/json/foreign-json.ts';
import type { ProviderEvent } from '../provider.ts';

/** What stands around the text in the chunks of a stream, which nearly all are the same but for it. */
export interface ChunkTemplate {
  readonly before: string;
  readonly after: string;
}

const name = '"content":';
const probe = '\u0001 \u2028"\\';

/**
 * The template of a chunk that says one piece of text and nothing else; null of any other. Proved by putting another text into it:
 * nothing but the text may change.
 */
export function createTemplate(
  data: string,
  chunk: JsonObject,
  events: readonly ProviderEvent[],
): ChunkTemplate | null {
  const [event, ...more] = events;
  if (event?.type !== 'text-delta' || event.logprobs || more.length > 0) return null;
  const start = data.indexOf(name) + name.length;
  const literal = JSON.stringify(event.text);
  if (start < name.length || !data.startsWith(literal, start)) return null;
  const template = { before: getCopy(data.slice(0, start)), after: getCopy(data.slice(start + literal.length)) };
  const probed = JSON.stringify(JSON.parse(`${template.before}${JSON.stringify(probe)}${template.after}`));
  const expected = JSON.stringify(chunk).split(`${name}${literal}`);
  return probed === expected.join(`${name}${JSON.stringify(probe)}`) && expected.length === 2 ? template : null;
}

/** A slice would keep all that was read with it. */
const getCopy = (text: string) => Buffer.from(text).toString();

/** The text of a chunk that follows the template; null where it does not, or has none. */
export function contentIn(data: string, { before, after }: ChunkTemplate): string | null {
  const end = data.length - after.length;
  // Equality is found several times as fast as by `startsWith`.
  if (end - before.length < 2 || data.slice(0, before.length) !== before || data.slice(end) !== after) return null;
  if (data[before.length] !== '"' || data[end - 1] !== '"') return null;
  try {
    const text: unknown = JSON.parse(data.slice(before.length, end));
    return typeof text === 'string' ? text : null;
  } catch {
    // More than a text stands between the two: the chunk has another form.
    return null;
  }
}
