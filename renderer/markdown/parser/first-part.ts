import type { Token, Tokens } from 'marked';
import { itemBoxWeight, type Scripts, toTextNodes } from '../../long-text/weight.ts';
import { drawnWeight, elementWeight, isBoxed } from './token-weight.ts';

/** What may still be drawn. `full`: something did not fit, so nothing after it is drawn either. */
interface Space {
  left: number;
  full: boolean;
  readonly scripts: Scripts;
}

/**
 * Blocks as far as this weight reaches: their beginning in document order, of the same kinds. Tokens that are wholly in it
 * are the same objects, so a larger part adds to what is drawn.
 */
export const firstPart = (tokens: readonly Token[], maxWeight: number): readonly Token[] =>
  takeAll(tokens, { left: maxWeight, full: false, scripts: new Set() });

/** The token, its beginning, or null where nothing of it can be drawn yet. */
function take(token: Token, space: Space): Token | null {
  const scripts = new Set(space.scripts);
  const weight = drawnWeight(token, scripts);
  if (weight <= space.left) {
    space.left -= weight;
    for (const script of scripts) space.scripts.add(script);
    return token;
  }
  const beginning = takeBeginning(token, space);
  space.full = true;
  return beginning;
}

function takeBeginning(token: Tokens.Generic, space: Space): Token | null {
  if (token.type === 'list' && isBoxed(token)) {
    const items = (token as Tokens.List).items.slice(0, Math.floor(space.left / itemBoxWeight));
    return { ...token, items, isPart: true };
  }
  if (token.type === 'image' || token.type === 'table' || token.type === 'list' || isBoxed(token)) return null;
  space.left -= elementWeight(token);
  if (token.tokens) return { ...token, tokens: takeAll(token.tokens, space) };
  if (!['text', 'html', 'codespan'].includes(token.type)) return null;
  const text = toTextNodes(String(token.text), space.left, space.scripts).join('');
  return text === '' ? null : { ...token, raw: token.raw, text };
}

/** Tokens in order, up to the first that does not fit. */
function takeAll(tokens: readonly Token[], space: Space): Token[] {
  const taken: Token[] = [];
  for (const token of tokens) {
    const some = take(token, space);
    if (some !== null) taken.push(some);
    if (space.full) break;
  }
  return taken;
}
