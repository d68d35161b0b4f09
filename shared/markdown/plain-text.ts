import type { Token } from 'marked';

/** Text that is shown as it stands: one block without any structure. */
export const plainText = (text: string): Token => ({ type: 'html', raw: text, text, block: true, pre: false });
