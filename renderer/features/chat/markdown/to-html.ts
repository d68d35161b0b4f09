import type { MarkedToken, Token, Tokens } from 'marked';
import { decodeEntities } from './entities.ts';
import { safeLink } from './safe-link.ts';

/**
 * Parsed Markdown as clean HTML for the clipboard: the elements named here and nothing else, every word escaped, links
 * through the one guard, no picture that a document would fetch. Formulas stay TeX.
 */
export const toHtml = (tokens: readonly Token[]): string => blocks(tokens);

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] ?? '');

const blocks = (tokens: readonly Token[]): string => tokens.map((token) => block(token as MarkedToken)).join('');

function block(token: MarkedToken): string {
  switch (token.type) {
    case 'space':
    case 'def':
      return '';
    case 'heading':
      return `<h${token.depth}>${inlines(token.tokens)}</h${token.depth}>`;
    case 'paragraph':
      return `<p>${inlines(token.tokens)}</p>`;
    case 'code':
      return `<pre><code>${escaped(token.text)}</code></pre>`;
    case 'blockquote':
      return `<blockquote>${blocks(token.tokens)}</blockquote>`;
    case 'list':
      return list(token);
    case 'table':
      return table(token);
    case 'hr':
      return '<hr>';
    case 'text':
      return inlines(token.tokens ?? [token]);
    case 'html':
      return `<p>${escaped(token.text)}</p>`;
    default:
      return inlines([token]);
  }
}

function list({ ordered, start, items }: Tokens.List): string {
  const rows = items.map((item) => `<li>${blocks(item.tokens)}</li>`).join('');
  return ordered ? `<ol start="${Number(start) || 1}">${rows}</ol>` : `<ul>${rows}</ul>`;
}

function table({ header, rows }: Tokens.Table): string {
  const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell) => `<${tag}>${inlines(cell.tokens)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${row(header, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`;
}

const inlines = (tokens: readonly Token[] | undefined): string =>
  (tokens ?? []).map((token) => inline(token as MarkedToken)).join('');

function inline(token: MarkedToken): string {
  switch (token.type) {
    case 'text':
      return token.tokens ? inlines(token.tokens) : escaped(decodeEntities(token.text));
    case 'escape':
      return escaped(token.text);
    case 'strong':
    case 'em':
    case 'del':
      return `<${token.type}>${inlines(token.tokens)}</${token.type}>`;
    case 'codespan':
      return `<code>${escaped(token.text)}</code>`;
    case 'br':
      return '<br>';
    case 'link':
      return link(token.href, inlines(token.tokens));
    case 'image':
      return link(token.href, escaped(decodeEntities(token.text)));
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    default:
      return 'raw' in token ? escaped(token.raw) : '';
  }
}

function link(href: string, inner: string): string {
  const url = safeLink(href);
  return url ? `<a href="${escaped(url)}">${inner}</a>` : inner;
}
