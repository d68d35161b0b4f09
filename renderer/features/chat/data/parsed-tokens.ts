import type { Token } from 'marked';
import type { ThreadItem } from '../state/thread-items.ts';
import type { LiveAnswers } from './answer-views.ts';

/** Longer than the parser's own limits: it covers a parser that never answers. */
const limitMs = 3000;
/** Larger answers are copied as plain text: formatting them would block the window. */
const maxCharacters = 200_000;
const maxBlocks = 5_000;

/** Returns the tokens of an ended answer; none if it is too large or can't be parsed completely. */
export function parsedTokens(answers: LiveAnswers, item: ThreadItem): Promise<readonly Token[]> {
  return new Promise((resolve) => {
    const end = (tokens: readonly Token[]) => {
      clearTimeout(timer);
      leave();
      resolve(tokens);
    };
    const check = () => {
      const view = answers.view(item);
      if (!view.live) end(view.tokens.length <= maxBlocks && view.written <= maxCharacters ? view.tokens : []);
    };
    const timer = setTimeout(end, limitMs, []);
    const leave = answers.subscribe(item, check);
    check();
  });
}
