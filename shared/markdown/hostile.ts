/**
 * Detects text that would keep a Markdown parser busy for seconds or overflow its stack: nesting, runs of delimiters,
 * or single words far beyond any prose. Such text is shown as plain text. The check takes linear time. Code in fences
 * is harmless.
 */
const deepest = 40;
const widestIndent = 80;
const maxRule = 200;
const maxWord = 4000;
const maxDelimiters = 1500;

const marker = /[>*+-]|\d{1,9}[.)]/y;
const fenceLine = /^ {0,3}(`{3,}|~{3,})/;
const delimiter = /[*_~[!<`\\$]/g;
/** Rows, items and headings are parsed separately, so only delimiters within one line can interact. */
const ownLine = /^ {0,40}(?:[*+-]|#{1,6}|1[.)])[ \t]/;
const numbered = /^ {0,40}\d{1,9}[.)][ \t]/;
const headOfTable = /^[ >]{0,40}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*(?::?-+:?[ \t]*)?){1,100}$/;

export function isHostile(text: string): boolean {
  let fence = '';
  let delimiters = 0;
  let length = 0;
  let inTable = false;
  let inList = false;
  for (const line of text.split('\n')) {
    const fenceMark = fenceLine.exec(line)?.[1] ?? '';
    if (fence !== '') {
      if (fenceMark.startsWith(fence)) fence = '';
      continue;
    }
    if (fenceMark !== '' && line.length < 200) {
      fence = fenceMark;
      continue;
    }
    if (isDeep(line) || isOneWord(line)) return true;
    // A blank line ends a paragraph and resets its counts.
    if (line.trim() === '') {
      delimiters = 0;
      length = 0;
      inTable = false;
      inList = false;
      continue;
    }
    inTable ||= headOfTable.test(line);
    const isOwn = ownLine.test(line);
    if (inTable || isOwn || (inList && numbered.test(line))) {
      delimiters = 0;
      length = 0;
    }
    inList ||= isOwn;
    length += line.length;
    delimiters += line.match(delimiter)?.length ?? 0;
    if (delimiters > maxDelimiters && length < delimiters * 12) return true;
  }
  return false;
}

/** Whether a line has too many nested containers or too much indentation. */
function isDeep(line: string): boolean {
  if (line.length > maxRule && /^[\s*_=-]+$/.test(line)) return true;
  let depth = 0;
  let start = 0;
  for (; start < line.length; ) {
    if (line[start] === ' ' || line[start] === '\t') {
      start++;
      continue;
    }
    marker.lastIndex = start;
    const found = marker.exec(line);
    if (!found) break;
    start += found[0].length;
    depth++;
  }
  const rule = /^[\s*_-]+$/.test(line);
  return (depth > deepest && !rule) || (depth > 0 && (/^\s*/.exec(line)?.[0].length ?? 0) > widestIndent);
}

/**
 * The parser searches only ASCII words for addresses, so only those are checked. In other scripts a paragraph may have
 * no spaces at all.
 */
const isOneWord = (line: string): boolean =>
  line.length > maxWord && line.split(/[^\x21-\x7e]/).some((word) => word.length > maxWord && /[._+-]/.test(word));
