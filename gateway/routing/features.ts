import type { ChatMessage, CompletionRequest, ContentPart } from '#shared/wire/chat-request.ts';
import { promptCacheOf } from '../content/cache-marks.ts';
import { estimateInputTokens } from '../content/estimate-tokens.ts';

export type Tier = 'simple' | 'standard' | 'complex';

/** What the router knows of a request: counts and marks, never its meaning, and no model is asked (§5.3.1). */
export interface Features {
  readonly inputTokens: number;
  /** As asked for; null where nothing was said. */
  readonly maxTokens: number | null;
  /** What the answer is expected to need: for price and time, not a limit. */
  readonly outputTokens: number;
  readonly tools: boolean;
  /** It says that a tool must be called. */
  readonly forcedTool: boolean;
  readonly jsonMode: boolean;
  readonly jsonSchema: boolean;
  readonly images: boolean;
  readonly files: boolean;
  readonly audio: boolean;
  /** How long what the request marks is to stay in the provider's prompt cache; null where it marks nothing. */
  readonly promptCache: '5m' | '1h' | null;
  readonly turns: number;
  readonly codeOrMath: boolean;
  readonly reasoningEffort: CompletionRequest['reasoning_effort'] | null;
  /** Names of the optional parameters that were sent. */
  readonly parameters: readonly string[];
}

const expectedOutputTokens = 500;
const codeOrMathMarks = /```|\$\$|\\\(|\\\[|\\frac\b|\\sum\b/;

export interface FeatureInput {
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number | null;
  readonly parameters: Partial<CompletionRequest>;
}

export function featuresOf({ messages, maxTokens, parameters }: FeatureInput): Features {
  const parts = messages.flatMap((message) => (Array.isArray(message.content) ? [...message.content] : []));
  const has = (type: ContentPart['type']) => parts.some((part) => part.type === type);
  const promptCache = promptCacheOf(messages, parameters.tools);
  return {
    inputTokens: estimateInputTokens(messages, parameters.tools),
    maxTokens,
    outputTokens: Math.min(maxTokens ?? expectedOutputTokens, expectedOutputTokens),
    tools: Boolean(parameters.tools?.length),
    forcedTool: parameters.tool_choice === 'required' || typeof parameters.tool_choice === 'object',
    jsonMode: parameters.response_format?.type === 'json_object',
    jsonSchema: parameters.response_format?.type === 'json_schema',
    images: has('image_url'),
    files: has('file'),
    audio: has('input_audio'),
    promptCache,
    turns: messages.filter((message) => message.role === 'user').length,
    // Only the router asks, and a long prompt takes a while to search.
    get codeOrMath() {
      return messages.some((message) => texts(message).some((text) => codeOrMathMarks.test(text)));
    },
    reasoningEffort: parameters.reasoning_effort ?? null,
    parameters: [
      ...Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [name])),
      ...(promptCache === null ? [] : ['cache_control']),
    ],
  };
}

function texts({ content }: ChatMessage): string[] {
  if (typeof content === 'string') return [content];
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

/** Kinds of input beyond text that a model must take. */
export function neededModalities({ images, files, audio }: Features): string[] {
  return [...(images ? ['image'] : []), ...(files ? ['file'] : []), ...(audio ? ['audio'] : [])];
}

/** How demanding a request looks (§5.3.2). */
export function complexityOf(features: Features): { readonly score: number; readonly tier: Tier } {
  const marks = [
    features.inputTokens >= 200,
    features.inputTokens >= 2_000,
    features.inputTokens >= 20_000,
    features.codeOrMath,
    features.tools,
    features.jsonSchema,
    features.images || features.files || features.audio,
    features.turns >= 6,
  ];
  const score = marks.filter(Boolean).length + (effortIsHigh(features) ? 2 : 0);
  return { score, tier: score <= 1 ? 'simple' : score <= 3 ? 'standard' : 'complex' };
}

const highEfforts = new Set<Features['reasoningEffort']>(['high', 'xhigh', 'max']);
const effortIsHigh = ({ reasoningEffort }: Features) => highEfforts.has(reasoningEffort);
