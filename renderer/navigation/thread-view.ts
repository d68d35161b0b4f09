import { create } from 'zustand';
import type { Attachment } from '#shared/contract/common/attachments.ts';

export interface RouteAsked {
  readonly conversationId: string | null;
  /** What it replaces: an own message with this text, or an answer that is asked for again. */
  readonly inPlaceOf: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
  /** The folder that a new conversation begins in. */
  readonly folderId?: string | null;
}

/** View state of messages. The core keeps edits and expanded parts (`use-saved-view.ts`). */
interface ThreadView {
  /** Expanded parts, as `<message>:<part>`. */
  expanded: Readonly<Record<string, true>>;
  /** Texts of own messages that are being edited. */
  edits: Readonly<Record<string, string>>;
  /** Messages copied just now. */
  copied: Readonly<Record<string, true>>;
  /** The answer whose retry menu is open. */
  retrying: string | null;
  /** The message that was jumped to, highlighted briefly. */
  highlighted: string | null;
  /** The words for which a message was opened that stand in what its tools gave: the parts that have them are expanded. */
  sought: { readonly messageId: string; readonly words: readonly string[] } | null;
  /** The question that was sent or answered again just now, until the thread shows it. */
  asked: string | null;
  /** A request that a cap refused: the reason, and how to send it anyway. */
  overCap: { readonly sentence: string; readonly anyway: () => void } | null;
  /** The route to confirm, what runs then, and `other` if another model can be chosen. */
  confirming: { readonly asked: RouteAsked; readonly run: () => void; readonly other: boolean } | null;
  /** The current announcement for screen readers. */
  announcement: string;
  setExpanded: (part: string, open: boolean) => void;
  setEdit: (messageId: string, text: string | null) => void;
  /** Takes the saved state; newer local changes win. */
  take: (edits: Readonly<Record<string, string>>, expanded: Readonly<Record<string, true>>) => void;
  setCopied: (messageId: string, copied: boolean) => void;
  setRetrying: (messageId: string | null) => void;
  highlight: (messageId: string) => void;
  seek: (sought: ThreadView['sought']) => void;
  setAsked: (messageId: string | null) => void;
  setOverCap: (overCap: ThreadView['overCap']) => void;
  setConfirming: (confirming: ThreadView['confirming']) => void;
  announce: (announcement: string) => void;
}

const without = <Value>(record: Readonly<Record<string, Value>>, name: string): Record<string, Value> => {
  const { [name]: _gone, ...rest } = record;
  return rest;
};

export const useThreadView = create<ThreadView>()((set, get) => ({
  expanded: {},
  edits: {},
  copied: {},
  retrying: null,
  highlighted: null,
  sought: null,
  asked: null,
  overCap: null,
  confirming: null,
  announcement: '',
  setExpanded: (part, open) => {
    if (open === (get().expanded[part] ?? false)) return;
    set({ expanded: open ? { ...get().expanded, [part]: true } : without(get().expanded, part) });
  },
  setEdit: (messageId, text) => {
    set({ edits: text === null ? without(get().edits, messageId) : { ...get().edits, [messageId]: text } });
  },
  take: (edits, expanded) => set({ edits: { ...edits, ...get().edits }, expanded: { ...expanded, ...get().expanded } }),
  setCopied: (messageId, copied) =>
    set({ copied: copied ? { ...get().copied, [messageId]: true } : without(get().copied, messageId) }),
  setRetrying: (retrying) => set({ retrying }),
  highlight: (messageId) => {
    set({ highlighted: messageId });
    setTimeout(() => get().highlighted === messageId && set({ highlighted: null }), 2000);
  },
  seek: (sought) => set({ sought }),
  setAsked: (asked) => set({ asked }),
  setOverCap: (overCap) => set({ overCap }),
  setConfirming: (confirming) => set({ confirming }),
  // A live region is read out only when its text changes.
  announce: (announcement) =>
    set({ announcement: get().announcement === announcement ? `${announcement} ` : announcement }),
}));
