import type { Token } from 'marked';
import type { ThreadItem } from '../thread-state/thread-items.ts';
import type { LiveAnswers } from './answer-views.ts';

/** The parser's own limits are far below; this is for one that never answers. */
const limitMs = 3000;
/** What is larger goes without its looks: making them would hold the window. */
const longest = 200_000;
const mostBlocks = 5_000;

/** An ended answer, parsed to its end; nothing where that cannot be had: half a text is worse than a plain one. */
export function parsedTokens(answers: LiveAnswers, entry: ThreadItem): Promise<readonly Token[]> {
  return new Promise((resolve) => {
    const end = (tokens: readonly Token[]) => {
      clearTimeout(timer);
      leave();
      resolve(tokens);
    };
    const look = () => {
      const view = answers.view(entry);
      if (!view.live) end(view.tokens.length <= mostBlocks && view.written <= longest ? view.tokens : []);
    };
    const timer = setTimeout(end, limitMs, []);
    const leave = answers.subscribe(entry, look);
    look();
  });
}
