import type { MarkedToken, Token, Tokens } from 'marked';
import type { DetailsToken } from '#shared/markdown/elements.ts';
import { plainText } from '#shared/markdown/plain-text.ts';
import { getPieces, maxBlockWeight, maxCharacters, sliceWeight, toLineBlocks } from '../../long-text/weight.ts';
import { itemWeight, rowWeight, tokensWeight, tokenWeight } from './token-weight.ts';

/** The maximum text weight of a block. The enclosing element has a weight too. */
const textOfBlock = maxBlockWeight - sliceWeight;
/** The browser lays out a paragraph as a whole, so it may have fewer elements and letters than a list or a table. */
const maxParagraph = { weight: maxBlockWeight / 2, elements: 3_600, characters: maxCharacters } as const;
/** Layout costs of elements as multiples of a bold word. Elements not listed here cost 1. */
const elementCosts: Readonly<Record<string, number>> = { text: 0, escape: 0, br: 2, link: 4, image: 25, maths: 30 };
/** A table with more columns than this is unreadable and shown as source. */
const maxColumns = 60;
/** The maximum number of list items, because each is an element, drawn or not. */
const maxItems = 700;

/**
 * Returns blocks that the window can lay out. A block of readable size stays as it is. A far heavier one becomes
 * several of its kind, for example two paragraphs or two tables. A block that can't be split is shown as source. No
 * text is lost.
 */
export function boundedBlocks(block: Token): readonly Token[] {
  const known = withBoundedContent(block as MarkedToken | DetailsToken);
  return isBounded(known) ? [known] : parts(known);
}

/** Returns the block with its content bounded, or the same object if it already is. */
function withBoundedContent(block: MarkedToken | DetailsToken): MarkedToken | DetailsToken {
  switch (block.type) {
    case 'blockquote':
    case 'details':
      return withTokens(block);
    case 'list': {
      const items = block.items.map(withTokens);
      return items.every((item, index) => item === block.items[index]) ? block : { ...block, items };
    }
    default:
      return block;
  }
}

function withTokens<Container extends { tokens: Token[] }>(container: Container): Container {
  const tokens = container.tokens.flatMap((token) => boundedBlocks(token));
  const same =
    tokens.length === container.tokens.length && tokens.every((token, index) => token === container.tokens[index]);
  return same ? container : { ...container, tokens };
}

function isBounded(block: MarkedToken | DetailsToken): boolean {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
    case 'text':
      return paragraphSize(block) <= 1;
    case 'list':
      return block.items.length <= maxItems && tokenWeight(block, maxBlockWeight) <= maxBlockWeight;
    case 'table':
      return (
        tokenWeight(block, maxBlockWeight) <= maxBlockWeight && block.rows.every((row) => row.every(isBoundedCell))
      );
    case 'html':
      return block.text.length <= maxCharacters && tokenWeight(block, maxBlockWeight) <= maxBlockWeight;
    default:
      return tokenWeight(block, maxBlockWeight) <= maxBlockWeight;
  }
}

const isReadable = ({ header }: Tokens.Table): boolean => header.length <= maxColumns;

const isBoundedCell = (cell: Tokens.TableCell): boolean =>
  paragraphSize({ ...cell, type: 'paragraph', raw: cell.text }) <= 1;

/** Returns how much of a paragraph's limits the token uses. 1 is the maximum. */
function paragraphSize(token: Tokens.Generic): number {
  const most = maxParagraph.weight;
  return Math.max(
    tokenWeight(token as Token, most) / most,
    token.raw.length / maxParagraph.characters,
    countElements([token]) / maxParagraph.elements,
  );
}

const countElements = (tokens: readonly Tokens.Generic[]): number =>
  tokens.reduce((sum, { type, tokens: inner }) => sum + (elementCosts[type] ?? 1) + countElements(inner ?? []), 0);

