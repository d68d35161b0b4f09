import type { Token } from 'marked';
import type { ThreadItem } from '../state/thread-items.ts';
import type { LiveAnswers } from './answer-views.ts';

/** Longer than the parser’s own limits: for one that never answers. */
const limitMs = 3000;
/** Larger answers are copied as plain text: formatting them would block the window. */
const longest = 200_000;
const maxBlocks = 5_000;

/** The tokens of an ended answer; null if it cannot be parsed whole. */
export function parsedTokens(answers: LiveAnswers, item: ThreadItem): Promise<readonly Token[]> {
  return new Promise((resolve) => {
    const end = (tokens: readonly Token[]) => {
      clearTimeout(timer);
      leave();
      resolve(tokens);
    };
    const look = () => {
      const view = answers.view(item);
      if (!view.live) end(view.tokens.length <= maxBlocks && view.written <= longest ? view.tokens : []);
    };
    const timer = setTimeout(end, limitMs, []);
    const leave = answers.subscribe(item, look);
    look();
  });
}
