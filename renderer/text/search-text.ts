import { count } from './format.ts';
import { words } from './language.ts';

export const text = words({
  find: 'Find in this chat',
  none: 'Nothing found',
  failed: 'Could not search',
  place: (at: number, all: number) => `${count(at)} of ${count(all)}`,
  previous: 'Earlier place',
  next: 'Later place',
  close: 'Close',
});
