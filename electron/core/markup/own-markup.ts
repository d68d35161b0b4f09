import { createHash } from 'node:crypto';
// biome-ignore lint/style/noRestrictedImports: the only place that takes text for markup
import { html, raw } from 'hono/html';
import type { Html } from '#shared/markdown/to-html.ts';

const elements =
  'h[1-6]|p|pre|code|span|strong|em|del|a|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|hr|br|sub|sup|kbd|details|summary';
const mathElements =
  'math|semantics|annotation|menclose|mfrac|mi|mn|mo|mover|mpadded|mphantom|mroot|mrow|mspace|msqrt|mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|mlabeledtr';
const attributes = [
  ...['href="(?:https?:|mailto:)[^"<>]*"', 'rel="noreferrer noopener"', 'class="(?:raw|t-[a-z-]+)"'],
  ...['align="(?:left|center|right)"', 'start="\\d+"', 'open'],
];
/** Sizes, colours and kinds of signs; none of them can hold an address. */
const mathAttributes =
  'xmlns|encoding|display|accent|accentunder|columnalign|columnlines|columnspacing|depth|displaystyle|fence|height|largeop|linebreak|linethickness|lspace|mathbackground|mathcolor|mathsize|mathvariant|maxsize|minsize|notation|rowlines|rowspacing|rspace|scriptlevel|separator|stretchy|valign|voffset|width';
const tag = new RegExp(
  [
    `</(?:${elements}|${mathElements})>`,
    `<(?:${elements})(?: (?:${attributes.join('|')}))*>`,
    `<(?:${mathElements})(?: (?:${mathAttributes})="[^"<>]*")*>`,
  ].join('|'),
  'g',
);

/** Whether text holds no tag but those that an answer is drawn with, and no sign that could begin another one. */
export const isOwnMarkup = (text: string): boolean => !/[<>]/.test(text.replace(tag, ''));

/** Markup that came as text, from another thread or a library; `instead` where there is anything in it that is not ours. */
export const ownMarkup = (text: string, instead: Html): Html => (isOwnMarkup(text) ? raw(text) : instead);

/** What cannot be drawn, as it was written. */
export const asWritten = (text: string): Html => html`<pre>${text}</pre>`;

/** Our own rules, as an element and as the policy's word for exactly them: no other style counts in the page. */
export function styleOf(rules: string): { element: Html; source: string } {
  const hash = createHash('sha256').update(rules).digest('base64');
  return { element: html`<style>${raw(rules)}</style>`, source: `'sha256-${hash}'` };
}
