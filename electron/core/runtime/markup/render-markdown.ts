import { html } from 'hono/html';
import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { formula } from '#shared/markdown/formula.ts';
import { createLineLimits, grammars } from '#shared/markdown/grammars.ts';
import { getLanguage } from '#shared/markdown/languages.ts';
import { lexText, withPlainLines } from '#shared/markdown/lex-text.ts';
import { asWritten } from '#shared/markdown/own-markup.ts';
import { type Html, toHtml } from '#shared/markdown/to-html.ts';
import { outsideLink } from '#shared/outside-link.ts';

type Engine = Awaited<ReturnType<typeof createHighlighterCore>>;

/** Longer code isn't coloured, because highlighting would take seconds. */
const maxBlock = 60_000;
const maxLine = 2000;

let starting: Promise<Engine> | null = null;
const loading = new Map<string, Promise<void>>();
const limits = createLineLimits();

/**
 * Highlights code as lines of `<span class="t-…">`. Code in an unknown language stays plain. The first block of a
 * language takes half a second, so call this in a worker.
 */
async function colourCode(code: string, info: string): Promise<Html | string> {
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
  return html`${tokens.map((line, index) => [index > 0 ? '\n' : '', line.map(({ content, color }) => span(content, color))])}`;
}

/** Converts `var(token-keyword)` to `keyword`. */
function span(content: string, colour: string | undefined): Html | string {
  const name = /token-([a-z-]+)/.exec(colour ?? '')?.[1];
  return name ? html`<span class="t-${name}">${content}</span>` : content;
}

/**
 * Renders an answer as HTML for a page, from the same tokens as the window. It contains no scripts, fetches nothing and
 * escapes all text. Code is highlighted, and formulas are MathML.
 */
export async function renderMarkdown(text: string): Promise<string> {
  // Headings of an answer are below the chat's title and the author's name.
  const form = { headingsBelow: 2, link: offered, code: colourCode, formula };
  try {
    return String(await toHtml(lexText(withPlainLines(text)), form));
  } catch {
    // Deep nesting overflows the stack. The source is shown then.
    return String(await asWritten(text));
  }
}

const offered = (href: string): string | null => outsideLink(href, URL);
