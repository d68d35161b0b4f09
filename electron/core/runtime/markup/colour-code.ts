import { html } from 'hono/html';
import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { createLineLimits, grammars } from '#shared/markdown/grammars.ts';
import { getLanguage } from '#shared/markdown/languages.ts';
import type { Html } from '#shared/markdown/to-html.ts';

type Engine = Awaited<ReturnType<typeof createHighlighterCore>>;

/** Longer code stays plain: highlighting takes seconds. */
const maxBlock = 60_000;
const maxLine = 2000;

let starting: Promise<Engine> | null = null;
const loading = new Map<string, Promise<void>>();
const limits = createLineLimits();

/**
 * Highlights code as lines of `<span class="t-…">`, or plain text in an unknown language. The first block of a language
 * takes half a second: use it in a worker.
 */
export async function colourCode(code: string, info: string): Promise<Html | string> {
  const language = getLanguage(info);
  const grammar = language === null ? undefined : grammars.get(language);
  if (language === null || grammar === undefined || code.length > maxBlock) return code;
  starting ??= createHighlighterCore({
    themes: [createCssVariablesTheme({ name: 'portico', variablePrefix: '' })],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const engine = await starting;
  const loaded = loading.get(language) ?? engine.loadLanguage(grammar);
  loading.set(language, loaded);
  await loaded;
  const { tokens } = engine.codeToTokens(code, {
    lang: language,
    theme: 'portico',
    tokenizeMaxLineLength: maxLine,
    tokenizeTimeLimit: limits.next(language),
  });
  return html`${tokens.map((line, at) => [at > 0 ? '\n' : '', line.map(({ content, color }) => span(content, color))])}`;
}

/** `var(token-keyword)` is `keyword`. */
function span(content: string, colour: string | undefined): Html | string {
  const name = /token-([a-z-]+)/.exec(colour ?? '')?.[1];
  return name ? html`<span class="t-${name}">${content}</span>` : content;
}
