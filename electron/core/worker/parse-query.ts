import type { ProblemText } from '#shared/errors.ts';
import { tell } from '#shared/language/refusals.ts';

/** A parsed query. Every text is valid: what cannot be parsed becomes a problem, never an error. */
export interface ParsedQuery {
  /** An FTS expression with every word quoted; null without words. */
  readonly match: string | null;
  /** Texts in scripts without spaces, matched anywhere. */
  readonly parts: readonly string[];
  readonly filters: Filters;
  readonly problems: readonly ProblemText[];
}

export interface Filters {
  readonly tags: readonly string[];
  readonly folder: string | null;
  readonly model: string | null;
  readonly pinned: boolean | null;
  readonly archived: boolean | null;
  readonly trash: boolean | null;
  /** Epoch milliseconds, exclusive. */
  readonly before: number | null;
  /** Epoch milliseconds, inclusive. */
  readonly after: number | null;
  readonly role: 'user' | 'assistant' | null;
}

const prefixes = ['tag', 'folder', 'model', 'pinned', 'archived', 'trash', 'before', 'after', 'role'] as const;
type Prefix = (typeof prefixes)[number];

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** `name:value`, `name:"a value"`, `"a phrase"` or a word. */
const token = /([a-z]+):(?:"([^"]*)"?|(\S*))|"([^"]*)"?|(\S+)/giu;
const maxTerms = 20;

/** Parses a query. Dates are local calendar days. */
export function parseQuery(query: string): ParsedQuery {
  const filters: { -readonly [K in keyof Filters]: Filters[K] } & { tags: string[] } = {
    tags: [],
    folder: null,
    model: null,
    pinned: null,
    archived: null,
    trash: null,
    before: null,
    after: null,
    role: null,
  };
  const terms: string[] = [];
  const parts: string[] = [];
  const problems: ProblemText[] = [];

  const addWords = (text: string, exact: boolean) => {
    const plain = text.normalize('NFC').replaceAll('\0', ' ');
    if (!/[\p{L}\p{N}]/u.test(plain)) return;
    if (unspaced.test(plain)) parts.push(plain.trim());
    // A prefix of one letter matches too much: it has to be the whole word.
    else terms.push(`"${plain.replaceAll('"', '""')}"${exact || [...plain].length < 2 ? '' : '*'}`);
  };

  const set: Record<Prefix, (value: string) => void> = {
    tag: (value) => filters.tags.push(value),
    folder: (value) => {
      filters.folder = value;
    },
    model: (value) => {
      filters.model = value;
    },
    pinned: (value) => {
      filters.pinned = yesNo('pinned', value, problems);
    },
    archived: (value) => {
      filters.archived = yesNo('archived', value, problems);
    },
    trash: (value) => {
      filters.trash = yesNo('trash', value, problems);
    },
    before: (value) => {
      filters.before = day('before', value, problems);
    },
    after: (value) => {
      filters.after = day('after', value, problems);
    },
    role: (value) => {
      filters.role = role(value, problems);
    },
  };

  for (const [whole, name, quoted, bare, phrase, word] of query.matchAll(token)) {
    const prefix = prefixes.find((each) => each === name?.toLowerCase());
    const value = quoted ?? bare ?? '';
    if (prefix && value.trim() === '')
      problems.push(tell('searchNeedsValue', { filter: prefix, example: examples[prefix] }));
    else if (prefix) set[prefix](value.trim());
    else if (phrase !== undefined) addWords(phrase, true);
    else addWords(word ?? whole, false);
  }
  const match = terms.slice(0, maxTerms).join(' AND ');
  return { match: match === '' ? null : match, parts: parts.slice(0, maxTerms), filters, problems };
}

const examples: Record<Prefix, string> = {
  tag: 'tag:work',
  folder: 'folder:"My folder"',
  model: 'model:sonnet',
  pinned: 'pinned:yes',
  archived: 'archived:yes',
  trash: 'trash:yes',
  before: 'before:2026-03-31',
  after: 'after:2026-03',
  role: 'role:user',
};

function yesNo(name: Prefix, value: string, problems: ProblemText[]): boolean | null {
  if (/^(yes|y|true|1)$/i.test(value)) return true;
  if (/^(no|n|false|0)$/i.test(value)) return false;
  problems.push(tell('searchYesOrNo', { filter: name, example: examples[name] }));
  return null;
}

function role(value: string, problems: ProblemText[]): 'user' | 'assistant' | null {
  if (/^(user|me|you|question)$/i.test(value)) return 'user';
  if (/^(assistant|ai|model|answer)$/i.test(value)) return 'assistant';
  problems.push(tell('searchRole'));
  return null;
}

function day(name: 'before' | 'after', value: string, problems: ProblemText[]): number | null {
  const [, year, month = '1', date = '1'] = /^(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?$/.exec(value) ?? [];
  const time = new Date(Number(year), Number(month) - 1, Number(date));
  if (year !== undefined && time.getMonth() === Number(month) - 1 && time.getDate() === Number(date)) {
    return time.getTime();
  }
  problems.push(tell('searchNeedsDate', { filter: name, example: examples[name] }));
  return null;
}
