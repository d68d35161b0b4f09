import type { Token, TokenizerAndRendererExtension, Tokens } from 'marked';

/** HTML elements that models use in Markdown and that we render. Other tags are shown as text. */
export type InlineElement = 'sub' | 'sup' | 'kbd';

export interface ElementToken extends Tokens.Generic {
  readonly type: 'element';
  readonly name: InlineElement;
  readonly tokens: Token[];
}

/** A collapsible block. */
export interface DetailsToken extends Tokens.Generic {
  readonly type: 'details';
  /** The summary, which may be empty. */
  readonly summary: Token[];
  readonly tokens: Token[];
}

// The patterns allow no attributes, stay on one line and are bounded, so every text takes linear time.
const lineBreak = /^<br ?\/?>/i;
const pair = /^<(sub|sup|kbd)>((?:(?!<\/?\1>)[^\n]){1,500}?)<\/\1>/i;
const footnoteMark = /^\[\^([\w-]{1,40})\](?!:)/;
const footnote = /^ {0,3}\[\^([\w-]{1,40})\]:[ \t]+([^\n]+(?:\n(?!\s*(?:\n|$)|\[\^)[^\n]+)*)(?:\n+|$)/;
const detailsTag = /<(\/?)details>/gi;
const summary = /^\s*<summary>((?:(?!<\/summary>)[\s\S]){0,500}?)<\/summary>/i;
/** The deepest nesting. */
const deepest = 5;

const isElement = (name: string | undefined): name is InlineElement =>
  name === 'sub' || name === 'sup' || name === 'kbd';

const raised = (raw: string, text: string): ElementToken => ({
  type: 'element',
  name: 'sup',
  raw,
  tokens: [{ type: 'text', raw: text, text, escaped: false }],
});

/** `<br>`, `<sub>`, `<sup>`, `<kbd>`, and footnote references. */
export const inlineElements: TokenizerAndRendererExtension = {
  name: 'element',
  level: 'inline',
  // There is no `start`: text tokens end before `<` and `[` anyway, and `start` would search the entire rest for
  // each of them.
  tokenizer(source) {
    const broken = lineBreak.exec(source);
    if (broken) return { type: 'br', raw: broken[0] };
    const [marked, label] = footnoteMark.exec(source) ?? [];
    if (marked && label) return raised(marked, label);
    const [raw, tag, inner] = pair.exec(source) ?? [];
    const name = tag?.toLowerCase();
    if (raw === undefined || inner === undefined || !isElement(name)) return undefined;
    return { type: 'element', name, raw, tokens: this.lexer.inlineTokens(inner) };
  },
};

/** A footnote is rendered where it is defined, as a paragraph with its mark. */
export const footnotes: TokenizerAndRendererExtension = {
  name: 'footnote',
  level: 'block',
  tokenizer(source) {
    const [raw, label, text] = footnote.exec(source) ?? [];
    if (raw === undefined || label === undefined || text === undefined) return undefined;
    const tokens: Token[] = [raised(label, label), { type: 'text', raw: ' ', text: ' ', escaped: false }];
    this.lexer.inline(text, tokens);
    return { type: 'paragraph', raw, text, tokens };
  },
};

/** `<details>` up to its end tag. While that is missing, as during streaming, up to the end of the text. */
export const details: TokenizerAndRendererExtension = {
  name: 'details',
  level: 'block',
  // There is no `start`: such a tag ends a paragraph anyway.
  tokenizer(source) {
    if (!/^<details>/i.test(source)) return undefined;
    const end = getEnd(source);
    if (end === null) return undefined;
    const raw = source.slice(0, end.after);
    const inside = source.slice('<details>'.length, end.at);
    const [head = '', words = ''] = summary.exec(inside) ?? [];
    const token: DetailsToken = { type: 'details', raw, summary: [], tokens: [] };
    this.lexer.inline(words.trim(), token.summary);
    this.lexer.blockTokens(inside.slice(head.length).replace(/^\s*\n/, ''), token.tokens);
    return token;
  },
};

/** Where the content and the element end. Null if it is nested too deep. */
function getEnd(source: string): { at: number; after: number } | null {
  let depth = 0;
  for (const { 0: tag, 1: slash, index } of source.matchAll(detailsTag)) {
    depth += slash ? -1 : 1;
    if (depth > deepest) return null;
    if (depth > 0) continue;
    const after = index + tag.length;
    return { at: index, after: after + (/^[ \t]*(?:\n+|$)/.exec(source.slice(after))?.[0].length ?? 0) };
  }
  return { at: source.length, after: source.length };
}