/** Returns text as plain chunks of whole lines. */
export const plainBlocks = (source: string): Token[] => toLineBlocks(source).map(plainText);

function parts(block: MarkedToken | DetailsToken): readonly Token[] {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return inlineParts(block.tokens ?? []).map((tokens) => ({ ...block, ...withText(tokens) }));
    case 'text':
      return inlineParts(block.tokens ?? [block]).map((tokens) => ({ ...block, ...withText(tokens) }));
    case 'list':
      return listParts(block);
    case 'details':
    case 'blockquote':
      return packedBlocks(block.tokens).map((tokens) => ({ ...block, tokens, raw: getRaw(tokens) }));
    case 'table':
      return isReadable(block) ? tableParts(block) : plainBlocks(block.raw);
    default:
      return plainBlocks(block.raw);
  }
}

const packedBlocks = (tokens: readonly Token[]): Token[][] =>
  packed(
    tokens.flatMap((token) => boundedBlocks(token)),
    (token) => tokenWeight(token),
  );
const getRaw = (tokens: readonly Token[]): string => tokens.map(({ raw }) => raw).join('');
const withText = (tokens: Token[]) => ({ tokens, raw: getRaw(tokens), text: getRaw(tokens) });

/** Groups inline tokens. A token that is too heavy alone is shown as source. */
function inlineParts(tokens: readonly Token[]): Token[][] {
  const divided = tokens.flatMap((token) =>
    paragraphSize(token) <= 1 ? [token] : inlineWritten(token as MarkedToken),
  );
  return packed(divided, paragraphSize, 0.98);
}

const inlineWritten = (token: MarkedToken): Token[] =>
  getPieces(token.type === 'text' ? token.text : token.raw, maxParagraph.weight * 0.9).map((text) => ({
    type: 'text',
    raw: text,
    text,
    escaped: false,
  }));

/** Splits a list. A too heavy item is split as well, and everything after its first part moves below the list. */
function listParts(list: Tokens.List): Token[] {
  const start = Number(list.start) || 1;
  let index = 0;
  return packed(list.items, (item) => Math.max(itemWeight(item), maxBlockWeight / maxItems)).flatMap(
    (items): Token[] => {
      const from = start + index;
      index += items.length;
      const [only] = items;
      const createList = (inner: Tokens.ListItem[]): Tokens.List => {
        const raw = inner.map((item) => item.raw).join('');
        return { ...list, start: list.ordered ? from : '', items: inner, raw };
      };
      if (items.length > 1 || !only || tokensWeight(only.tokens, textOfBlock) <= textOfBlock)
        return [createList(items)];
      const [first, ...rest] = packedBlocks(only.tokens);
      const tokens = first ?? [];
      return [createList([{ ...only, tokens, raw: getRaw(tokens), text: getRaw(tokens) }]), ...rest.flat()];
    },
  );
}

/** Splits a table. Each part repeats the table’s head. A row that is too heavy alone is shown as source. */
function tableParts(table: Tokens.Table): Token[] {
  const head = rowWeight(table.header);
  if (head > maxBlockWeight / 2) return plainBlocks(table.raw);
  const weigh = (row: Tokens.TableCell[]) => (row.every(isBoundedCell) ? rowWeight(row) : maxBlockWeight);
  return packed(table.rows, weigh, textOfBlock - head).flatMap((rows): Token[] => {
    const [only] = rows;
    if (only && weigh(only) > textOfBlock - head) return plainBlocks(only.map(({ text }) => text).join(' | '));
    return [{ ...table, rows }];
  });
}

/** Groups parts in order, each group weighing at most `most`. */
function packed<Part>(parts: readonly Part[], weigh: (part: Part) => number, most = textOfBlock): Part[][] {
  const packs: Part[][] = [];
  let weight = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    weight += weigh(part);
    if (weight <= most) packs.at(-1)?.push(part);
    else {
      packs.push([part]);
      weight = weigh(part);
    }
  }
  return packs;
}
