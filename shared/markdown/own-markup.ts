// biome-ignore lint/style/noRestrictedImports: the only place that takes text for markup
import { html, raw } from 'hono/html';
import type { Html } from './to-html.ts';

const elements =
  'h[1-6]|p|pre|code|span|strong|em|del|a|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|hr|br|sub|sup|kbd|details|summary';
const mathElements =
  'math|semantics|annotation|menclose|mfrac|mi|mn|mo|mover|mpadded|mphantom|mroot|mrow|mspace|msqrt|mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|mlabeledtr';
const attributes = [
  ...['href="(?:https?:|mailto:)[^"<>]*"', 'rel="noreferrer noopener"', 'class="(?:raw|t-[a-z-]+)"'],
  ...['align="(?:left|center|right)"', 'start="\\d+"', 'open'],
];
/** Attributes of MathML that cannot contain a URL. */
const mathAttributes =
  'xmlns|encoding|display|accent|accentunder|columnalign|columnlines|columnspacing|depth|displaystyle|fence|height|largeop|linebreak|linethickness|lspace|mathbackground|mathcolor|mathsize|mathvariant|maxsize|minsize|notation|rowlines|rowspacing|rspace|scriptlevel|separator|stretchy|valign|voffset|width';
const tag = new RegExp(
  [
    `</(?:${elements}|${mathElements})>`,
    `<(?:${elements})(?: (?:${attributes.join('|')}))*>`,
    `<(?:${mathElements})(?: (?:${mathAttributes})="[^"<>]*")*/?>`,
  ].join('|'),
  'g',
);

/** Whether the markup contains only tags that rendered answers use. */
export const isOwnMarkup = (text: string): boolean => !/[<>]/.test(text.replace(tag, ''));

/** Accepts markup from a worker or a library. Returns `instead` if it contains any other tags. */
export const ownMarkup = (text: string, instead: Html): Html => (isOwnMarkup(text) ? raw(text) : instead);

/** Shows source text that could not be rendered. */
export const asWritten = (text: string): Html => html`<pre>${text}</pre>`;
