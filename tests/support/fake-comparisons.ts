import { implement } from '@orpc/server';
import type { Topic } from '#shared/contract/app/changes.ts';
import { contract } from '#shared/contract/index.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { FakeComposer } from './fake-composer.ts';
import { type FakeData, fakeMessage } from './fake-data.ts';

interface Around {
  readonly guard: (method: string) => Promise<void>;
  readonly changed: (...topics: Topic[]) => void;
}

/** Comparisons in memory. Every model answers at once, with its own name. */
export function fakeComparisons(data: FakeData, composer: FakeComposer, { guard, changed }: Around) {
  const os = implement(contract);
  const getQuestion = (messageId: string) => {
    const answer = data.messages.find(({ id }) => id === messageId);
    return { answer, question: data.messages.find(({ id }) => id === answer?.parentId) };
  };
  const getModels = (models: readonly string[] | undefined) =>
    models ??
    data.messages
      .filter(({ comparison }) => comparison && comparison.id === data.messages.at(-1)?.comparison?.id)
      .flatMap(({ model }) => model ?? []);
  const set = (messageId: string, comparing: string | null) => {
    data.messages = data.messages.map((message) => (message.id === messageId ? { ...message, comparing } : message));
    changed('messages', 'conversations');
  };
  return {
    begin: os.comparisons.begin.handler(async ({ input }) => {
      await guard('comparisons.begin');
      const conversationId = input.conversationId ?? data.conversations[0]?.id ?? '';
      const comparison = `comparison-${input.messageId}`;
      const parentId = data.messages.findLast((message) => message.conversationId === conversationId)?.id ?? null;
      const { messageId: id, text, attachments } = input;
      const base = { conversationId, role: 'assistant', status: 'done' } as const;
      const answers = getModels(input.models).map((model, column) => {
        const modelName = data.models.find((entry) => entry.id === model)?.name ?? model;
        const own = { id: `${id}-${column}`, parentId: id, model, modelName, comparison: { id: comparison, column } };
        return fakeMessage({ ...base, ...own, text: `${modelName} says so.`, costUsd: '0.001', costSource: 'billed' });
      });
      const question = {
        id,
        conversationId,
        parentId,
        role: 'user',
        text,
        attachments,
        comparing: comparison,
      } as const;
      data.messages = [...data.messages, fakeMessage(question), ...answers];
      changed('messages', 'conversations');
      return { conversationId, userMessageId: id, answerIds: answers.map((answer) => answer.id) };
    }),
    choose: os.comparisons.choose.handler(async ({ input }) => {
      await guard('comparisons.choose');
      set(getQuestion(input.messageId).question?.id ?? '', null);
    }),
    open: os.comparisons.open.handler(async ({ input }) => {
      await guard('comparisons.open');
      const { answer, question } = getQuestion(input.messageId);
      set(question?.id ?? '', answer?.comparison?.id ?? null);
    }),
    quote: os.comparisons.quote.handler(async ({ input }) => {
      await guard('comparisons.quote');
      const columns = getModels(input.models).map((model) => ({ model, quote: composer.quote }));
      const { costUsd, caps } = composer.quote;
      const times = (usd: string) => formatUsd(nanoUsd(parseUsd(usd) * BigInt(columns.length)));
      return {
        columns,
        costUsd: null,
        expectedUsd: null,
        expectedTestCreditsUsd: null,
        testCreditsUsd: costUsd && { low: times(costUsd.low), high: times(costUsd.high) },
        unknown: costUsd ? 0 : columns.length,
        caps,
      };
    }),
  };
}
