import { create } from 'zustand';
import type { RouteAsked } from '../routing/use-route-preview.ts';

/** What the reader has done to the view of messages. The core keeps edits and expanded parts (`use-kept-view.ts`). */
interface ThreadView {
  /** Parts of messages that are expanded, `<message>:<part>`. */
  expanded: Readonly<Record<string, true>>;
  /** Own messages that are being edited, with the new wording. */
  edits: Readonly<Record<string, string>>;
  /** Messages that have just been copied. */
  copied: Readonly<Record<string, true>>;
  /** The answer whose list of other models is open. */
  retrying: string | null;
  /** The message that was jumped to, highlighted for a moment. */
  highlighted: string | null;
  /** What a cap has stopped: why, and how it is done all the same. */
  overCap: { readonly sentence: string; readonly anyway: () => void } | null;
  /** What is confirmed before the router is asked, and what runs then; `other`, where another model can be chosen for it. */
  confirming: { readonly asked: RouteAsked; readonly run: () => void; readonly other: boolean } | null;
  /** Read out by screen readers. */
  announcement: string;
  setExpanded: (part: string, open: boolean) => void;
  setEdit: (messageId: string, text: string | null) => void;
  /** What was kept has arrived; what was done meanwhile goes before it. */
  take: (edits: Readonly<Record<string, string>>, expanded: Readonly<Record<string, true>>) => void;
  setCopied: (messageId: string, copied: boolean) => void;
  setRetrying: (messageId: string | null) => void;
  highlight: (messageId: string) => void;
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
  setOverCap: (overCap) => set({ overCap }),
  setConfirming: (confirming) => set({ confirming }),
  // A live region is read out again only where its text changes.
  announce: (announcement) =>
    set({ announcement: get().announcement === announcement ? `${announcement} ` : announcement }),
}));
