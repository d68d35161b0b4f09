import type { Database } from 'better-sqlite3';
import type { TextRun } from '#shared/contract/chat/search.ts';
import { maxCompared } from '#shared/contract/common/limits.ts';
import type { ProblemText } from '#shared/errors.ts';
import { toProblemText } from '#shared/language/refusals.ts';

/** A parsed query. Every text is valid: what can't be parsed becomes a problem, never an error. */
interface ParsedQuery {
  /** An FTS expression with every word quoted. Null if there are no words. */
  readonly match: string | null;
  /** Words in scripts without spaces. They may match anywhere in a text. */
  readonly parts: readonly string[];
  readonly filters: Filters;
  readonly problems: readonly ProblemText[];
}

interface Filters {
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
/** Matches `name:value`, `name:"a value"`, `"a phrase"` or a word. */
const token = /([a-z]+):(?:"([^"]*)"?|(\S*))|"([^"]*)"?|(\S+)/giu;
const maxTerms = 20;

/** Parses a query. Dates are local calendar days. */
function parseQuery(query: string): ParsedQuery {
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
    // A prefix of one letter would match too much, so a single letter must be the complete word.
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

  for (const [term, name, quoted, bare, phrase, word] of query.matchAll(token)) {
    const prefix = prefixes.find((known) => known === name?.toLowerCase());
    const value = quoted ?? bare ?? '';
    if (prefix && value.trim() === '')
      problems.push(toProblemText('searchNeedsValue', { filter: prefix, example: examples[prefix] }));
    else if (prefix) set[prefix](value.trim());
    else if (phrase !== undefined) addWords(phrase, true);
    else addWords(word ?? term, false);
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
  problems.push(toProblemText('searchYesOrNo', { filter: name, example: examples[name] }));
  return null;
}

function role(value: string, problems: ProblemText[]): 'user' | 'assistant' | null {
  if (/^(user|me|you|question)$/i.test(value)) return 'user';
  if (/^(assistant|ai|model|answer)$/i.test(value)) return 'assistant';
  problems.push(toProblemText('searchRole'));
  return null;
}

function day(name: 'before' | 'after', value: string, problems: ProblemText[]): number | null {
  const [, year, month = '1', date = '1'] = /^(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?$/.exec(value) ?? [];
  const time = new Date(Number(year), Number(month) - 1, Number(date));
  if (year !== undefined && time.getMonth() === Number(month) - 1 && time.getDate() === Number(date)) {
    return time.getTime();
  }
  problems.push(toProblemText('searchNeedsDate', { filter: name, example: examples[name] }));
  return null;
}

/** Mark the beginning and end of a match in a snippet. Messages don't contain these control characters. */
const [on, off] = ['\u0001', '\u0002'];

/**
 * Markdown syntax of which a snippet may contain only one end. The patterns are bounded, so every text takes linear
 * time.
 */
const marks: readonly RegExp[] = [
  /^[ \t]{0,8}(?:`{3,9}|~{3,9})[^\n]{0,60}$/gm,
  /^[ \t]{0,8}(?:#{1,6}[ \t]{1,9}|(?:>[ \t]?){1,5})/gm,
  /^[ \t]{0,8}\|?(?:[ \t]{0,8}:?-{2,200}:?[ \t]{0,8}\|){1,50}(?:[ \t]{0,8}:?-{2,200}:?)?[ \t]{0,8}$/gm,
  /^[ \t]{0,8}\|[ \t]{0,8}|[ \t]{0,8}\|[ \t]{0,8}$/gm,
  /(?<=^[ \t]{0,8}[-*+][ \t]{1,4})\[[ xX]\][ \t]/gm,
  // Only at one side of a word, because stars between words or spaces are a power or a product.
  /(?<![\p{L}\p{N}])(?:\*{2,3}|~~)(?=\S)|(?<=\S)(?:\*{2,3}|~~)(?![\p{L}\p{N}])/gu,
  /`{1,9}/g,
  /\\(?=[!-/:-@[-`{-~])/g,
  /<br ?\/?>/gi,
];
const emphasised = /(?<![\p{L}\p{N}*\\])\*(?=[^\s*])[^*\n]{1,200}(?<=[^\s*])\*(?![\p{L}\p{N}*])/gu;
const bullet = /(?<=^[ \t]{0,8})[-*+](?=[ \t])/gm;
const link = /(!?\[)([^[\]\n]{1,200})(\]\([^()\s]{1,2000}(?:\)|$))/g;
const cellEdge = /(?<=^[ \t]{0,8}\|[^\n]{1,500})\|(?=[^\n]{0,500}\|)/gm;

/**
 * Removes Markdown syntax from a snippet, as its reader saw the text. Syntax that a match touches stays as it was
 * written.
 */
function plainSnippet(marked: string): string {
  const units: string[] = [];
  const edges: { at: number; mark: string }[] = [];
  for (const unit of marked.split('')) {
    if (unit === on || unit === off) edges.push({ at: units.length, mark: unit });
    else units.push(unit);
  }
  const text = units.join('');
  const touches = (from: number, to: number) =>
    edges.some((edge, index) => edge.mark === on && edge.at < to && (edges[index + 1]?.at ?? to) > from);
  const replace = (from: number, to: number, by = '') => {
    if (!touches(from, to)) units.fill('', from, to).splice(from, 1, by);
  };
  for (const { index } of text.matchAll(bullet)) replace(index, index + 1, '•');
  for (const { index } of text.matchAll(cellEdge)) replace(index, index + 1, '·');
  for (const { 0: found, 1: before = '', 3: after = '', index } of text.matchAll(link)) {
    const end = index + found.length;
    if (touches(end - after.length, end)) continue;
    replace(index, index + before.length);
    replace(end - after.length, end);
  }
  for (const { 0: found, index } of text.matchAll(emphasised)) {
    replace(index, index + 1);
    replace(index + found.length - 1, index + found.length);
  }
  for (const pattern of marks) {
    for (const { 0: found, index } of text.matchAll(pattern)) replace(index, index + found.length);
  }
  for (const edge of edges.toReversed()) units.splice(edge.at, 0, edge.mark);
  return units.join('');
}

/** Runs in the worker, on a read-only connection. */

export interface FoundTitle {
  readonly conversationId: string;
  readonly title: TextRun[];
}

export interface FoundMessage extends FoundTitle {
  readonly seq: number;
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly createdAt: number;
  /** The match is in a tool's output and not in the message itself. */
  readonly inTool: boolean;
  readonly snippet: TextRun[];
}

export interface Found {
  readonly titles: FoundTitle[];
  readonly messages: FoundMessage[];
  readonly problems: ProblemText[];
}

interface Row {
  seq: number;
  id: string;
  role: 'user' | 'assistant';
  created_at: number;
  conversation_id: string;
  title: string;
  snippet: string;
}

const around = 80;

/** Where a search looks for words: an index, and the text that is indexed. */
const ofMessages = { words: 'message_words', texts: 'messages', text: 'texts.text', inTool: false };
const ofTools = { words: 'tool_words', texts: 'tool_results', text: 'texts.results', inTool: true };

/**
 * Finds a comparison's question once, although it is stored for each column, at the same time and one after another.
 */
const firstCopy = `not exists (select 1 from messages copy where m.role = 'user' and copy.role = 'user'
  and copy.seq between m.seq - ${2 * maxCompared} and m.seq - 1 and copy.conversation_id = c.id
  and copy.created_at = m.created_at and copy.deletion is null)`;

/** Returns matching titles (on the first page only), and the newest matching messages before `beforeSeq`. */
export function searchMessages(db: Database, query: string, limit: number, beforeSeq: number | null): Found {
  const { match, parts, filters, problems } = parseQuery(query);
  const { where, values, unknown } = conditions(db, filters);
  const wrong = [...problems, ...unknown];
  const blank = match === null && parts.length === 0 && where.length === 2 && filters.trash === null;
  if (wrong.length > 0 || blank) return { titles: [], messages: [], problems: wrong };

  const titles = beforeSeq === null && filters.role === null ? findTitles() : [];
  const messages = match === null && parts.length === 0 ? [] : newest(findMessages(ofMessages), findMessages(ofTools));
  return { titles, messages, problems: [] };

  /** A message whose own text matches isn't listed again for its tools. */
  function newest(own: FoundMessage[], byTools: FoundMessage[]): FoundMessage[] {
    const found = new Set(own.map(({ seq }) => seq));
    return [...own, ...byTools.filter(({ seq }) => !found.has(seq))].sort((a, b) => b.seq - a.seq).slice(0, limit);
  }

  function findTitles(): FoundTitle[] {
    const rows = db
      .prepare(
        `select c.id as conversation_id, ${match === null ? 'c.title' : 'highlight(title_words, 0, char(1), char(2))'} as title
          from ${match === null ? 'conversations c' : 'title_words join conversations c on c.rowid = title_words.rowid'}
          where ${[
            ...(match === null ? [] : ['title_words match ?']),
            ...parts.map(() => "c.title like ? escape '\\'"),
            ...where,
            ...dates('c.updated_at', filters),
            ...(filters.model === null ? [] : ["c.model like ? escape '\\'"]),
          ].join(' and ')}
          order by c.updated_at desc limit ?`,
      )
      .all(
        ...(match === null ? [] : [match]),
        ...parts.map(contains),
        ...values,
        ...(filters.model === null ? [] : [contains(filters.model)]),
        match === null && parts.length === 0 ? limit : Math.min(limit, 20),
      ) as Pick<Row, 'conversation_id' | 'title'>[];
    return rows.map((row) => ({ conversationId: row.conversation_id, title: getRuns(row.title, parts) }));
  }

  function findMessages({ words, texts, text, inTool }: typeof ofMessages): FoundMessage[] {
    const model = `coalesce(m.model, '') || ' ' || coalesce(m.served_provider || '/' || m.served_model, '') || ' ' ||
      coalesce(m.model_name, '') || case m.role when 'user' then c.model else '' end`;
    const seq = match === null ? 'texts.seq' : `${words}.rowid`;
    const rows = db
      .prepare(
        `select m.seq, m.id, m.role, m.created_at, c.id as conversation_id, c.title,
            ${match === null ? text : `snippet(${words}, 0, char(1), char(2), '…', 28)`} as snippet
          from ${match === null ? texts : `${words} join ${texts}`} as texts ${match === null ? '' : `on texts.seq = ${words}.rowid`}
          -- Only of a text that has the words is the rest of its row read.
          cross join messages m on m.seq = texts.seq
          join conversations c on c.id = m.conversation_id
          where ${[
            'm.deletion is null',
            firstCopy,
            ...(match === null ? [] : [`${words} match ?`]),
            ...(beforeSeq === null ? [] : [`${seq} < ?`]),
            ...parts.map(() => `${text} like ? escape '\\'`),
            ...where,
            ...dates('m.created_at', filters),
            ...(filters.model === null ? [] : [`${model} like ? escape '\\'`]),
            ...(filters.role === null ? [] : ['m.role = ?']),
          ].join(' and ')}
          order by ${seq} desc limit ?`,
      )
      .all(
        ...(match === null ? [] : [match]),
        ...(beforeSeq === null ? [] : [beforeSeq]),
        ...parts.map(contains),
        ...values,
        ...(filters.model === null ? [] : [contains(filters.model)]),
        ...(filters.role === null ? [] : [filters.role]),
        limit,
      ) as Row[];
    return rows.map((row) => ({
      seq: row.seq,
      id: row.id,
      role: row.role,
      createdAt: row.created_at,
      inTool,
      conversationId: row.conversation_id,
      title: [{ text: row.title, hit: false }],
      snippet: getRuns(
        match === null ? excerpt(row.snippet, parts) : row.snippet,
        parts,
        !inTool && row.role === 'assistant',
      ),
    }));
  }
}

const contains = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

const dates = (column: string, { before, after }: Filters): string[] => [
  ...(before === null ? [] : [`${column} < ${before}`]),
  ...(after === null ? [] : [`${column} >= ${after}`]),
];

/** Returns SQL conditions with their values. Unknown names are reported as problems. */
function conditions(db: Database, filters: Filters): { where: string[]; values: unknown[]; unknown: ProblemText[] } {
  const where = ['c.temporary = 0', filters.trash === true ? 'c.trashed_at is not null' : 'c.trashed_at is null'];
  const values: unknown[] = [];
  const unknown: ProblemText[] = [];
  if (filters.folder !== null) {
    const row = db.prepare('select id from folders where name = ?').get(filters.folder) as { id: string } | undefined;
    if (!row) unknown.push(toProblemText('searchNoFolder', { name: filters.folder }));
    where.push('c.folder_id = ?');
    values.push(row?.id ?? '');
  }
  for (const tag of filters.tags) {
    if (!db.prepare('select 1 from conversation_tags where tag = ? limit 1').get(tag)) {
      unknown.push(toProblemText('searchNoTag', { name: tag }));
    }
    where.push('exists (select 1 from conversation_tags t where t.conversation_id = c.id and t.tag = ?)');
    values.push(tag);
  }
  if (filters.pinned !== null) where.push(`c.pinned = ${filters.pinned ? 1 : 0}`);
  if (filters.archived !== null) where.push(`c.archived_at is ${filters.archived ? 'not null' : 'null'}`);
  return { where, values, unknown };
}

/** Returns the text around the first match. */
function excerpt(text: string, parts: readonly string[]): string {
  const start = text.toLowerCase().indexOf(parts[0]?.toLowerCase() ?? '');
  const from = Math.max(0, start - around);
  const to = start + (parts[0]?.length ?? 0) + around;
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** Splits a text at the markers and at literal matches. */
function getRuns(marked: string, parts: readonly string[], isMarkdown = false): TextRun[] {
  const lower = marked.toLowerCase();
  let text = marked;
  if (lower.length === marked.length) {
    for (const part of parts) text = text.replaceAll(part, `${on}${part}${off}`);
  }
  return (isMarkdown ? plainSnippet(text) : text)
    .split(on)
    .flatMap((run, index): TextRun[] => {
      if (index === 0) return [{ text: run.replaceAll(off, ''), hit: false }];
      const [hit = '', ...rest] = run.split(off);
      return [
        { text: hit, hit: true },
        { text: rest.join(''), hit: false },
      ];
    })
    .filter((run) => run.text !== '');
}
