import { html } from 'hono/html';
import type { MarkedToken, Token, Tokens } from 'marked';
import type { DetailsToken, ElementToken, InlineElement } from './elements.ts';
import { decodeEntities } from './entities.ts';
import type { MathsToken } from './maths.ts';

/** Escaped markup made by `html`. It is a promise if one of its parts was. */
export type Html = ReturnType<typeof html>;

/** What differs between the targets. A string is always text, never markup. */
export interface HtmlForm {
  /** How far the heading levels are moved down. */
  readonly headingsBelow: number;
  /** Returns the URL of an allowed link, or null to show only its text. */
  readonly link: (href: string) => string | null;
  /** Renders the content of a code block. `info` is the info string of the fence. */
  readonly code: (text: string, info: string) => Html | string | Promise<Html | string>;
  readonly formula: (token: MathsToken) => Html | string;
}

/**
 * Renders parsed Markdown as HTML for targets outside the window: pages, print, the clipboard. Only the elements named
 * here are produced, whatever the parser returns: every text is escaped, other HTML is shown as text, and links go
 * through `form.link`. A picture becomes a link, because loading it would reveal to its server that the document is
 * being read.
 */
export const toHtml = (tokens: readonly Token[], form: HtmlForm): Html =>
  html`${tokens.map((token) => block(token as Known, form))}`;

type Known = MarkedToken | MathsToken | ElementToken | DetailsToken;

function block(token: Known, form: HtmlForm): Html | string {
  switch (token.type) {
    case 'space':
    case 'def':
      return '';
    case 'heading':
      return heading(Math.min(6, token.depth + form.headingsBelow), inlines(token.tokens, form));
    case 'paragraph':
      return html`<p>${inlines(token.tokens, form)}</p>`;
    case 'code':
      return html`<pre><code>${form.code(token.text, token.lang ?? '')}</code></pre>`;
    case 'blockquote':
      return html`<blockquote>${toHtml(token.tokens, form)}</blockquote>`;
    case 'list':
      return list(token, form);
    case 'table':
      return table(token, form);
    case 'details':
      return html`<details open>${summary(token, form)}${toHtml(token.tokens, form)}</details>`;
    case 'hr':
      return html`<hr>`;
    case 'text':
      return inlines(token.tokens ?? [token], form);
    case 'html':
      return html`<p class="raw">${token.text}</p>`;
    default:
      return inlines([token], form);
  }
}

/** The level is a number, so no text can become an element name. */
const heading = (level: number, inner: Html): Html => html`<h${level}>${inner}</h${level}>`;

/** A printed page can't be expanded, so the content is always shown. */
const summary = ({ summary: words }: DetailsToken, form: HtmlForm): Html | string =>
  words.length === 0 ? '' : html`<summary>${inlines(words, form)}</summary>`;

function list({ ordered, start, items }: Tokens.List, form: HtmlForm): Html {
  const rows = items.map((item) => html`<li>${toHtml(item.tokens, form)}</li>`);
  return ordered ? html`<ol start="${Number(start) || 1}">${rows}</ol>` : html`<ul>${rows}</ul>`;
}

const alignments: Readonly<Record<string, Html>> = {
  left: html` align="left"`,
  center: html` align="center"`,
  right: html` align="right"`,
};

function table({ header, rows }: Tokens.Table, form: HtmlForm): Html {
  const aligned = ({ align }: Tokens.TableCell) => alignments[align ?? ''];
  const head = header.map((cell) => html`<th${aligned(cell)}>${inlines(cell.tokens, form)}</th>`);
  const body = rows.map(
    (cells) => html`<tr>${cells.map((cell) => html`<td${aligned(cell)}>${inlines(cell.tokens, form)}</td>`)}</tr>`,
  );
  return html`<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

const inlines = (tokens: readonly Token[] | undefined, form: HtmlForm): Html =>
  html`${(tokens ?? []).map((token) => inline(token as Known, form))}`;

const elements: Readonly<Record<InlineElement, (inner: Html) => Html>> = {
  sub: (inner) => html`<sub>${inner}</sub>`,
  sup: (inner) => html`<sup>${inner}</sup>`,
  kbd: (inner) => html`<kbd>${inner}</kbd>`,
};

function inline(token: Known, form: HtmlForm): Html | string {
  switch (token.type) {
    case 'text':
      return token.tokens ? inlines(token.tokens, form) : decodeEntities(token.text);
    case 'escape':
      return token.text;
    case 'strong':
      return html`<strong>${inlines(token.tokens, form)}</strong>`;
    case 'em':
      return html`<em>${inlines(token.tokens, form)}</em>`;
    case 'del':
      return html`<del>${inlines(token.tokens, form)}</del>`;
    case 'codespan':
      return html`<code>${token.text}</code>`;
    case 'br':
      return html`<br>`;
    case 'element':
      return elements[token.name](inlines(token.tokens, form));
    case 'maths':
      return form.formula(token);
    case 'link':
      return link(token.href, inlines(token.tokens, withoutLinks(form)), form);
    case 'image':
      return link(token.href, decodeEntities(token.text) || 'picture', form);
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    default:
      return 'raw' in token ? token.raw : '';
  }
}

function link(href: string, inner: Html | string, form: HtmlForm): Html | string {
  const url = form.link(href);
  return url === null ? inner : html`<a href="${url}" rel="noreferrer noopener">${inner}</a>`;
}

/** A nested link would end the outer one. */
const withoutLinks = (form: HtmlForm): HtmlForm => ({ ...form, link: () => null });
