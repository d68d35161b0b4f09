import type { MarkedToken, Token, Tokens } from 'marked';
import type { DetailsToken } from '#shared/markdown/elements.ts';
import { plainText } from '#shared/markdown/plain-text.ts';
import { piecesOf, sliceWeight } from '../../long-text/weight.ts';
import { itemWeight, rowWeight, tokensWeight, tokenWeight } from './token-weight.ts';

/** The enclosing element has a weight too. */
const textOfSlice = sliceWeight - 400;
/** A table with more columns than this is unreadable and shown as source. */
const mostColumns = 60;

/**
 * Blocks as they are rendered: one that is too heavy becomes several of its kind, a long paragraph two paragraphs, a
 * long table two tables. What cannot be split is shown as source. No text is lost.
 */
export function boundedBlocks(block: Token): readonly Token[] {
  if (tokenWeight(block, sliceWeight) <= sliceWeight && !isWide(block)) return [block];
  return parts(block as MarkedToken | DetailsToken);
}

/** Text as plain chunks. */
export const plainBlocks = (source: string): Token[] => piecesOf(source, textOfSlice).map(plainText);

const isWide = (block: Token): boolean => block.type === 'table' && (block as Tokens.Table).header.length > mostColumns;

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
      return packedBlocks(block.tokens).map((tokens) => ({ ...block, tokens, raw: rawOf(tokens) }));
    case 'table':
      return isWide(block) ? plainBlocks(block.raw) : tableParts(block);
    default:
      return plainBlocks(block.raw);
  }
}

const packedBlocks = (tokens: readonly Token[]): Token[][] =>
  packed(
    tokens.flatMap((token) => boundedBlocks(token)),
    (token) => tokenWeight(token),
  );
const rawOf = (tokens: readonly Token[]): string => tokens.map(({ raw }) => raw).join('');
const withText = (tokens: Token[]) => ({ tokens, raw: rawOf(tokens), text: rawOf(tokens) });

/** Inline tokens in groups; tokens too heavy alone are shown as source. */
function inlineParts(tokens: readonly Token[]): Token[][] {
  const divided = tokens.flatMap((token) =>
    tokenWeight(token, textOfSlice) <= textOfSlice ? [token] : inlineWritten(token as MarkedToken),
  );
  return packed(divided, (token) => tokenWeight(token));
}

const inlineWritten = (token: MarkedToken): Token[] =>
  piecesOf(token.type === 'text' ? token.text : token.raw, textOfSlice).map((text) => ({
    type: 'text',
    raw: text,
    text,
    escaped: false,
  }));

/** An item that is too heavy is split as well; what follows its first part stands below the list, not in it. */
function listParts(list: Tokens.List): Token[] {
  const start = Number(list.start) || 1;
  let at = 0;
  return packed(list.items, (item) => itemWeight(item)).flatMap((items): Token[] => {
    const from = start + at;
    at += items.length;
    const [only] = items;
    const listOf = (inner: Tokens.ListItem[]): Tokens.List => {
      const raw = inner.map((item) => item.raw).join('');
      return { ...list, start: list.ordered ? from : '', items: inner, raw };
    };
    if (items.length > 1 || !only || tokensWeight(only.tokens, textOfSlice) <= textOfSlice) return [listOf(items)];
    const [first, ...rest] = packedBlocks(only.tokens);
    const tokens = first ?? [];
    return [listOf([{ ...only, tokens, raw: rawOf(tokens), text: rawOf(tokens) }]), ...rest.flat()];
  });
}

/** Each part repeats the table’s head. A row that is too heavy alone is shown as source. */
function tableParts(table: Tokens.Table): Token[] {
  const head = rowWeight(table.header);
  if (head > sliceWeight / 2) return plainBlocks(table.raw);
  return packed(table.rows, (row) => rowWeight(row), textOfSlice - head).flatMap((rows): Token[] => {
    const [only] = rows;
    if (rows.length === 1 && only && rowWeight(only) > textOfSlice - head)
      return plainBlocks(only.map(({ text }) => text).join(' | '));
    return [{ ...table, rows }];
  });
}

/** Groups parts in order, each group at most as heavy as `most`. */
function packed<Part>(parts: readonly Part[], weigh: (part: Part) => number, most = textOfSlice): Part[][] {
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
