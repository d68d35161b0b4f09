import type { SearchHit } from '#shared/contract/chat/search.ts';
import { text } from '../../text/conversations-text.ts';

/** Returns the author of the text that a hit shows. */
export const getHitAuthor = ({ role, inTool }: NonNullable<SearchHit['message']>): string =>
  inTool ? text.tool : role === 'user' ? text.you : text.model;
