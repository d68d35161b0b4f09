import { ceilToNano, type NanoUsd } from '#shared/money.ts';
import type { ChatMessage, CompletionRequest, ContentPart, RouteControls } from '#shared/wire/chat-request.ts';
import type { Plan } from '../../access/auth/principal.ts';
import type { Capability, CatalogueModel } from '../../models/catalogue/catalogue.ts';
import {
  type ConversationShape,
  conversationShape,
  getPromptCache,
} from '../../providers/content/conversation-shape.ts';
import { estimateInputTokens } from '../../providers/content/estimate-tokens.ts';
import { type InputSize, maxInputTokens, measureInput } from '../../providers/content/input-size.ts';
import { highestCost } from '../billing/reserve.ts';
import { getApi, unknownToResponses } from '../fitting/fit-request.ts';
import type { ModelHealth } from './health.ts';
import { getOpening, matchesGlob, planAllows } from './resolve.ts';

/** A model with everything that the router knows of it at this moment. */
export interface Candidate {
  readonly model: CatalogueModel;
  readonly hasCredential: boolean;
  /** Its price is not known, and the gateway would have to pay for it. */
  readonly lacksPrice?: boolean;
  readonly health: ModelHealth;
  /** Whether this conversation was last answered by it (§5.5). */
  readonly sticky: boolean;
}

export interface Rules {
  readonly controls: RouteControls;
  readonly plan: Plan;
  /** The provider that the caller named: only its models are eligible. */
  readonly provider: string | null;
  /** The most that this request may cost, from `max_cost_usd`. */
  readonly maxCost: NanoUsd | null;
  /** Simulated models answer only when no real model can, or when they are named. */
  readonly allowSimulated: boolean;
  /** The model that last answered this conversation goes first: it holds opaque state (§5.5). */
  readonly stickyFirst: boolean;
  /** Date of today, `YYYY-MM-DD`. */
  readonly today: string;
}

/** Every reason why a model may not serve a request, by the contract's names (§5.3.3). Empty when it may. */
export function getExclusions(candidate: Candidate, features: Features, rules: Rules): string[] {
  const { model, health } = candidate;
  return [
    ...(isShutDown(model, rules.today) ? ['disabled'] : []),
    ...(model.simulated && !rules.allowSimulated ? ['simulated'] : []),
    ...(candidate.hasCredential ? [] : ['no_credential']),
    ...(candidate.lacksPrice ? ['price_unknown'] : []),
    ...(planAllows(rules.plan.models, model.id) ? [] : ['plan']),
    ...requestExclusions(model, rules),
    ...capabilityExclusions(model, features),
    ...factExclusions(model, features),
    ...sizeExclusions(model, features, rules),
    ...conditionExclusions(model, features, rules),
    ...(health.circuit === 'open' ? ['circuit_open'] : []),
    ...(health.coolingDown ? ['cooling_down'] : []),
  ];
}

const isShutDown = (model: CatalogueModel, today: string) => model.shutdownDate !== null && model.shutdownDate <= today;

function requestExclusions(model: CatalogueModel, { controls, provider }: Rules): string[] {
  const named = (patterns: readonly string[]) =>
    patterns.some(
      (pattern) => pattern === model.provider || matchesGlob(pattern, model.id) || matchesGlob(pattern, model.model),
    );
  const outside = (provider !== null && provider !== model.provider) || (controls.only && !named(controls.only));
  return [
    ...(outside ? ['request.only'] : []),
    ...(controls.ignore && named(controls.ignore) ? ['request.ignore'] : []),
  ];
}

/** What the request needs of a model, whatever its route. */
function neededCapabilities(features: Features): Capability[] {
  const needs: [Capability, boolean][] = [
    ['tools', features.tools],
    ['json_mode', features.jsonMode],
    ['json_schema', features.jsonSchema],
    ['vision', features.images],
    ['files', features.files],
    ['audio', features.audio],
  ];
  return needs.filter(([, needed]) => needed).map(([name]) => name);
}

function capabilityExclusions(model: CatalogueModel, features: Features): string[] {
  return neededCapabilities(features)
    .filter((name) => !model.capabilities.includes(name))
    .map((name) => `capability:${name}`);
}

/**
 * What a model can do only partly. A named model does it as well as it can, with a warning; the router has other models. Each such thing
 * counts as a capability that the model lacks.
 */
