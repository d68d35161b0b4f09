/** The parts of a base64 data URL (RFC 2397). */
export interface DataUrl {
  /** In lower case, without parameters. */
  readonly mediaType: string;
  readonly base64: string;
}

/** Maximum length of a file's URL, in characters. */
export const maxAddress = 8_192;

const head = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[^;,]*)*;base64,/i;

/** Returns null if the text isn't a base64 data URL. */
export function parseDataUrl(url: string): DataUrl | null {
  const match = head.exec(url.slice(0, 300));
  if (!match?.[1]) return null;
  const base64 = url.slice(match[0].length);
  return isBase64(base64) ? { mediaType: match[1].toLowerCase(), base64 } : null;
}

/** True if decoding loses nothing. Takes linear time, even for megabytes. */
export function isBase64(text: string): boolean {
  const unpadded = text.replace(/={1,2}$/, '');
  return (
    unpadded !== '' &&
    Buffer.from(text, 'base64')
      .toString('base64')
      .replace(/={1,2}$/, '') === unpadded
  );
}

/** Decodes only the first bytes of the content. */
export const dataUrlBytes = ({ base64 }: DataUrl, bytes: number): Buffer =>
  Buffer.from(base64.slice(0, Math.ceil(bytes / 3) * 4), 'base64');
