import { ulid } from 'ulid';
import { isQuick } from './quick.ts';

const name = 'portico:new-chat';

/**
 * The key of this window's unsent new chat; each window writes its own. The key is in the session storage only while
 * the page unloads. So a reload keeps it, but a duplicated tab, which copies the session storage, gets a new one.
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