function factExclusions({ facts, capabilities }: CatalogueModel, features: Features): string[] {
  const drawsUnasked = capabilities.includes('image_output') && !features.imageOutput;
  if (drawsUnasked) return ['images_not_asked'];
  if (features.imageOutput && !capabilities.includes('image_output')) return ['capability:image_output'];
  if (features.webSearch && !capabilities.includes('web_search')) return ['capability:web_search'];
  if (!facts || !features.tools) return [];
  const { forcedTool, jsonMode, jsonSchema, webSearch } = features;
  const lacks: readonly (readonly [string, boolean])[] = [
    ['forced_tools', facts.forcedTools === 'never' && forcedTool],
    ['tools_with_format', !facts.formatWithTools && (jsonMode || jsonSchema)],
    ['tools_with_web_search', webSearch && facts.webSearch?.besideTools === false],
  ];
  return lacks.filter(([, lacking]) => lacking).map(([name]) => `capability:${name}`);
}

/** The caller's hard conditions. They apply to a named model as well. */
export function conditionExclusions(
  model: CatalogueModel,
  features: Features,
  { controls, maxCost }: Pick<Rules, 'controls' | 'maxCost'>,
): string[] {
  return [...parameterExclusions(model, features, controls), ...costExclusions(model, features, maxCost)];
}

/** Parameters that no list names because every model takes them. */
const universal = new Set(['user', 'max_tokens', 'tools', 'tool_choice', 'parallel_tool_calls', 'response_format']);

function parameterExclusions(model: CatalogueModel, features: Features, controls: RouteControls): string[] {
  if (!controls.require_parameters) return [];
  const api = getApi(model, features.tools || features.webSearch, features.reasoningEffort ?? undefined);
  const unknown = api === 'responses' ? unknownToResponses : [];
  return features.parameters
    .filter((name) => !universal.has(name) && (!model.supportedParameters.includes(name) || unknown.includes(name)))
    .map((name) => `parameter:${name}`);
}

function sizeExclusions(model: CatalogueModel, features: Features, rules: Rules): string[] {
  const cap = Math.min(model.maxOutputTokens ?? Infinity, rules.plan.maxOutputTokens ?? Infinity);
  const { inputTokens, maxTokens, mayLowerMaxTokens } = features;
  const needed = inputTokens + (mayLowerMaxTokens ? 0 : (maxTokens ?? 0));
  return [
    ...(model.contextLength !== null && needed > model.contextLength ? ['context'] : []),
    ...((maxTokens ?? 0) > cap && !mayLowerMaxTokens ? ['max_output'] : []),
  ];
}

/** `max_cost_usd` is a hard condition: it excludes a model whose price is not known, or whose input and smallest hold would exceed it. */
function costExclusions(model: CatalogueModel, features: Features, maxCost: NanoUsd | null): string[] {
  if (maxCost === null) return [];
  const outputTokens = Math.min(features.maxTokens ?? 4_096, model.maxOutputTokens ?? Number.POSITIVE_INFINITY);
  const inputTokens = maxInputTokens(features.inputSize, model);
  const most = highestCost(model, { ...features, inputTokens, outputTokens });
  return most === null || ceilToNano(most) > maxCost ? ['max_cost'] : [];
}

/** The facts of a conversation without its text. It is read once, on a worker thread when that takes long. */
export interface RoutingFacts {
  readonly features: Features;
  /** The properties of the conversation that models differ about. */
  readonly shape: ConversationShape;
  /** How the conversation begins, for `conversationKey`. */
  readonly opening: readonly string[];
  /** Whether it continues a conversation rather than starting one. */
  readonly hasHistory: boolean;
  /** Whether its last message is a tool's result. */
  readonly endsWithTool: boolean;
}

export const getRoutingFacts = (input: FeatureInput): RoutingFacts => ({
  features: getFeatures(input),
  shape: conversationShape(input.messages, input.parameters),
  opening: getOpening(input.messages),
  hasHistory: hasHistory(input.messages),
  endsWithTool: input.messages.at(-1)?.role === 'tool',
});

const hasHistory = (messages: readonly ChatMessage[]): boolean =>
  messages.some((message) => message.role === 'assistant' || message.role === 'tool');

export type Tier = 'simple' | 'standard' | 'complex';

