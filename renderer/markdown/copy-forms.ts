import type { Token } from 'marked';
import { type HtmlForm, toHtml } from '#shared/markdown/to-html.ts';
import { safeLink } from './safe-link.ts';

type Tokens = readonly Token[];

/** HTML for text documents, with plain code. Formulas stay TeX until KaTeX is loaded. */
export const clipboardForm: HtmlForm = {
  headingsBelow: 0,
  link: safeLink,
  code: (text) => text,
  formula: ({ raw }) => raw,
};

/** The same form with formulas as MathML, which text documents read, together with their TeX. */
export const formWithMaths = async (): Promise<HtmlForm> => ({
  ...clipboardForm,
  formula: (await import('#shared/markdown/formula.ts')).formula,
});

/** Copies text to the clipboard. With `tokens`, also copies HTML for documents and mails. */
export async function copyForms(plain: string, parsed: Tokens | Promise<Tokens>): Promise<void> {
  const tokens = await parsed;
  if (tokens.length === 0) return navigator.clipboard.writeText(plain);
  const form = (type: string, text: string) => ({ [type]: new Blob([text], { type }) });
  const markup = await toHtml(tokens, /\$|\\[([]/.test(plain) ? await formWithMaths() : clipboardForm);
  const item = { ...form('text/plain', plain), ...form('text/html', String(markup)) };
  await navigator.clipboard.write([new ClipboardItem(item)]);
}
