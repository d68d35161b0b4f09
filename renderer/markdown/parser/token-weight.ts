import type { MarkedToken, Token, Tokens } from 'marked';
import type { MathsToken } from '#shared/markdown/maths.ts';
import { sliceWeight, textWeight } from '../../long-text/weight.ts';

/** Weight of elements beside their text; see `weight.ts`. */
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
const mostOfCode = sliceWeight / 2;

/** The weight of a token; stops counting soon after `most`. */
export function tokenWeight(token: Token, most = Number.POSITIVE_INFINITY): number {
  const known = token as MarkedToken | MathsToken;
  switch (known.type) {
    case 'space':
    case 'def':
      return 1;
    case 'code':
      return costs.code + Math.min(mostOfCode, known.text.length);
    case 'maths':
      return costs.formula + costs.texLetter * known.tex.length;
    case 'table':
      return tableWeight(known, most);
    case 'list':
      return sum(known.items, (item) => itemWeight(item, most), most);
    case 'image':
      return costs.picture + textWeight(known.text, most);
    case 'link':
      return costs.link + tokensWeight(known.tokens, most);
    default:
      return plainWeight(known, most);
  }
}

export const tokensWeight = (tokens: readonly Token[], most = Number.POSITIVE_INFINITY): number =>
  sum(tokens, (token) => tokenWeight(token, most), most);

export const itemWeight = ({ tokens }: Tokens.ListItem, most = Number.POSITIVE_INFINITY): number =>
  costs.block + tokensWeight(tokens, most);

export const rowWeight = (row: readonly Tokens.TableCell[], most = Number.POSITIVE_INFINITY): number =>
  costs.block + sum(row, (cell) => costs.cell + tokensWeight(cell.tokens, most), most);

const tableWeight = ({ header, rows }: Tokens.Table, most: number): number =>
  rowWeight(header, most) + sum(rows, (row) => rowWeight(row, most), most);

function plainWeight(token: Tokens.Generic, most: number): number {
  if (token.tokens) return costs.element + tokensWeight(token.tokens, most);
  return (token.type === 'text' ? 1 : costs.element) + textWeight(token.text ?? token.raw, most);
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
