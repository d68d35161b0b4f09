import { type Citations, citations } from '../content/citations.ts';
import type { Script } from './player.ts';

const pages = [
  { title: 'Simulated page one', url: 'https://example.com/simulated/one' },
  { title: 'Simulated page two', url: 'https://example.org/simulated/two' },
];

/** As much as a search of OpenAI's models counts (https://platform.openai.com/docs/pricing). */
const foundTokens = 8_000;

/** An answer that rests on a search of the web, which is made up like all else here. */
export function searchScript(): Script {
  const begin = 'This search is simulated: nothing was asked of the web.\n\n';
  const first = 'The first page would say what is asked for.';
  const second = 'The second would say it in other words, and when.';
  const text = `${begin}- ${first}\n- ${second}`;
  const cited = (words: string, page: number): Citations => {
    const from = text.indexOf(words);
    return citations(pages.slice(page, page + 1), from, from + words.length);
  };
  return {
    reasoning: '',
    text,
    toolCall: null,
    finish: 'stop',
    cutAt: null,
    searches: 1,
    foundTokens,
    citations: [cited(first, 0), cited(second, 1)],
  };
}
