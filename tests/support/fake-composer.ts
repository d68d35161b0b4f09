import { implement } from '@orpc/server';
import type { Caps, OutsideLimit } from '#shared/contract/chat/caps.ts';
import { parseUsd } from '#shared/money.ts';
import { getMeters } from '../../electron/core/billing/caps/caps-feature.ts';

const spentUsd = { day: '0.12', month: '3.4' };

import type { Summary } from '#shared/contract/chat/context.ts';
import type { Draft } from '#shared/contract/chat/drafts.ts';
import { type ChatOptions, noOptions } from '#shared/contract/chat/options.ts';
import type { Preset } from '#shared/contract/chat/presets.ts';
import type { Prompt } from '#shared/contract/chat/prompts.ts';
import type { QueuedMessage } from '#shared/contract/chat/queue.ts';
import type { Quote } from '#shared/contract/chat/quotes.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { contract } from '#shared/contract/index.ts';

/** The cost of every fake conversation. */
export const fakeTotal = {
  usd: '0.0316',
  testCreditsUsd: '0',
  requests: 2,
  testRequests: 0,
  unknown: 0,
  notBilled: 0,
  auxiliary: [],
};

/** The fake core's composer state: plain values that a test may set and read. */
export interface FakeComposer {
  drafts: Map<string, Draft>;
  options: Map<string, ChatOptions>;
  queue: QueuedMessage[];
  prompts: Prompt[];
  presets: Preset[];
  caps: Caps;
  setOutside: OutsideLimit[] | null;
  summary: Summary | null;
  quote: Quote;
  files: Map<string, Buffer64>;
}

/** A file's bytes as they were uploaded, in base64 pieces. */
type Buffer64 = { name: string; pieces: string[]; bytes: number };

export const fakeQuote: Quote = {
  source: 'gateway',
  modelName: 'Sandbox Tour',
  simulated: true,
  byok: false,
  promptTokens: { low: 620, estimate: 1240, high: 1240 },
  searches: 0,
  cachedTokens: 800,
  completionTokens: { low: 0, high: 4096 },
  costUsd: { low: '0.0012', high: '0.0048' },
  parts: [
    { kind: 'input', tokens: 1240, usd: '0.0008' },
    { kind: 'output', tokens: 4096, usd: '0.004' },
  ],
  expected: { usd: '0.0015123', completionTokens: 278, answers: { here: 3, elsewhere: 12 }, near: 9 },
  openEnded: true,
  pricesAsOf: '2026-11-20',
  pricesEntered: false,
  obstacles: [],
  caps: [],
  context: {
    limitTokens: 128_000,
    usedTokens: 1240,
    reservedTokens: 4096,
    maxMessages: null,
    notSentIds: [],
    overflows: false,
  },
  affordableTokens: null,
  leftOutFiles: [],
};

export const fakeComposer = (): FakeComposer => ({
  drafts: new Map(),
  options: new Map(),
  queue: [],
  prompts: [
    { id: 'p1', name: 'Translate', text: 'Translate into {{language}}:\n\n{{text}}' },
    { id: 'p2', name: 'Tidy up', text: 'Make this shorter and clearer.' },
  ],
  presets: [],
  caps: { message: null, conversation: null, day: null, month: null, models: {} },
  setOutside: [],
  summary: null,
  quote: fakeQuote,
  files: new Map(),
});

interface Around {
  readonly guard: (method: string) => Promise<void>;
  readonly changed: (...topics: ('queue' | 'options' | 'prompts' | 'presets' | 'caps' | 'context')[]) => void;
}

