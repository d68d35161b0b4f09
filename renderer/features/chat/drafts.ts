import { create } from 'zustand';
import { keep, readKept } from '../../lib/kept.ts';

/** Words that are not sent yet, per conversation; `new` is the chat that has none. They outlive the window. */
interface Drafts {
  texts: Record<string, string>;
  /** Models chosen in a composer, where they differ from what the conversation had. */
  models: Record<string, string>;
  setText: (chat: string, text: string) => void;
  setModel: (chat: string, model: string) => void;
  /** A new chat got its id: what was chosen goes with it. */
  adopt: (conversationId: string, model: string) => void;
}

export const draftKey = (conversationId: string | null): string => conversationId ?? 'new';

export const useDrafts = create<Drafts>()((set, get) => ({
  texts: readKept().drafts ?? {},
  models: {},
  setText: (chat, text) => {
    const { [chat]: _before, ...others } = get().texts;
    const texts = text === '' ? others : { ...others, [chat]: text };
    set({ texts });
    keepSoon(() => keep({ drafts: get().texts }));
  },
  setModel: (chat, model) => set({ models: { ...get().models, [chat]: model } }),
  adopt: (conversationId, model) => {
    const { new: _chosen, ...others } = get().models;
    set({ models: { ...others, [conversationId]: model } });
  },
}));

let timer: ReturnType<typeof setTimeout> | undefined;
let write: (() => void) | undefined;

/** Storage is slow and typing is fast: what was typed last is written when typing pauses or the page goes. */
function keepSoon(next: () => void): void {
  write = next;
  clearTimeout(timer);
  timer = setTimeout(flushDrafts, 300);
}

export function flushDrafts(): void {
  clearTimeout(timer);
  write?.();
  write = undefined;
}
