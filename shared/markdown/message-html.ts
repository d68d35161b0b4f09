import { html } from 'hono/html';
import type { Token } from 'marked';
import { type HtmlForm, toHtml } from './to-html.ts';

/**
 * Renders a message as HTML under its author's name. `parts` are parsed Markdown, or plain text whose line ends are
 * kept.
 */
export async function messageHtml(
  name: string,
  parts: readonly (readonly Token[] | string)[],
  form: HtmlForm,
): Promise<string> {
  const body = await Promise.all(parts.map((part) => (typeof part === 'string' ? inLines(part) : toHtml(part, form))));
  return String(await html`<h2>${name}</h2>${body}`);
}

const inLines = (words: string) =>
  words === '' ? '' : html`<p>${words.split('\n').map((line, index) => (index === 0 ? line : html`<br>${line}`))}</p>`;
