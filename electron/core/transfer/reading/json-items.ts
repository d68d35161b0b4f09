import { refusal } from '#shared/language/refusals.ts';

type Reason = 'importHuge' | 'importNoJson' | 'importDeep' | 'importUnknown' | 'importCut';
const refuse = (reason: Reason) => refusal('import_refused', reason);

/** The largest conversation that is held in memory, in UTF-16 units. */
export const maxItem = 50_000_000;
const deepest = 200;
/**
 * The most values, lists and objects in an item. A conversation of 100,000 messages has about three million. Each takes
 * some dozen bytes more in memory than in the file, and V8 parses an item in one go that can't be interrupted.
 */
const maxValues = 8_000_000;
const endOrEscape = /["\\]/g;

/**
 * Takes a JSON text piece by piece and returns the items of its list. The list is the text itself, or the first list in
 * the object. Only one item is held in memory at a time, however long the file. `end` returns the rest of the object.
 */
export function jsonItems() {
  let depth = 0;
  let listDepth: number | null = null;
  let listOver = false;
  let inString = false;
  let escaped = false;
  let item = '';
  let items = 0;
  let values = 0;
  let head = '';

  function take(text: string, found: string[], last: boolean): void {
    item += text;
    if (item.length > maxItem) throw refuse('importHuge');
    if (values > maxValues) throw refusal('import_refused', 'importManyValues', { most: maxValues });
    if (!last) return;
    if (item.trim() !== '') found.push(item);
    else if (items > 0 || depth !== listDepth) throw refuse('importNoJson');
    items++;
    item = '';
    values = 0;
  }

  return {
    push(text: string): string[] {
      const found: string[] = [];
      let from = 0;
      const inList = () => listDepth !== null && !listOver;
      for (let index = 0; index < text.length; index++) {
        if (inString && !escaped) {
          // Files are long strings, in which only a quote or a backslash matters.
          endOrEscape.lastIndex = index;
          index = endOrEscape.exec(text)?.index ?? text.length;
          if (index === text.length) break;
        }
        const code = text.charCodeAt(index);
        if (inString) {
          if (escaped) escaped = false;
          else if (code === 92) escaped = true;
          else if (code === 34) inString = false;
          continue;
        }
        if (code === 34) inString = true;
        else if (code === 123 || code === 91) {
          depth++;
          values++;
          if (depth > deepest) throw refuse('importDeep');
          if (listDepth === null && code === 91 && depth <= 2) {
            listDepth = depth;
            head += text.slice(from, index + 1);
            from = index + 1;
          }
        } else if (code === 125 || code === 93) {
          if (inList() && depth === listDepth) {
            if (code === 125) throw refuse('importNoJson');
            const rest = text.slice(from, index);
            if (items > 0 || (item + rest).trim() !== '') take(rest, found, true);
            listOver = true;
            from = index;
          }
          depth--;
          if (depth < 0) throw refuse('importNoJson');
        } else if (code === 44) {
          values++;
          if (!inList() || depth !== listDepth) continue;
          take(text.slice(from, index), found, true);
          from = index + 1;
        }
      }
      if (inList()) take(text.slice(from), found, false);
      else head += text.slice(from);
      if (head.length > 1_000_000) throw refuse('importUnknown');
      return found;
    },

    /** Returns what surrounds the list. Throws if the text was cut off or isn't JSON. */
    end(): unknown {
      if (depth !== 0 || inString) throw refuse('importCut');
      if (listDepth === null) throw refuse('importUnknown');
      return parseJson(head);
    },
  };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refusal('import_refused', 'importNoJson', {
      cause,
    });
  }
}
