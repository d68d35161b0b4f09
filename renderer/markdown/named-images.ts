import type { Token, Tokens } from 'marked';
import { decodeEntities } from '#shared/markdown/entities.ts';
import { markdownText as words } from '../text/markdown-text.ts';
import { safeLink } from './safe-link.ts';
import type { NamedImage } from './show-image.ts';

/** Returns the image that a token names. Null: nothing that can be shown. */
export function namedImage({ href, text }: Pick<Tokens.Image, 'href' | 'text'>): NamedImage | null {
  const url = safeLink(href);
  return url && !url.startsWith('mailto:') ? { url, name: decodeEntities(text) || words.image } : null;
}

/**
 * Returns all images of a text that can be shown, in order. An image within a link is part of the link and left out.
 */
export function imagesIn(tokens: readonly Token[]): NamedImage[] {
  return tokens.flatMap((token): NamedImage[] => {
    const { type, header = [], rows = [], items = [], summary = [], tokens: within = [] } = token as Tokens.Generic;
    if (type === 'image') return [namedImage(token as Tokens.Image)].filter((image) => image !== null);
    if (type === 'link') return [];
    const cells: readonly Tokens.TableCell[] = [...header, ...rows.flat()];
    return imagesIn([...summary, ...within, ...items, ...cells.flatMap((cell) => cell.tokens)]);
  });
}
