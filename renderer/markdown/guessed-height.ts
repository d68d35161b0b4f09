import type { MarkedToken, Token, Tokens } from 'marked';
import type { DetailsToken } from '#shared/markdown/elements.ts';
import { getLines } from '../long-text/long-text.tsx';

/** Line height in pixels and letters per line, as in `prose.css`. */
const line = { heightPx: 24, letters: 95 };
const code = { linePx: 20, aroundPx: 94 };
const rowPx = 37;

/** Estimated height of blocks in pixels, until they have been rendered. */
export const guessedHeight = (tokens: readonly Token[]): number =>
  tokens.reduce((sum, token) => sum + blockHeight(token as MarkedToken | DetailsToken), 0);

function blockHeight(token: MarkedToken | DetailsToken): number {
  switch (token.type) {
    // Collapsed at first.
    case 'details':
      return line.heightPx + 12;
    case 'space':
    case 'def':
      return 0;
    case 'code':
      return token.text.split('\n').length * code.linePx + code.aroundPx;
    case 'table':
      return (token.rows.length + 1) * rowPx;
    case 'list':
      return token.items.reduce((sum, item) => sum + guessedHeight(item.tokens) - 8, 12);
    case 'blockquote':
      return guessedHeight(token.tokens ?? []);
    default:
      return getLines((token as Tokens.Generic).text ?? token.raw, line.letters) * line.heightPx + 12;
  }
}
