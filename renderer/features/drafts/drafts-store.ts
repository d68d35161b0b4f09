import { create } from 'zustand';
import type { Draft } from '#shared/contract/chat/drafts.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { newChatKey } from '../../browser/new-chat-key.ts';
import { createDraftHistory } from './draft-history.ts';
import { mergedDraft } from './merged-draft.ts';

/**
 * Unsent drafts per conversation, and of the chat without one yet. The core keeps them: this is the copy being
 * edited.
 */
interface Drafts {
  texts: Record<string, string>;
  files: Record<string, readonly Attachment[]>;
  /** Models chosen in a composer that differ from the conversation’s. */
  models: Record<string, string>;
  /** Models mentioned by `@`, for the next message only. */
  mentions: Record<string, string>;
  /** Models of a comparison. A single one: more are being picked. */
  compares: Record<string, readonly string[]>;
  /** Chats whose saved draft has been loaded: only these are saved. */
  loaded: Record<string, true>;
  /** Changes the text; the step can be undone. */
  setText: (chat: string, text: string) => void;
  /** Undoes (-1) or repeats (1) a step; returns the text, or null without one. */
  step: (chat: string, direction: -1 | 1) => string | null;
  /** The text was sent: what led to it cannot be undone. */
  forgetSteps: (chat: string) => void;
  setFiles: (chat: string, change: (files: readonly Attachment[]) => readonly Attachment[]) => void;
  setModel: (chat: string, model: string) => void;
  mention: (chat: string, model: string | null) => void;
  setCompare: (chat: string, models: readonly string[]) => void;
  /** Takes the saved draft, which was `base` when it was last known here, with what has changed here since. */
  take: (chat: string, base: Draft, draft: Draft) => void;
  /** A new chat got its id: its choices move with it. */
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
