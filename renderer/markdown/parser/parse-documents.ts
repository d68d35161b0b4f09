import type { Token } from 'marked';
import remend from 'remend';
import { lexText, withPlainLines } from '#shared/markdown/lex-text.ts';
import { getPortions, type Portion } from './block-parts.ts';
import { boundedBlocks } from './bounded-blocks.ts';
import type { ParseAnswer, ParseRequest } from './parse-messages.ts';

/**
 * Incremental Markdown. Closed blocks are lexed once and keep their identity, so that they aren't rendered again. Only
 * the open tail is lexed with each chunk. At the end, the blocks equal those of the whole text (see the tests).
 */
interface Blocks {
  append(text: string): void;
  /** Marks the text as complete. Unfinished syntax is then taken literally. */
  finish(): void;
  readonly source: string;
  readonly tokens: readonly Token[];
}

const maxMended = 20_000;
const referenceDefinition = /\[[^\]\n]+\]:/;

export function createBlocks(): Blocks {
  let closed: Token[] = [];
  let open: Token[] = [];
  let source = '';
  let tail = '';
  let heldBack = '';
  let finished = false;

  const refresh = (streaming: boolean) => {
    const raw = lexText(tail);
    const cut = closedCount(raw);
    const done = raw.slice(0, cut).map((token, index) => equalOr(open[index], token));
    const length = done.reduce((sum, token) => sum + token.raw.length, 0);
    // Blocks are closed only if they reproduce the text exactly, because a parser must never lose a word.
    if (streaming && cut > 0 && tail.startsWith(done.map((token) => token.raw).join(''))) {
      closed = [...closed, ...done];
      open = open.slice(cut);
      tail = tail.slice(length);
    }
    const rest = streaming ? lexText(mended(tail)) : raw;
    const same = streaming ? sameOr : equalOr;
    open = rest.map((token, index) => same(open[index], token));
  };

  return {
    get source() {
      return source;
    },
    get tokens() {
      return [...closed, ...open];
    },
    append(text) {
      if (finished || text === '') return;
      source += text;
      // The `\n` of a `\r\n` may still be missing.
      const arrived = heldBack + text;
      heldBack = arrived.endsWith('\r') ? '\r' : '';
      tail += withPlainLines(arrived.slice(0, arrived.length - heldBack.length));
      refresh(true);
    },
    finish() {
      if (finished) return;
      finished = true;
      tail += heldBack ? '\n' : '';
      // A link reference may have been used before its definition.
      if (!referenceDefinition.test(source)) return refresh(false);
      const before = [...closed, ...open];
      closed = lexText(withPlainLines(source)).map((token, index) => equalOr(before[index], token));
      open = [];
    },
  };
}

/** Returns the tokens of a complete document. */
export function lexWhole(source: string): Token[] {
  const blocks = createBlocks();
  blocks.append(source);
  blocks.finish();
  return [...blocks.tokens];
}

/**
 * Counts the blocks that can no longer change: all but the last two that aren't blank, and only up to a blank line.
 * Without a blank line, the next text may continue the block.
 */
function closedCount(tokens: readonly Token[]): number {
  let solid = 0;
  for (let index = tokens.length - 1; index > 0; index--) {
    if (tokens[index]?.type !== 'space') solid++;
    if (solid >= 2 && endsWithBlankLine(tokens[index - 1])) return index;
  }
  return 0;
}

const endsWithBlankLine = (token: Token | undefined): boolean =>
  token?.type === 'space' || /\n[ \t]*\n$/.test(token?.raw ?? '');

const sameOr = (before: Token | undefined, now: Token): Token =>
  before && before.type === now.type && before.raw === now.raw ? before : now;

/** Returns the earlier token if it is equal. The same source may contain a link now, so the content is compared too. */
const equalOr = (before: Token | undefined, now: Token): Token =>
  before && JSON.stringify(before) === JSON.stringify(now) ? before : now;

/** Closes unfinished syntax, so that no raw markup flashes. Skipped inside an open fence, where it is text. */
function mended(tail: string): string {
  if (tail.length > maxMended) return tail;
  return remend(tail, { linkMode: 'text-only', images: false, htmlTags: false, katex: false });
}

interface Document {
  readonly blocks: Blocks;
  /** Cached result of `boundedBlocks` by block. */
  readonly bounded: WeakMap<Token, readonly Token[]>;
  sent: readonly Token[];
}

/** The weight of one message to the page, which deserialises it in one task. */
const answerWeight = 40_000;

/**
 * Answers parse requests, in the worker or in the page. A request to append is answered by one or several messages in a
 * row.
 */
export function createParsing(): (request: ParseRequest) => readonly ParseAnswer[] {
  const documents = new Map<number, Document>();
  return (request) => {
    const { id } = request;
    if (request.type === 'forget') {
      documents.delete(id);
      return [];
    }
    const document = documents.get(id) ?? { blocks: createBlocks(), bounded: new WeakMap(), sent: [] };
    documents.set(id, document);
    document.blocks.append(request.text);
    if (request.finish) document.blocks.finish();
    const tokens = toBounded(document);
    const answers = getAnswers(id, document.sent, tokens);
    document.sent = tokens;
    // No request follows a finished document.
    if (request.finish) documents.delete(id);
    return answers;
  };
}

function toBounded({ blocks, bounded }: Document): readonly Token[] {
  return blocks.tokens.flatMap((block) => {
    const known = bounded.get(block) ?? boundedBlocks(block);
    bounded.set(block, known);
    return known;
  });
}

function getAnswers(id: number, before: readonly Token[], now: readonly Token[]): ParseAnswer[] {
  const unchanged = sameAtTheStart(before, now);
  const answers: Omit<ParseAnswer, 'more'>[] = [];
  let portions: Portion[] = [];
  let weight = 0;
  const close = () => {
    const tokens = portions.map(({ block }) => block);
    const [first] = portions;
    answers.push({ id, kept: first?.index ?? unchanged, keptParts: first?.keptParts ?? 0, tokens });
    portions = [];
    weight = 0;
  };
  for (let index = unchanged; index < now.length; index++) {
    const earlier = index === unchanged ? before[unchanged] : undefined;
    for (const portion of getPortions(now[index] as Token, index, earlier, answerWeight)) {
      // The page joins the first block of a message with the parts that it has, so a block with `keptParts` starts a
      // new message.
      if (portions.length > 0 && (portion.keptParts > 0 || weight + portion.weight > answerWeight)) close();
      portions.push(portion);
      weight += portion.weight;
    }
  }
  if (portions.length > 0 || answers.length === 0) close();
  return answers.map((answer, index) => ({ ...answer, more: index < answers.length - 1 }));
}

function sameAtTheStart(before: readonly Token[], now: readonly Token[]): number {
  const different = now.findIndex((token, index) => token !== before[index]);
  return different === -1 ? now.length : different;
}
