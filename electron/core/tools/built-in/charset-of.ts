/** The number of bytes of a page that are searched for its encoding (HTML, "prescan a byte stream"). */
const prescanBytes = 1024;
const marks: readonly (readonly [mark: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];

/**
 * Returns the `TextDecoder` label for a page: from its byte order mark, otherwise from the server's header, otherwise
 * from the page itself. The default is UTF-8.
 */
export function getCharset(bytes: Uint8Array, reported: string | null, isHtml: boolean): string {
  const mark = marks.find(([start]) => start.every((byte, index) => bytes[index] === byte));
  const named = mark?.[1] ?? known(reported) ?? (isHtml ? known(declaredIn(bytes)) : null);
  return named ?? 'utf-8';
}

function declaredIn(bytes: Uint8Array): string | null {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, prescanBytes));
  const found = /<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(start);
  const name = found?.[1]?.toLowerCase() ?? null;
  // A page whose beginning reads as ASCII can't be UTF-16 (HTML, "prescan", step 8).
  return name?.startsWith('utf-16') ? 'utf-8' : name;
}

function known(name: string | null): string | null {
  try {
    return name === null ? null : new TextDecoder(name).encoding;
  } catch {
    return null;
  }
}
