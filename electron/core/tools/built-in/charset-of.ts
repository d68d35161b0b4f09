/** How much of a page is searched for its encoding (HTML, "prescan a byte stream"). */
const looked = 1024;
const marks: readonly (readonly [mark: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];

/**
 * The `TextDecoder` label for a page: by its byte order mark, else by its server, else by the page itself; UTF-8 by
 * default.
 */
export function getCharset(bytes: Uint8Array, said: string | null, isHtml: boolean): string {
  const mark = marks.find(([start]) => start.every((byte, at) => bytes[at] === byte));
  const named = mark?.[1] ?? known(said) ?? (isHtml ? known(saidWithin(bytes)) : null);
  return named ?? 'utf-8';
}

function saidWithin(bytes: Uint8Array): string | null {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, looked));
  const found = /<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(start);
  const name = found?.[1]?.toLowerCase() ?? null;
  // A page that reads as ASCII so far is not UTF-16 (HTML, "prescan", step 8).
  return name?.startsWith('utf-16') ? 'utf-8' : name;
}

function known(name: string | null): string | null {
  try {
    return name === null ? null : new TextDecoder(name).encoding;
  } catch {
    return null;
  }
}
