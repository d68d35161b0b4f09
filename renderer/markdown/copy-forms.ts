import type { Token } from 'marked';
import { type HtmlForm, toHtml } from '#shared/markdown/to-html.ts';
import { safeLink } from './safe-link.ts';

type Tokens = readonly Token[];

/** The form for text documents: plain code, formulas as TeX. */
export const clipboardForm: HtmlForm = {
  headingsBelow: 0,
  link: safeLink,
  code: (text) => text,
  formula: ({ raw }) => raw,
};

/** Copies text to the clipboard; with `tokens` also as HTML, for documents and mails. */
export async function copyForms(plain: string, parsed: Tokens | Promise<Tokens>): Promise<void> {
  const tokens = await parsed;
  if (tokens.length === 0) return navigator.clipboard.writeText(plain);
  const form = (type: string, text: string) => ({ [type]: new Blob([text], { type }) });
  const markup = await toHtml(tokens, clipboardForm);
  const item = { ...form('text/plain', plain), ...form('text/html', String(markup)) };
  await navigator.clipboard.write([new ClipboardItem(item)]);
}
