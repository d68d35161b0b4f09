import { createCssVariablesTheme, createHighlighterCore, type GrammarState } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { createLineLimits, grammars } from '#shared/markdown/grammars.ts';
import type { HighlightAnswer, HighlightRequest, Span } from './highlight-messages.ts';

/**
 * Highlights complete lines, each once, from the grammar state at the end of the line before. It runs in a worker,
 * because the first use of a grammar takes half a second.
 */
const highlighter = createHighlighterCore({
  themes: [createCssVariablesTheme({ name: 'portico', variablePrefix: '' })],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});
const states = new Map<number, { lines: number; state: GrammarState | undefined }>();
const loaded = new Set<string>();
const limits = createLineLimits();
let queue = Promise.resolve();

addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  queue = queue.then(() => answer(data)).catch((error: unknown) => console.warn('Highlighting failed', error));
});

async function answer(request: HighlightRequest): Promise<void> {
  if (request.type === 'forget') {
    states.delete(request.id);
    return;
  }
  const engine = await highlighter;
  const { id, language, from, lines } = request;
  const grammar = grammars.get(language);
  if (!grammar) return;
  if (!loaded.has(language)) await engine.loadLanguage(grammar);
  loaded.add(language);
  const known = from === 0 ? undefined : states.get(id);
  if (from > 0 && known?.lines !== from) return;
  const { tokens, grammarState } = engine.codeToTokens(lines.join('\n'), {
    lang: language,
    theme: 'portico',
    tokenizeMaxLineLength: 2000,
    tokenizeTimeLimit: limits.next(language),
    ...(known?.state ? { grammarState: known.state } : {}),
  });
  states.set(id, { lines: from + lines.length, state: grammarState });
  const spans = tokens.map((line) => line.map((token): Span => [token.content, getName(token.color)]));
  postMessage({ id, from, lines: spans } satisfies HighlightAnswer);
}

/** Returns `keyword` for `var(token-keyword)`. */
const getName = (colour: string | undefined): string => /token-([a-z-]+)/.exec(colour ?? '')?.[1] ?? '';
