import type { Token } from 'marked';
import { getPortions, type Portion } from './block-parts.ts';
import { type Blocks, createBlocks } from './blocks.ts';
import { boundedBlocks } from './bounded-blocks.ts';
import type { ParseAnswer, ParseRequest } from './parse-messages.ts';

interface Document {
  readonly blocks: Blocks;
  /** Cached result of `boundedBlocks` by block. */
  readonly bounded: WeakMap<Token, readonly Token[]>;
  told: readonly Token[];
}

/** Weight of one message to the page, which deserialises it in one task. */
const answerWeight = 40_000;

/**
 * Answers parse requests, in the worker or in the page. A request to append is answered by one message, or by several
 * in a row.
 */
export function createParsing(): (request: ParseRequest) => readonly ParseAnswer[] {
  const documents = new Map<number, Document>();
  return (request) => {
    const { id } = request;
    if (request.type === 'forget') {
      documents.delete(id);
      return [];
    }
    const document = documents.get(id) ?? { blocks: createBlocks(), bounded: new WeakMap(), told: [] };
    documents.set(id, document);
    document.blocks.append(request.text);
    if (request.finish) document.blocks.finish();
    const tokens = toBounded(document);
    const answers = getAnswers(id, document.told, tokens);
    document.told = tokens;
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
  const kept = sameAtTheStart(before, now);
  const answers: Omit<ParseAnswer, 'more'>[] = [];
  let portions: Portion[] = [];
  let weight = 0;
  const close = () => {
    const tokens = portions.map(({ block }) => block);
    const [first] = portions;
    answers.push({ id, kept: first?.index ?? kept, keptParts: first?.keptParts ?? 0, tokens });
    portions = [];
    weight = 0;
  };
  for (let index = kept; index < now.length; index++) {
    const told = index === kept ? before[kept] : undefined;
    for (const portion of getPortions(now[index] as Token, index, told, answerWeight)) {
      // The page joins the first block of an answer with the parts that it has.
      if (portions.length > 0 && (portion.keptParts > 0 || weight + portion.weight > answerWeight)) close();
      portions.push(portion);
      weight += portion.weight;
    }
  }
  if (portions.length > 0 || answers.length === 0) close();
  return answers.map((answer, index) => ({ ...answer, more: index < answers.length - 1 }));
}

function sameAtTheStart(before: readonly Token[], now: readonly Token[]): number {
  const different = now.findIndex((token, at) => token !== before[at]);
  return different === -1 ? now.length : different;
}
