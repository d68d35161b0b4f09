import type { Token } from 'marked';
import { toHtml } from './to-html.ts';

type Tokens = readonly Token[];

/** Puts text on the clipboard; where there are `tokens`, also what it looks like, for documents and mails. */
export async function copyForms(plain: string, parsed: Tokens | Promise<Tokens>): Promise<void> {
  const tokens = await parsed;
  if (tokens.length === 0) return navigator.clipboard.writeText(plain);
  const form = (type: string, text: string) => ({ [type]: new Blob([text], { type }) });
  const item = { ...form('text/plain', plain), ...form('text/html', toHtml(tokens)) };
  await navigator.clipboard.write([new ClipboardItem(item)]);
}
