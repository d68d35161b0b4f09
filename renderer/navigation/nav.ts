import { create } from 'zustand';
import { takeLink } from './links.ts';
import { takeFile } from './opened-files.ts';

export const settingsSections = [
  'providers',
  'gateway',
  'network',
  'chat',
  'tools',
  'prompts',
  'caps',
  'appearance',
  'keyboard',
  'data',
  'privacy',
  'about',
] as const;
export type SettingsSection = (typeof settingsSections)[number];

/** The views of the models page besides the list. */
export const modelsViews = ['compare', 'what-if'] as const;
export type ModelsView = (typeof modelsViews)[number];

export const chatsViews = ['active', 'archived', 'trash'] as const;
export type ChatsView = (typeof chatsViews)[number];

/**
 * A location: `#chat/<id>/<message>`, `#temporary`, `#project/<folder>`, `#chats/trash`, `#models?q=…`,
 * `#settings/gateway`, …
 */
export type Loc =
  | {
      readonly page: 'chat';
      readonly conversationId: string | null;
      readonly messageId?: string;
      /** For a chat without an id: it won't be saved. */
      readonly temporary?: boolean;
      /** For a chat without an id: the folder it starts in. */
      readonly folderId?: string;
    }
  | { readonly page: 'chats'; readonly view: ChatsView; readonly query: string }
  /** `search` is the filter of the list, or the comparison, as in a URL (`features/models/models-address.ts`). */
  | { readonly page: 'models'; readonly view?: ModelsView; readonly search?: string }
  | { readonly page: 'usage' | 'credits' | 'reconciliation' | 'account' }
  /** `setting` is the name of a row, which is scrolled to and focused. */
  | { readonly page: 'settings'; readonly section: SettingsSection | null; readonly setting?: string };

export const newChat: Loc = { page: 'chat', conversationId: null };
/** A new chat that starts in a folder. */
export const newChatIn = (folderId: string): Loc => ({ page: 'chat', conversationId: null, folderId });
export const temporaryChat: Loc = { ...newChat, temporary: true };

/** Returns the folder that a chat without an id starts in. */
export const getFolder = (loc: Loc): string | null =>
  loc.page === 'chat' && loc.conversationId === null ? (loc.folderId ?? null) : null;

export const isTemporary = (loc: Loc): boolean => loc.page === 'chat' && loc.temporary === true;

export function getHash(loc: Loc): string {
  if (isTemporary(loc)) return '#temporary';
  if (loc.page === 'chat' && loc.conversationId === null && loc.folderId)
    return `#project/${encodeURIComponent(loc.folderId)}`;
  if (loc.page === 'chat') {
    const parts = [loc.conversationId, loc.messageId].flatMap((part) => (part ? [encodeURIComponent(part)] : []));
    return ['#chat', ...parts].join('/');
  }
  if (loc.page === 'chats') return `#chats/${loc.view}${loc.query ? `/${encodeURIComponent(loc.query)}` : ''}`;
  if (loc.page === 'settings') {
    const parts = [loc.section, loc.section && loc.setting].flatMap((part) => (part ? [encodeURIComponent(part)] : []));
    return ['#settings', ...parts].join('/');
  }
  if (loc.page === 'models') return `#models${loc.view ? `/${loc.view}` : ''}${loc.search ? `?${loc.search}` : ''}`;
  return `#${loc.page}`;
}

/** Parses a hash. Any unknown hash is a new chat, because a hash can be typed or pasted. */
export function getLoc(hash: string): Loc {
  const models = /^#?models(?:\/([a-z-]+))?(?:\?(.*))?$/s.exec(hash);
  if (models) return modelsLoc(models[1], models[2]);
  const [page, rest, more] = hash.replace(/^#/, '').split('/', 3);
  if (page === 'usage' || page === 'credits' || page === 'reconciliation' || page === 'account') return { page };
  if (page === 'settings') {
    const setting = decoded(more)?.slice(0, 200);
    return { page, section: settingsSections.find((section) => section === rest) ?? null, ...(setting && { setting }) };
  }
  if (page === 'chats') {
    return {
      page,
      view: chatsViews.find((view) => view === rest) ?? 'active',
      query: decoded(more)?.slice(0, 500) ?? '',
    };
  }
  if (page === 'temporary') return temporaryChat;
  if (page === 'project') {
    const folderId = decoded(rest);
    return folderId && folderId.length <= 64 ? newChatIn(folderId) : newChat;
  }
  const id = page === 'chat' ? decoded(rest) : null;
  if (!id || id.length > 64) return newChat;
  const messageId = decoded(more);
  return { page: 'chat', conversationId: id, ...(messageId && messageId.length <= 64 ? { messageId } : {}) };
}

/** Normalises the address, so that it equals what the page itself writes. */
function modelsLoc(named: string | undefined, given: string | undefined): Loc {
  const view = modelsViews.find((name) => name === named);
  const search = new URLSearchParams(given?.slice(0, 4000)).toString();
  return { page: 'models', ...(view && { view }), ...(search !== '' && { search }) };
}

function decoded(part: string | undefined): string | null {
  try {
    return part ? decodeURIComponent(part) : null;
  } catch {
    return null;
  }
}

interface Nav {
  loc: Loc;
  /** The index in the window’s history, and the last index that exists. */
  index: number;
  last: number;
  go: (loc: Loc) => void;
  /** Replaces the location without a history entry, for example when a new chat got its id. */
  replace: (loc: Loc) => void;
  back: () => void;
  forward: () => void;
}

export const useNav = create<Nav>()((set, get) => ({
  loc: newChat,
  index: 0,
  last: 0,
  go: (loc) => {
    if (getHash(loc) === getHash(get().loc)) return;
    const index = get().index + 1;
    history.pushState({ index }, '', getHash(loc));
    set({ loc, index, last: index });
  },
  replace: (loc) => {
    history.replaceState({ index: get().index }, '', getHash(loc));
    set({ loc });
  },
  back: () => get().index > 0 && history.back(),
  forward: () => get().index < get().last && history.forward(),
}));

/**
 * Reads the location from the address and follows the window’s back and forward. Call it after the secret has been
 * removed from the address.
 */
export function startNav(): () => void {
  const index = indexOf(history.state) ?? 0;
  takeRequest(location.hash);
  useNav.setState({ loc: getLoc(location.hash), index, last: index });
  history.replaceState({ index }, '', getHash(useNav.getState().loc));
  const follow = () => {
    const { index: now, last } = useNav.getState();
    // A link that connects this page again is no location.
    if (location.hash.startsWith('#b=')) return;
    const next = indexOf(history.state);
    // A link that requests something is no location either.
    if (takeRequest(location.hash)) {
      history.replaceState({ index: now + 1 }, '', getHash(useNav.getState().loc));
      return useNav.setState({ index: now + 1, last: now + 1 });
    }
    // A typed hash has no state. It is a new history entry.
    if (next === undefined) history.replaceState({ index: now + 1 }, '', location.hash);
    useNav.setState({ loc: getLoc(location.hash), index: next ?? now + 1, last: next === undefined ? now + 1 : last });
  };
  addEventListener('popstate', follow);
  return () => removeEventListener('popstate', follow);
}

/** Takes a link or a file from the address. A dialog asks about it. */
const takeRequest = (hash: string): boolean => takeLink(hash) || takeFile(hash);

function indexOf(state: unknown): number | undefined {
  if (typeof state !== 'object' || state === null || !('index' in state)) return undefined;
  return typeof state.index === 'number' ? state.index : undefined;
}
