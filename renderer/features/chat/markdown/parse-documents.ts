import type { Token } from 'marked';
import { type Blocks, createBlocks } from './blocks.ts';
import type { ParseAnswer, ParseRequest } from './parse-messages.ts';

/** Answers parse requests, one after another: what runs in the worker, and in the page where no worker can be had. */
export function createParsing(): (request: ParseRequest) => ParseAnswer | null {
  const documents = new Map<number, { blocks: Blocks; told: readonly Token[] }>();
  return (request) => {
    const { id } = request;
    if (request.type === 'forget') {
      documents.delete(id);
      return null;
    }
    const document = documents.get(id) ?? { blocks: createBlocks(), told: [] };
    documents.set(id, document);
    document.blocks.append(request.text);
    if (request.finish) document.blocks.finish();
    const { tokens } = document.blocks;
    const kept = sameAtTheStart(document.told, tokens);
    document.told = tokens;
    // A finished document is told once and never asked for again.
    if (request.finish) documents.delete(id);
    return { id, kept, tokens: tokens.slice(kept) };
  };
}

function sameAtTheStart(before: readonly Token[], now: readonly Token[]): number {
  const different = now.findIndex((token, at) => token !== before[at]);
  return different === -1 ? now.length : different;
}
