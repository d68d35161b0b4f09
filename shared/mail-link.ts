/** Windows refuses longer addresses. */
const maxCharacters = 2000;
const maxRecipients = 10;

/**
 * ASCII only, so a look-alike host is shown as `xn--…`. The pattern also excludes command-line options, quotes and
 * further fields.
 */
const mailAddress = /^[a-z0-9][a-z0-9._+-]{0,63}@[a-z0-9][a-z0-9.-]{0,252}$/i;
/** Control characters, line separators and bidirectional controls. */
const hidden = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;
/** Text that would change if it were decoded twice. */
const encodedTwice = /%[0-9a-f]{2}/i;

/**
 * Normalises a `mailto:` address (RFC 6068) to its recipients, `cc`, `subject` and `body`. Other fields are dropped,
 * because mail programs attach files for `attach` and `attachment`, and send hidden copies for `bcc`. Returns null if
 * the rest contains anything unusual or is too long.
 */
export function safeMailLink(link: string): string | null {
  const fields = readFields(link);
  const to = addressesIn(fields?.to);
  const cc = addressesIn(fields?.cc);
  const subject = fields?.subject?.[0] ?? '';
  const lines = (fields?.body?.[0] ?? '').split(/\r\n|\r|\n/u);
  const recipients = [...to, ...cc];
  if (!fields || ![subject, ...lines].every(isReadable) || recipients.length > maxRecipients) return null;
  if (!recipients.every((address) => mailAddress.test(address))) return null;
  const safe = written(to, { cc: cc.join(), subject: encode(subject), body: encode(lines.join('\r\n')) });
  return safe.length <= maxCharacters ? safe : null;
}

const isReadable = (text: string) => text.isWellFormed() && !hidden.test(text) && !encodedTwice.test(text);

/**
 * Parses the fields as a mail program would: decoded, with names in any case. The part before the question mark counts
 * as a `to`.
 */
function readFields(link: string): Partial<Record<string, string[]>> | null {
  const [, to = '', query = ''] = /^mailto:([^?#]*)\??([^#]*)/i.exec(link) ?? [];
  try {
    const pairs = [`to=${to}`, ...query.split('&')].map((pair) => {
      const [, name = '', value = ''] = /^([^=]*)=?(.*)$/su.exec(pair) ?? [];
      return { name: decodeURIComponent(name).toLowerCase(), value: decodeURIComponent(value) };
    });
    const named = Object.groupBy(pairs, ({ name }) => name);
    return Object.fromEntries(
      Object.entries(named).map(([name, values = []]) => [name, values.map(({ value }) => value)]),
    );
  } catch {
    return null;
  }
}

const addressesIn = (lists: readonly string[] = []): string[] =>
  lists.flatMap((list) => list.split(',').map((address) => address.trim())).filter((address) => address !== '');

/**
 * Replaces straight quotes by curved ones. A program that passes the text on in straight quotes (xdg-email,
 * CVE-2022-4055) would parse the rest as further fields.
 */
const encode = (text: string) => encodeURIComponent(text.replaceAll("'", '’'));

function written(to: readonly string[], fields: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
  return `mailto:${to.join()}${pairs.length ? '?' : ''}${pairs.join('&')}`;
}
