import { ulid } from 'ulid';
import { isQuick } from './quick.ts';

const name = 'portico:new-chat';

/**
 * Names this window's unsent new chat: each window writes its own. A reload keeps it; the copy of a tab, which begins with all that
 * the tab keeps for itself, has another one, because it is kept there only while the page goes.
 */
export const newChatKey: string = (() => {
  if (isQuick) return 'quick';
  const fresh = `new-${ulid()}`;
  try {
    const key = sessionStorage.getItem(name) ?? fresh;
    sessionStorage.removeItem(name);
    addEventListener('pagehide', () => sessionStorage.setItem(name, key));
    addEventListener('pageshow', () => sessionStorage.removeItem(name));
    return key;
  } catch {
    return fresh;
  }
})();