/** What the router knows of a request: counts and flags, but never its meaning. No model is called to find them out (§5.3.1). */
export interface Features {
  /** The estimated number of input tokens. */
  readonly inputTokens: number;
  /** The largest size that the input can have. */
  readonly inputSize: InputSize;
  /** The limit that the request names, or null. */
  readonly maxTokens: number | null;
  /** Whether the limit may be lowered to what a model gives. Anthropic's clients must send one, and don't know every model's. */
  readonly mayLowerMaxTokens?: boolean;
  /** How long the answer will probably be: for price and time, not a limit. */
  readonly outputTokens: number;
  readonly tools: boolean;
  /** Whether the request forces a tool call. */
  readonly forcedTool: boolean;
  readonly jsonMode: boolean;
  readonly jsonSchema: boolean;
  readonly images: boolean;
  readonly files: boolean;
  readonly audio: boolean;
  /** Whether the model may search the web. */
  readonly webSearch: boolean;
  /** Whether the answer shall contain images. */
  readonly imageOutput: boolean;
  /** How long the parts that the request marks shall stay in the provider's prompt cache. Null when it marks nothing. */
  readonly promptCache: '5m' | '1h' | null;
  readonly turns: number;
  readonly codeOrMath: boolean;
  readonly reasoningEffort: CompletionRequest['reasoning_effort'] | null;
  /** Names of the optional parameters that were sent. */
  readonly parameters: readonly string[];
}

const expectedOutputTokens = 500;
const codeOrMathMarks = /```|\$\$|\\\(|\\\[|\\frac\b|\\sum\b/;

interface FeatureInput {
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number | null;
  readonly mayLowerMaxTokens?: boolean;
  readonly parameters: Partial<CompletionRequest>;
}

export const getFeatures = (input: FeatureInput): Features => new MeasuredFeatures(input);

class MeasuredFeatures implements Features {
  readonly inputTokens: number;
  readonly inputSize: InputSize;
  readonly maxTokens: number | null;
  readonly mayLowerMaxTokens: boolean;
  readonly outputTokens: number;
  readonly tools: boolean;
  readonly forcedTool: boolean;
  readonly jsonMode: boolean;
  readonly jsonSchema: boolean;
  readonly images: boolean;
  readonly files: boolean;
  readonly audio: boolean;
  readonly webSearch: boolean;
  readonly imageOutput: boolean;
  readonly promptCache: Features['promptCache'];
  readonly turns: number;
  readonly reasoningEffort: Features['reasoningEffort'];
  readonly parameters: readonly string[];
  readonly #messages: readonly ChatMessage[];

  constructor({ messages, maxTokens, mayLowerMaxTokens = false, parameters }: FeatureInput) {
    const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? [...content] : []));
    const has = (type: ContentPart['type']) => parts.some((part) => part.type === type);
    this.#messages = messages;
    this.inputTokens = estimateInputTokens(messages, parameters.tools);
    this.inputSize = measureInput({ messages, parameters });
    this.maxTokens = maxTokens;
    this.mayLowerMaxTokens = mayLowerMaxTokens;
    this.outputTokens = Math.min(maxTokens ?? expectedOutputTokens, expectedOutputTokens);
    this.tools = Boolean(parameters.tools?.length);
    this.forcedTool = parameters.tool_choice === 'required' || typeof parameters.tool_choice === 'object';
    this.jsonMode = parameters.response_format?.type === 'json_object';
    this.jsonSchema = parameters.response_format?.type === 'json_schema';
    this.images = has('image_url');
    this.files = has('file');
    this.audio = has('input_audio');
    this.webSearch = parameters.web_search_options !== undefined;
    this.imageOutput = parameters.modalities?.includes('image') ?? false;
    this.promptCache = getPromptCache(messages, parameters.tools);
    this.turns = messages.filter((message) => message.role === 'user').length;
    this.reasoningEffort = parameters.reasoning_effort ?? null;
    this.parameters = [
      ...Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [name])),
      ...(this.promptCache === null ? [] : ['cache_control']),
    ];
  }

  /** Only the router needs this, and searching a long prompt takes a while. */
  get codeOrMath(): boolean {
    return this.#messages.some((message) => texts(message).some((text) => codeOrMathMarks.test(text)));
  }
}

/** The same features as plain values, which can be sent from one thread to another. */
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
export function getComplexity(features: Features): { readonly score: number; readonly tier: Tier } {
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
