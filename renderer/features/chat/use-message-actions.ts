import { useEffect, useMemo, useRef } from 'react';
import { ulid } from 'ulid';
import { useOffers } from '../../actions/offers.ts';
import { useApi } from '../../api/api.ts';
import { getHandle } from '../../handles/handles.ts';
import { copyForms } from '../../markdown/copy-forms.ts';
import { useNav } from '../../navigation/nav.ts';
import { type RouteAsked, useThreadView } from '../../navigation/thread-view.ts';
import { text } from '../../text/chat-text.ts';
import { compareText } from '../../text/compare-text.ts';
import { describeError } from '../../text/error-text.ts';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { useDrafts } from '../drafts/drafts-store.ts';
import { useConfirmsRoute } from './confirmations/use-confirms-route.ts';
import { parsedTokens } from './data/parsed-tokens.ts';
import { useLiveAnswers } from './data/use-answer.ts';
import type { MessageActions } from './state/message-actions.ts';
import { getHead, getSections, type ThreadItem } from './state/thread-items.ts';
import { isCut } from './state/use-thread-keys.ts';

/** Actions on messages as calls of the core; failures are shown as toasts. */
export function useMessageActions(model: string): MessageActions {
  const api = useApi();
  const answers = useLiveAnswers();
  const notify = useNotify();
  const confirms = useConfirmsRoute();
  const now = useRef({ model, notify, confirms });
  useEffect(() => {
    now.current = { model, notify, confirms };
  });
  return useMemo(() => {
    const { announce } = useThreadView.getState();
    const attempt = (name: string, work: Promise<unknown>) =>
      work.catch((error: unknown) => now.current.notify.failed(name, error));
    // A request that a spending limit refuses can be repeated, if the user agrees to exceed the limit this once.
    const ask = async (
      name: string,
      work: (overCaps: boolean) => Promise<{ readonly userMessageId: string }>,
      overCaps = false,
    ): Promise<void> => {
      try {
        const { userMessageId } = await work(overCaps);
        if (name === text.continue) getHandle('thread')?.showEnd();
        else useThreadView.getState().setAsked(userMessageId);
      } catch (error) {
        const { code, sentence } = describeError(error);
        if (code !== 'cap_exceeded' || overCaps) now.current.notify.failed(name, error);
        else useThreadView.getState().setOverCap({ sentence, anyway: () => void ask(name, work, true) });
      }
    };
    const again = (item: ThreadItem, asked: string): RouteAsked => ({
      conversationId: item.conversationId,
      inPlaceOf: item.id,
      model: asked,
      // For an answer, the core finds its question.
      ...(item.role === 'user' ? { text: item.text, attachments: item.attachments } : { text: '', attachments: [] }),
    });
    const confirmed = (asked: RouteAsked, other: boolean, work: () => Promise<void>): void => {
      if (!now.current.confirms(asked.model)) return void work();
      useThreadView.getState().setConfirming({ asked, other, run: () => void work() });
    };
    const copied = new Map<string, ReturnType<typeof setTimeout>>();
    return {
      regenerate: (item, other) => {
        const work = () =>
          ask(text.regenerate, (overCaps) =>
            api.chat.regenerate({ answerId: item.id, model: other ?? null, overCaps }),
          );
        // The models of a comparison were chosen by hand, so nothing is confirmed.
        if (item.comparison) void work();
        else confirmed(again(item, other ?? item.parts[0].model ?? 'router'), false, work);
      },
      continue: (item) => void ask(text.continue, (overCaps) => api.chat.continue({ answerId: item.id, overCaps })),
      answer: (item) =>
        confirmed(again(item, now.current.model), true, () =>
          ask(text.answer, (overCaps) => api.chat.answer({ questionId: item.id, model: now.current.model, overCaps })),
        ),
      edit: (item, words) => {
        const { setEdit } = useThreadView.getState();
        const message = {
          messageId: ulid(),
          conversationId: item.conversationId,
          editOf: item.id,
          text: words,
          attachments: [...item.attachments],
          model: now.current.model,
        };
        confirmed({ ...again(item, message.model), text: words }, true, () =>
          ask(text.edit, (overCaps) => {
            setEdit(item.id, null);
            // If sending fails, the edit is opened again with its text.
            return api.chat.send({ ...message, overCaps }).catch((error: unknown) => {
              setEdit(item.id, words);
              throw error;
            });
          }),
        );
      },
      step: (item, by) => {
        const { index, count } = item.sibling;
        if (index + by < 1 || index + by > count) return;
        const shown = api.messages.show({ messageId: getHead(item), step: by }).then(({ messageId }) => {
          getHandle('thread')?.keepInView(messageId);
          announce(text.versionOf(index + by, count));
        });
        void attempt(text.versions, shown);
      },
      remove: (item) => {
        const removal = api.messages
          .remove({ messageId: getHead(item) })
          .then(({ deletionId, messages }) =>
            now.current.notify.undoable(
              text.removed(messages),
              () => void attempt(text.undo, api.messages.restore({ deletionId })),
            ),
          );
        void attempt(text.removeMessage, removal);
      },
      fork: (item) => {
        const forked = api.conversations.fork({ messageId: item.id }).then(({ id }) => {
          useNav.getState().go({ page: 'chat', conversationId: id });
          now.current.notify.inform(text.forked);
        });
        void attempt(text.fork, forked);
      },
      choose: (item) => {
        const chosen = api.comparisons.choose({ messageId: getHead(item) }).then(() => {
          const { conversationId, model } = item;
          if (model) useDrafts.getState().setModel(conversationId, model);
          getHandle('thread')?.keepInView(getHead(item));
          getHandle('composer')?.focus();
        });
        void attempt(compareText.goOn, chosen);
      },
      compare: (item) => {
        const opened = api.comparisons.open({ messageId: getHead(item) });
        void attempt(
          compareText.open,
          opened.then(() => getHandle('thread')?.keepInView(getHead(item))),
        );
      },
      stop: (item) => void attempt(text.stop, api.chat.stop({ answerId: item.id })),
      copy: (item, form) =>
        void copyForms(
          item.text,
          form === 'rich' && item.role === 'assistant'
            ? Promise.all(getSections(item).map((section) => parsedTokens(answers, section))).then((all) => all.flat())
            : [],
        ).then(
          () => {
            const { setCopied } = useThreadView.getState();
            clearTimeout(copied.get(item.id));
            setCopied(item.id, true);
            announce(text.copied);
            copied.set(
              item.id,
              setTimeout(() => setCopied(item.id, false), 2000),
            );
          },
          (error: unknown) => {
            console.warn('Copying was refused', error);
            now.current.notify.inform(text.copyFailed, text.copyRefused);
          },
        ),
    };
  }, [api, answers]);
}

/**
 * Makes the actions on the last answer and the last question of the open chat available to menus, shortcuts and the
 * command palette.
 */
export function useAnswerOffers(items: readonly ThreadItem[], actions: MessageActions, busy: boolean): void {
  const last = items.at(-1);
  const answer = last && last.role === 'assistant' && !last.columns && last.status !== 'streaming' ? last : null;
  const question = items.findLast(({ role }) => role === 'user') ?? null;
  const { setRetrying, setEdit } = useThreadView.getState();
  useOffers({
    retryAnswer: answer && !busy && (() => actions.regenerate(answer)),
    retryAnswerOther:
      answer &&
      !busy &&
      (() => {
        getHandle('thread')?.showEnd();
        setRetrying(answer.id);
      }),
    continueAnswer: answer && !busy && isCut(answer) && (() => actions.continue(answer)),
    copyAnswer: answer && (() => actions.copy(answer, 'rich')),
    forkChat: answer && (() => actions.fork(answer)),
    editQuestion: question && !busy && (() => setEdit(question.id, question.text)),
  });
}
