import { create } from 'zustand';
import type { RouteAsked } from './use-route-preview.ts';

/** What the reader has done to the view of messages. The core keeps edits and folds (`use-kept-view.ts`). */
interface ThreadView {
  /** Folds that are open, `<message>:<part>`. */
  folds: Readonly<Record<string, true>>;
  /** Own messages that are being edited, with the new wording. */
  edits: Readonly<Record<string, string>>;
  /** Messages that have just been copied. */
  copied: Readonly<Record<string, true>>;
  /** The answer whose list of other models is open. */
  retrying: string | null;
  /** Where the thread shall go next, and whether the message is to be pointed out. */
  target: { readonly messageId: string; readonly jump: boolean } | null;
  /** The message that was jumped to, pointed out for a moment. */
  pointed: string | null;
  /** Grows each time the reader did something whose outcome is at the end. */
  endWanted: number;
  /** What a cap has stopped: why, and how it is done all the same. */
  overCap: { readonly sentence: string; readonly anyway: () => void } | null;
  /** What is confirmed before the router is asked, and what runs then; `other`, where another model can be chosen for it. */
  confirming: { readonly asked: RouteAsked; readonly run: () => void; readonly other: boolean } | null;
  /** Said to a screen reader. */
  said: string;
  setFold: (fold: string, open: boolean) => void;
  setEdit: (messageId: string, text: string | null) => void;
  /** What was kept has arrived; what was done meanwhile goes before it. */
  take: (edits: Readonly<Record<string, string>>, folds: Readonly<Record<string, true>>) => void;
  setCopied: (messageId: string, copied: boolean) => void;
  setRetrying: (messageId: string | null) => void;
  /** Keeps a message in view that is about to take another one's place. */
  goTo: (messageId: string) => void;
  /** Shows a message wherever it is, and points it out. Call it with the conversation's page open or opening. */
  jumpTo: (messageId: string) => void;
  arrived: () => void;
  point: (messageId: string) => void;
  wantEnd: () => void;
  setOverCap: (overCap: ThreadView['overCap']) => void;
  setConfirming: (confirming: ThreadView['confirming']) => void;
  say: (said: string) => void;
}

const without = <Value>(record: Readonly<Record<string, Value>>, name: string): Record<string, Value> => {
  const { [name]: _gone, ...rest } = record;
  return rest;
};

export const useThreadView = create<ThreadView>()((set, get) => ({
  folds: {},
  edits: {},
  copied: {},
  retrying: null,
  target: null,
  pointed: null,
  endWanted: 0,
  overCap: null,
  confirming: null,
  said: '',
  setFold: (fold, open) => {
    if (open === (get().folds[fold] ?? false)) return;
    set({ folds: open ? { ...get().folds, [fold]: true } : without(get().folds, fold) });
  },
  setEdit: (messageId, text) => {
    set({ edits: text === null ? without(get().edits, messageId) : { ...get().edits, [messageId]: text } });
  },
  take: (edits, folds) => set({ edits: { ...edits, ...get().edits }, folds: { ...folds, ...get().folds } }),
  setCopied: (messageId, copied) =>
    set({ copied: copied ? { ...get().copied, [messageId]: true } : without(get().copied, messageId) }),
  setRetrying: (retrying) => set({ retrying }),
  goTo: (messageId) => set({ target: { messageId, jump: false } }),
  jumpTo: (messageId) => set({ target: { messageId, jump: true } }),
  arrived: () => set({ target: null }),
  point: (messageId) => {
    set({ pointed: messageId });
    setTimeout(() => get().pointed === messageId && set({ pointed: null }), 2000);
  },
  wantEnd: () => set({ endWanted: get().endWanted + 1 }),
  setOverCap: (overCap) => set({ overCap }),
  setConfirming: (confirming) => set({ confirming }),
  // The same words twice are said twice.
  say: (said) => set({ said: get().said === said ? `${said} ` : said }),
}));
