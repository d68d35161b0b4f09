import { oc } from '@orpc/contract';
import { z } from 'zod';
import { modelId, usdLimit } from '../common/fields.ts';
import { chatKey } from './drafts.ts';

export const reasoningEffort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

/** Sampling parameters of the gateway's API. Null uses the provider's default. */
export const parameters = z.object({
  temperature: z.number().min(0).max(2).nullable(),
  topP: z.number().min(0).max(1).nullable(),
  maxTokens: z.int().min(1).max(10_000_000).nullable(),
  reasoningEffort: reasoningEffort.nullable(),
});

export const routerPolicy = z.enum(['balanced', 'cheapest', 'fastest', 'best']);

/** How the router chooses. Applies whenever a chat uses the router as its model. */
export const routerOptions = z.object({
  policy: routerPolicy,
  /** The most that one request may cost, including the longest possible answer. Null means no limit. */
  maxCostUsd: usdLimit,
});

export const noRouterOptions: RouterOptions = { policy: 'balanced', maxCostUsd: null };

/**
 * What happens when messages no longer fit into the context: `stop` refuses to send, `drop` leaves out the oldest,
 * `compact` replaces them by a summary.
 */
export const overflow = z.enum(['stop', 'drop', 'compact']);

export const chatOptions = z.object({
  system: z.string().max(200_000),
  parameters,
  overflow,
  /**
   * Automatically writes a summary, at its own cost, before a message that doesn't fit. If that fails, `overflow`
   * decides.
   */
  summarise: z.boolean().default(false),
  router: routerOptions.default(noRouterOptions),
  /** Models that the router never chooses in this chat. */
  ignore: z.array(modelId).max(100).default([]),
  /** Enabled tools are offered to models that support them. */
  tools: z.boolean().default(true),
  /** Models that can search the web may do so. */
  webSearch: z.boolean().default(false),
});

/** A chat's options, with the display names of the models in them. */
export const namedOptions = chatOptions.extend({ names: z.record(modelId, z.string()) });

export const optionsContract = {
  /** A chat without options of its own uses those of the preset for new chats, if there is one. */
  get: oc.input(z.object({ chat: chatKey })).output(namedOptions),
  set: oc.input(z.object({ chat: chatKey, options: chatOptions })).output(z.void()),
};

export const noParameters: Parameters = { temperature: null, topP: null, maxTokens: null, reasoningEffort: null };
export const noOptions: ChatOptions = {
  system: '',
  parameters: noParameters,
  router: noRouterOptions,
  overflow: 'stop',
  summarise: false,
  ignore: [],
  tools: true,
  webSearch: false,
};

export type Parameters = z.infer<typeof parameters>;
export type RouterOptions = z.infer<typeof routerOptions>;
export type ChatOptions = z.infer<typeof chatOptions>;
export type NamedOptions = z.infer<typeof namedOptions>;
