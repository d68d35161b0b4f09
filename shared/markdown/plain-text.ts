import type { Token } from 'marked';

/** A plain block without any structure. */
export const plainText = (text: string): Token => ({ type: 'html', raw: text, text, block: true, pre: false });
