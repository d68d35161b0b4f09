const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  times: '×',
  divide: '÷',
  deg: '°',
  plusmn: '±',
  middot: '·',
  bull: '•',
  larr: '←',
  rarr: '→',
  le: '≤',
  ge: '≥',
  ne: '≠',
  euro: '€',
  pound: '£',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  sect: '§',
  para: '¶',
  micro: 'µ',
};

/** Decodes entities such as `&amp;`. Unknown entities stay as they are. */
export const decodeEntities = (text: string): string =>
  text.includes('&') ? text.replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi, decodeOne) : text;

function decodeOne(entity: string, body: string): string {
  if (!body.startsWith('#')) return named[body] ?? entity;
  const code = /^#x/i.test(body) ? Number.parseInt(body.slice(2), 16) : Number(body.slice(1));
  const isScalar = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isScalar ? String.fromCodePoint(code) : '\ufffd';
}
