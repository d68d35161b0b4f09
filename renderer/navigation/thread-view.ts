import { create } from 'zustand';
import type { Attachment } from '#shared/contract/common/attachments.ts';

export interface RouteAsked {
  readonly conversationId: string | null;
  /** What it replaces: the person's message that was edited to this text, or an answer that is requested again. */
  readonly inPlaceOf: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
  /** The folder that a new conversation starts in. */
  readonly folderId?: string | null;
}

/** View state of messages. The core stores edits and expanded parts (`use-saved-view.ts`). */
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
  /** The search words for which a message was opened. Parts of its tool output that contain them are expanded. */
  searched: { readonly messageId: string; readonly words: readonly string[] } | null;
  /** The question that was just sent or asked again, until the thread shows it. */
  asked: string | null;
  /** A request that a spending cap refused: the reason, and how to send it anyway. */
  overCap: { readonly sentence: string; readonly anyway: () => void } | null;
  /** The route to confirm, what runs then, and `other` if another model can be chosen. */
  confirming: { readonly asked: RouteAsked; readonly run: () => void; readonly other: boolean } | null;
  /** The current announcement for screen readers. */
  announcement: string;
  setExpanded: (part: string, open: boolean) => void;
  setEdit: (messageId: string, text: string | null) => void;
  /** Loads the saved state. Newer local changes win. */
  take: (edits: Readonly<Record<string, string>>, expanded: Readonly<Record<string, true>>) => void;
  setCopied: (messageId: string, copied: boolean) => void;
  setRetrying: (messageId: string | null) => void;
  highlight: (messageId: string) => void;
  seek: (searched: ThreadView['searched']) => void;
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
  searched: null,
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
  seek: (searched) => set({ searched }),
  setAsked: (asked) => set({ asked }),
  setOverCap: (overCap) => set({ overCap }),
  setConfirming: (confirming) => set({ confirming }),
  // A live region is read out only when its text changes.
  announce: (announcement) =>
    set({ announcement: get().announcement === announcement ? `${announcement} ` : announcement }),
}));
