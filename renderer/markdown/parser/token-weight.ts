import type { MarkedToken, Token, Tokens } from 'marked';
import type { MathsToken } from '#shared/markdown/maths.ts';
import { boxWeight, itemBoxWeight, type Scripts, sliceWeight, textWeight } from '../../long-text/weight.ts';

/** Weight of elements in addition to their text; see `weight.ts`. */
const costs = {
  element: 40,
  block: 40,
  link: 60,
  picture: 150,
  cell: 15,
  formula: 600,
  texLetter: 15,
  code: 1_600,
} as const;
/** Code is rendered in chunks, so a block of it never weighs more than this. */
const maxOfCode = sliceWeight / 2;
/** Typesetting a longer formula would block the window, so it is shown as source. */
const maxTexLength = 1_500;

export const isTypeset = ({ tex }: MathsToken): boolean => tex.length <= maxTexLength;

/**
 * Returns the weight of a token, and stops counting soon after `most`. `scripts` are those already counted; each script
 * of the token is added.
 */
export function tokenWeight(token: Token, most = Number.POSITIVE_INFINITY, scripts: Scripts = new Set()): number {
  const known = token as MarkedToken | MathsToken;
  switch (known.type) {
    case 'space':
    case 'def':
      return 1;
    case 'code':
      return costs.code + Math.min(maxOfCode, known.text.length);
    case 'maths':
      if (!isTypeset(known)) return costs.element + textWeight(known.raw, most, scripts);
      return costs.formula + costs.texLetter * known.tex.length;
    case 'table':
      return tableWeight(known, most, scripts);
    case 'list':
      return sum(known.items, (item) => itemWeight(item, most, scripts), most);
    case 'image':
      return costs.picture + textWeight(known.text, most, scripts);
    case 'link':
      return costs.link + tokensWeight(known.tokens, most, scripts);
    default:
      return plainWeight(known, most, scripts);
  }
}

/** The weight that is drawn in one frame. */
const heavy = 2 * sliceWeight;

const boxedTypes = new Set(['list', 'blockquote', 'details', 'table']);

/**
 * True if the parts of a block (items, groups of rows, blocks in a quote) are drawn in their own boxes near the
 * viewport. `isPart` marks the beginning of such a block.
 */
export const isBoxed = (token: Token): boolean =>
  'isPart' in token || (boxedTypes.has(token.type) && tokenWeight(token, heavy) > heavy);

/** Returns the weight of what is drawn at once with a token. For `scripts`, see `tokenWeight`. */
export function drawnWeight(token: Token, scripts: Scripts = new Set()): number {
  if (!isBoxed(token)) return tokenWeight(token, Number.POSITIVE_INFINITY, scripts);
  if (token.type === 'list') return itemBoxWeight * (token as Tokens.List).items.length;
  return boxWeight * Math.ceil(tokenWeight(token) / rowsWeight);
}

/** Rows are drawn in groups of this weight. */
export const rowsWeight = sliceWeight / 2;

/** Returns the weight of a token's own element, without its content. */
export function elementWeight({ type }: Token): number {
  return type === 'link' ? costs.link : type === 'text' ? 1 : costs.element;
}

export const tokensWeight = (
  tokens: readonly Token[],
  most = Number.POSITIVE_INFINITY,
  scripts: Scripts = new Set(),
): number => sum(tokens, (token) => tokenWeight(token, most, scripts), most);

export const itemWeight = (
  { tokens }: Tokens.ListItem,
  most = Number.POSITIVE_INFINITY,
  scripts: Scripts = new Set(),
): number => costs.block + tokensWeight(tokens, most, scripts);

export const rowWeight = (
  row: readonly Tokens.TableCell[],
  most = Number.POSITIVE_INFINITY,
  scripts: Scripts = new Set(),
): number => costs.block + sum(row, (cell) => costs.cell + tokensWeight(cell.tokens, most, scripts), most);

const tableWeight = ({ header, rows }: Tokens.Table, most: number, scripts: Scripts): number =>
  rowWeight(header, most, scripts) + sum(rows, (row) => rowWeight(row, most, scripts), most);

function plainWeight(token: Tokens.Generic, most: number, scripts: Scripts): number {
  if (token.tokens) return costs.element + tokensWeight(token.tokens, most, scripts);
  return (token.type === 'text' ? 1 : costs.element) + textWeight(token.text ?? token.raw, most, scripts);
}

/** Stops as soon as the sum exceeds the limit. */
function sum<Part>(parts: readonly Part[], weigh: (part: Part) => number, most: number): number {
  let weight = 0;
  for (const part of parts) {
    weight += weigh(part);
    if (weight > most) break;
  }
  return weight;
}
