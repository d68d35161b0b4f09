import { count } from '../../text/format.ts';
import { words } from '../../text/language.ts';

export const text = words({
  find: 'Find in this chat',
  none: 'Nothing found',
  failed: 'Could not search',
  match: (position: number, all: number) => `${count(position)} of ${count(all)}`,
  previous: 'Earlier match',
  next: 'Later match',
  close: 'Close',
});