/** The composer's part of the contract, in memory. */
export function fakeComposerRouter(data: FakeComposer, { guard, changed }: Around) {
  const os = implement(contract);
  const uploads = new Map<string, Buffer64>();
  const emptyDraft: Draft = { text: '', attachments: [], model: null, compare: [] };
  const replace = <Item extends { id: string }>(list: Item[], item: Item) => [
    ...list.filter((entry) => entry.id !== item.id),
    item,
  ];
  return {
    attachments: {
      upload: os.attachments.upload.handler(async ({ input }) => {
        await guard('attachments.upload');
        const upload = uploads.get(input.uploadId) ?? { name: input.name, pieces: [], bytes: input.totalBytes };
        upload.pieces.push(input.data);
        uploads.set(input.uploadId, upload);
        const length = upload.pieces.reduce((sum, piece) => sum + atob(piece).length, 0);
        if (length < input.totalBytes) return { attachment: null };
        // A file with known content gets the existing id, as in the core.
        const known = [...data.files.values()].findIndex(({ pieces }) => pieces.join() === upload.pieces.join());
        const serial = known < 0 ? data.files.size : known;
        const attachment = fakeAttachment({ name: input.name, bytes: input.totalBytes }, serial);
        data.files.set(attachment.id, upload);
        return { attachment };
      }),
      read: os.attachments.read.handler(async ({ input }) => {
        await guard('attachments.read');
        const file = data.files.get(input.id);
        return { data: file?.pieces.join('') ?? '', totalBytes: file?.bytes ?? 0 };
      }),
    },
    caps: {
      get: os.caps.get.handler(async () => {
        await guard('caps.get');
        const limits = (['day', 'month'] as const).flatMap((period) => {
          const cap = data.caps[period];
          const counted = { scope: 'account', period, id: null, used: parseUsd(spentUsd[period]), held: 0n } as const;
          return cap === null ? [] : { ...counted, limit: parseUsd(cap) };
        });
        return {
          caps: data.caps,
          meters: getMeters(limits),
          spentUsd,
          unknown: { day: 0, month: 2 },
          counts: 'account' as const,
          setOutside: data.setOutside,
        };
      }),
      set: os.caps.set.handler(async ({ input }) => {
        await guard('caps.set');
        data.caps = input;
        changed('caps');
      }),
      takeOver: os.caps.takeOver.handler(async () => {
        await guard('caps.takeOver');
        data.setOutside = [];
        changed('caps');
      }),
    },
    context: {
      summary: os.context.summary.handler(async () => data.summary),
      quoteCompact: os.context.quoteCompact.handler(async () => ({
        messages: 4,
        costUsd: { low: '0.001', high: '0.004' },
        simulated: false,
      })),
      compact: os.context.compact.handler(async ({ input }) => {
        await guard('context.compact');
        data.summary = {
          id: 's1',
          throughId: 'm1',
          messages: 4,
          text: 'They spoke of columns.',
          model: input.model,
          costUsd: '0.002',
          costSource: 'billed',
          simulated: false,
          bill: null,
          createdAt: Date.now(),
        };
        changed('context');
        return data.summary;
      }),
      removeSummary: os.context.removeSummary.handler(async () => {
        data.summary = null;
        changed('context');
      }),
    },
    drafts: {
      get: os.drafts.get.handler(async ({ input }) => {
        await guard('drafts.get');
        const stored = data.drafts.get(input.chat);
        return Object.assign({ savedAt: stored ? 1 : null }, stored ?? emptyDraft);
      }),
      put: os.drafts.put.handler(async ({ input }) => {
        await guard('drafts.put');
        data.drafts.set(input.chat, input.draft);
        return { savedAt: 1, other: null };
      }),
    },
    options: {
      get: os.options.get.handler(async ({ input }) => {
        await guard('options.get');
        return { names: {}, ...(data.options.get(input.chat) ?? noOptions) };
      }),
      set: os.options.set.handler(async ({ input }) => {
        await guard('options.set');
        data.options.set(input.chat, input.options);
        changed('options');
      }),
    },
    presets: {
      list: os.presets.list.handler(async () => {
        await guard('presets.list');
        return data.presets.map((preset) => ({ ...preset, modelName: preset.model }));
      }),
      save: os.presets.save.handler(async ({ input }) => {
        await guard('presets.save');
        data.presets = replace(data.presets, input);
        changed('presets', 'options');
        return input;
      }),
      remove: os.presets.remove.handler(async ({ input }) => {
        data.presets = data.presets.filter((entry) => entry.id !== input.id);
        changed('presets');
      }),
      export: os.presets.export.handler(async () => ({
        format: 'portico-presets' as const,
        version: 1 as const,
        presets: data.presets.map(({ id: _id, forNewChats: _flag, ...fields }) => fields),
      })),
      import: os.presets.import.handler(async ({ input }) => ({ added: input.file.presets.length, skipped: 0 })),
    },
    prompts: {
      list: os.prompts.list.handler(async () => {
        await guard('prompts.list');
        return data.prompts;
      }),
      save: os.prompts.save.handler(async ({ input }) => {
        await guard('prompts.save');
        data.prompts = replace(data.prompts, input);
        changed('prompts');
        return input;
      }),
      remove: os.prompts.remove.handler(async ({ input }) => {
        data.prompts = data.prompts.filter((entry) => entry.id !== input.id);
        changed('prompts');
      }),
      export: os.prompts.export.handler(async () => ({
        format: 'portico-prompts' as const,
        version: 1 as const,
        prompts: data.prompts.map(({ name, text }) => ({ name, text })),
      })),
      import: os.prompts.import.handler(async ({ input }) => ({ added: input.file.prompts.length, skipped: 0 })),
    },
    queue: {
      list: os.queue.list.handler(async ({ input }) => {
        await guard('queue.list');
        return data.queue.filter((entry) => entry.conversationId === input.conversationId);
      }),
      add: os.queue.add.handler(async ({ input }) => {
        await guard('queue.add');
        data.queue = [...data.queue, { ...input, problem: null }];
        changed('queue');
      }),
      change: os.queue.change.handler(async ({ input }) => {
        data.queue = data.queue.map((entry) => (entry.id === input.id ? { ...entry, text: input.text } : entry));
        changed('queue');
      }),
      remove: os.queue.remove.handler(async ({ input }) => {
        data.queue = data.queue.filter((entry) => entry.id !== input.id);
        changed('queue');
      }),
      resume: os.queue.resume.handler(async () => {
        await guard('queue.resume');
      }),
    },
    quotes: {
      route: os.quotes.route.handler(async () => {
        await guard('quotes.route');
        return { known: false } as const;
      }),
      others: os.quotes.others.handler(async () => {
        await guard('quotes.others');
        return [];
      }),
      get: os.quotes.get.handler(async () => {
        await guard('quotes.get');
        return data.quote;
      }),
    },
  };
}

/** Makes an attachment whose kind follows from its file name: the fake doesn't read the content. */
export const fakeAttachment = ({ name, bytes }: { name: string; bytes: number }, serial = 0): Attachment => {
  const kind = /\.(png|jpe?g|gif|webp)$/i.test(name) ? 'image' : /\.pdf$/i.test(name) ? 'pdf' : 'text';
  const mediaType = { image: 'image/png', pdf: 'application/pdf', text: 'text/plain' }[kind];
  return { id: serial.toString(16).padStart(64, 'a'), name, kind, mediaType, bytes, tokens: 1000 };
};
