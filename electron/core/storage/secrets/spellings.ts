const base32Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{5}/g) ?? []).map((five) => base32Letters[Number.parseInt(five, 2)]).join('');
}

/** Base64 depends on where in a text the secret stands: the middle that is the same for each of the three offsets. */
function base64Anywhere(secret: string, encoding: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
      .toString(encoding)
      .replace(/=+$/, '');
    return text.slice(offset === 0 ? 0 : offset + 1, -2);
  });
}

const each = (secret: string, spell: (character: string) => string) => [...secret].map(spell).join('');
const toHex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');
const rot13 = (secret: string) =>
  secret.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });

/** Ways in which a secret may stand somewhere, raw first. */
export function getSpellings(secret: string): readonly (readonly [name: string, bytes: Buffer])[] {
  const bytes = Buffer.from(secret);
  const texts: [string, string][] = [
    ['raw', secret],
    ['reversed', [...secret].reverse().join('')],
    ['upper case', secret.toUpperCase()],
    ['rot13', rot13(secret)],
    ['hex', bytes.toString('hex')],
    ['hex in upper case', bytes.toString('hex').toUpperCase()],
    ['hex with blanks', each(secret, (character) => `${toHex(character)} `).trim()],
    ['decimal bytes', [...bytes].join(',')],
    ['URL-encoded', encodeURIComponent(secret)],
    ['URL-encoded throughout', each(secret, (character) => `%${toHex(character)}`)],
    ['JSON-escaped', each(secret, (character) => `\\u00${toHex(character)}`)],
    ['HTML entities', each(secret, (character) => `&#${character.charCodeAt(0)};`)],
    ['HTML entities in hex', each(secret, (character) => `&#x${toHex(character)};`)],
    ['base32', base32(bytes)],
    ...base64Anywhere(secret, 'base64').map((text): [string, string] => ['base64', text]),
    ...base64Anywhere(secret, 'base64url').map((text): [string, string] => ['base64url', text]),
  ];
  const utf16 = Buffer.from(secret, 'utf16le');
  return [
    ...texts.map(([name, text]) => [name, Buffer.from(text)] as const),
    ['utf-16le', utf16],
    ['utf-16be', Buffer.from(utf16).swap16()],
  ];
}
