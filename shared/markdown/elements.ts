import type { Token, TokenizerAndRendererExtension, Tokens } from 'marked';

/** The elements of HTML that models write within Markdown and that mean something in it. Any other tag is words. */
export type InlineElement = 'sub' | 'sup' | 'kbd';

export interface ElementToken extends Tokens.Generic {
  readonly type: 'element';
  readonly name: InlineElement;
  readonly tokens: Token[];
}

/** A part that is opened on demand. */
export interface DetailsToken extends Tokens.Generic {
  readonly type: 'details';
  /** What is seen of it before; empty where nothing was written. */
  readonly summary: Token[];
  readonly tokens: Token[];
}

// Without attributes, within a line, and bounded, so that no text takes more than linear time.
const lineBreak = /^<br ?\/?>/i;
const pair = /^<(sub|sup|kbd)>((?:(?!<\/?\1>)[^\n]){1,500}?)<\/\1>/i;
const footnoteMark = /^\[\^([\w-]{1,40})\](?!:)/;
const footnote = /^ {0,3}\[\^([\w-]{1,40})\]:[ \t]+([^\n]+(?:\n(?!\s*(?:\n|$)|\[\^)[^\n]+)*)(?:\n+|$)/;
const detailsTag = /<(\/?)details>/gi;
const summary = /^\s*<summary>((?:(?!<\/summary>)[\s\S]){0,500}?)<\/summary>/i;
/** Nobody writes more of them into each other. */
const deepest = 5;

const isElement = (name: string | undefined): name is InlineElement =>
  name === 'sub' || name === 'sup' || name === 'kbd';

const raised = (raw: string, text: string): ElementToken => ({
  type: 'element',
  name: 'sup',
  raw,
  tokens: [{ type: 'text', raw: text, text, escaped: false }],
});

/** `<br>`, `<sub>`, `<sup>`, `<kbd>`, and the mark of a footnote. */
export const inlineElements: TokenizerAndRendererExtension = {
  name: 'element',
  level: 'inline',
  // No `start`: words end before `<` and `[` anyway, and it would search all of the rest for each of them.
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

/** A footnote is a paragraph that begins with its mark, where it was written. */
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

/** `<details>` and what is in it, to its end or, as long as that has not come, to the end of the text. */
export const details: TokenizerAndRendererExtension = {
  name: 'details',
  level: 'block',
  // No `start`: such a tag ends a paragraph by itself.
  tokenizer(source) {
    if (!/^<details>/i.test(source)) return undefined;
    const end = endOf(source);
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

/** Where its content ends and where what follows begins; null where it is nested deeper than anybody writes. */
function endOf(source: string): { at: number; after: number } | null {
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
