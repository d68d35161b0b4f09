import { create } from 'zustand';
import type { Draft } from '#shared/contract/chat/drafts.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { newChatKey } from '../../browser/new-chat-key.ts';
import { mergedDraft } from './merged-draft.ts';

interface History {
  readonly past: readonly string[];
  readonly future: readonly string[];
  /** When the text last changed and by how many characters. Consecutive single keys form one undo step. */
  readonly changedAt: number;
  readonly delta: number;
}

const none: History = { past: [], future: [], changedAt: 0, delta: 0 };
const pauseMs = 1000;
const maxSteps = 200;
const maxCharacters = 4_000_000;

/** The undo history of each chat's text. The browser's own history would end when the field is unmounted. */
export function createDraftHistory(now: () => number = Date.now) {
  const histories = new Map<string, History>();
  const getHistory = (chat: string) => histories.get(chat) ?? none;

  return {
    changed(chat: string, before: string, after: string): void {
      if (before === after) return;
      const { past, changedAt, delta } = getHistory(chat);
      const change = after.length - before.length;
      const goesOn = Math.abs(change) === 1 && change === delta && now() - changedAt < pauseMs && !/\s$/.test(before);
      const steps = goesOn && past.length > 0 ? past : bounded([...past, before]);
      histories.set(chat, { past: steps, future: [], changedAt: now(), delta: change });
    },

    /** Returns the text one step back (-1) or forward (1). Null: there is none. */
    step(chat: string, current: string, direction: -1 | 1): string | null {
      const { past, future } = getHistory(chat);
      const from = direction < 0 ? past : future;
      const text = from.at(-1);
      if (text === undefined) return null;
      const [left, right] = [from.slice(0, -1), [...(direction < 0 ? future : past), current]];
      const next = direction < 0 ? { past: left, future: right } : { past: right, future: left };
      histories.set(chat, { ...next, changedAt: 0, delta: 0 });
      return text;
    },

    forget: (chat: string): boolean => histories.delete(chat),
  };
}

function bounded(steps: readonly string[]): readonly string[] {
  let characters = 0;
  const first = steps.findLastIndex((step, index) => {
    characters += step.length;
    return characters > maxCharacters || steps.length - index > maxSteps;
  });
  return steps.slice(first + 1);
}

/** Unsent drafts per conversation, including the new chat. The core stores them; this is the copy being edited. */
interface Drafts {
  texts: Record<string, string>;
  files: Record<string, readonly Attachment[]>;
  /** Models chosen in a composer that differ from the conversation’s. */
  models: Record<string, string>;
  /** Models mentioned with `@`, for the next message only. */
  mentions: Record<string, string>;
  /** Models of a comparison. A single one means that more are being picked. */
  compares: Record<string, readonly string[]>;
  /** Chats whose saved draft has been loaded. Only these are saved. */
  loaded: Record<string, true>;
  /** Changes the text. The step can be undone. */
  setText: (chat: string, text: string) => void;
  /** Undoes (-1) or repeats (1) a step. Returns the text, or null if there is no step. */
  step: (chat: string, direction: -1 | 1) => string | null;
  /** Drops the undo history after the text was sent. */
  forgetSteps: (chat: string) => void;
  setFiles: (chat: string, change: (files: readonly Attachment[]) => readonly Attachment[]) => void;
  setModel: (chat: string, model: string) => void;
  mention: (chat: string, model: string | null) => void;
  setCompare: (chat: string, models: readonly string[]) => void;
  /** Merges the saved draft into the local one. `base` is the saved draft as this window last knew it. */
  take: (chat: string, base: Draft, draft: Draft) => void;
  /** Moves the choices of a new chat to its id. */
  adopt: (conversationId: string, model: string) => void;
}

export const draftKey = (conversationId: string | null): string => conversationId ?? newChatKey;

const without = <Value>(values: Record<string, Value>, key: string): Record<string, Value> => {
  const { [key]: _gone, ...others } = values;
  return others;
};

const withText = (texts: Record<string, string>, chat: string, text: string): Record<string, string> => {
  const others = without(texts, chat);
  return text === '' ? others : { ...others, [chat]: text };
};

const history = createDraftHistory();

export const useDrafts = create<Drafts>()((set, get) => ({
  texts: {},
  files: {},
  models: {},
  mentions: {},
  compares: {},
  loaded: {},
  setText: (chat, text) => {
    history.changed(chat, get().texts[chat] ?? '', text);
    set({ texts: withText(get().texts, chat, text) });
  },
  step: (chat, direction) => {
    const text = history.step(chat, get().texts[chat] ?? '', direction);
    if (text !== null) set({ texts: withText(get().texts, chat, text) });
    return text;
  },
  forgetSteps: (chat) => void history.forget(chat),
  setFiles: (chat, change) => set({ files: { ...get().files, [chat]: change(get().files[chat] ?? []) } }),
  setModel: (chat, model) => set({ models: { ...get().models, [chat]: model } }),
  mention: (chat, model) => {
    const others = without(get().mentions, chat);
    set({ mentions: model === null ? others : { ...others, [chat]: model } });
  },
  setCompare: (chat, models) => {
    const others = without(get().compares, chat);
    set({ compares: models.length === 0 ? others : { ...others, [chat]: models } });
  },
  take: (chat, base, draft) => {
    const { text, attachments, model, compare } = mergedDraft(base, getDraft(chat), draft);
    get().setText(chat, text);
    get().setFiles(chat, () => attachments);
    get().setCompare(chat, compare);
    const models = without(get().models, chat);
    set({
      models: model === null ? models : { ...models, [chat]: model },
      loaded: { ...get().loaded, [chat]: true },
    });
  },
  adopt: (conversationId, model) => {
    const { models } = get();
    set({ models: { ...without(models, newChatKey), [conversationId]: model } });
  },
}));

export function getDraft(chat: string): Draft {
  const { texts, files, models, compares } = useDrafts.getState();
  return {
    text: texts[chat] ?? '',
    attachments: [...(files[chat] ?? [])],
    model: models[chat] ?? null,
    compare: [...(compares[chat] ?? [])],
  };
}
