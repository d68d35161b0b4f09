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

export const featuresOf = (input: FeatureInput): Features => new MeasuredFeatures(input);

class MeasuredFeatures implements Features {
  readonly inputTokens: number;
  readonly maxTokens: number | null;
  readonly outputTokens: number;
  readonly tools: boolean;
  readonly forcedTool: boolean;
  readonly jsonMode: boolean;
  readonly jsonSchema: boolean;
  readonly images: boolean;
  readonly files: boolean;
  readonly audio: boolean;
  readonly promptCache: Features['promptCache'];
  readonly turns: number;
  readonly reasoningEffort: Features['reasoningEffort'];
  readonly parameters: readonly string[];
  readonly #messages: readonly ChatMessage[];

  constructor({ messages, maxTokens, parameters }: FeatureInput) {
    const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? [...content] : []));
    const has = (type: ContentPart['type']) => parts.some((part) => part.type === type);
    this.#messages = messages;
    this.inputTokens = estimateInputTokens(messages, parameters.tools);
    this.maxTokens = maxTokens;
    this.outputTokens = Math.min(maxTokens ?? expectedOutputTokens, expectedOutputTokens);
    this.tools = Boolean(parameters.tools?.length);
    this.forcedTool = parameters.tool_choice === 'required' || typeof parameters.tool_choice === 'object';
    this.jsonMode = parameters.response_format?.type === 'json_object';
    this.jsonSchema = parameters.response_format?.type === 'json_schema';
    this.images = has('image_url');
    this.files = has('file');
    this.audio = has('input_audio');
    this.promptCache = promptCacheOf(messages, parameters.tools);
    this.turns = messages.filter((message) => message.role === 'user').length;
    this.reasoningEffort = parameters.reasoning_effort ?? null;
    this.parameters = [
      ...Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [name])),
      ...(this.promptCache === null ? [] : ['cache_control']),
    ];
  }

  /** Only the router asks, and a long prompt takes a while to search. */
  get codeOrMath(): boolean {
    return this.#messages.some((message) => texts(message).some((text) => codeOrMathMarks.test(text)));
  }
}

/** The same as plain values, which threads can hand to each other. */
export const plainFeatures = (features: Features): Features => ({ ...features, codeOrMath: features.codeOrMath });

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
