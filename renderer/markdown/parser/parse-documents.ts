import type { Token } from 'marked';
import { type Blocks, createBlocks } from './blocks.ts';
import { boundedBlocks } from './bounded-blocks.ts';
import type { ParseAnswer, ParseRequest } from './parse-messages.ts';
import { tokenWeight } from './token-weight.ts';

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
    const tokens = boundedOf(document);
    const kept = sameAtTheStart(document.told, tokens);
    document.told = tokens;
    // No request follows a finished document.
    if (request.finish) documents.delete(id);
    return answersOf(id, kept, tokens);
  };
}

function boundedOf({ blocks, bounded }: Document): readonly Token[] {
  return blocks.tokens.flatMap((block) => {
    const known = bounded.get(block) ?? boundedBlocks(block);
    bounded.set(block, known);
    return known;
  });
}

function answersOf(id: number, from: number, tokens: readonly Token[]): ParseAnswer[] {
  const answers: ParseAnswer[] = [];
  let kept = from;
  let weight = 0;
  for (let at = from; at < tokens.length; at++) {
    weight += tokenWeight(tokens[at] as Token, answerWeight);
    if (weight <= answerWeight || at === kept) continue;
    answers.push({ id, kept, tokens: tokens.slice(kept, at), more: true });
    kept = at;
    weight = 0;
  }
  return [...answers, { id, kept, tokens: tokens.slice(kept), more: false }];
}

function sameAtTheStart(before: readonly Token[], now: readonly Token[]): number {
  const different = now.findIndex((token, at) => token !== before[at]);
  return different === -1 ? now.length : different;
}
