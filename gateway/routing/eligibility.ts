import { ceilToNano, type NanoUsd } from '#shared/money.ts';
import type { RouteControls } from '#shared/wire/chat-request.ts';
import type { Plan } from '../auth/principal.ts';
import { highestCost } from '../billing/highest-cost.ts';
import type { Capability, CatalogueModel } from '../catalogue/catalogue.ts';
import { apiOf, unknownToResponses } from '../fitting/fit-api.ts';
import type { Features } from './features.ts';
import { matchesGlob, planAllows } from './glob.ts';
import type { ModelHealth } from './health.ts';

/** A model with all that the router may know of it at this moment. */
export interface Candidate {
  readonly model: CatalogueModel;
  readonly hasCredential: boolean;
  readonly health: ModelHealth;
  /** Whether this conversation was last answered by it (§5.5). */
  readonly sticky: boolean;
}

export interface Rules {
  readonly controls: RouteControls;
  readonly plan: Plan;
  /** Only this provider's models, where the caller named one. */
  readonly provider: string | null;
  /** Most this request may cost, from `max_cost_usd`. */
  readonly maxCost: NanoUsd | null;
  /** Simulated models answer only where nothing real can, or where they are asked for by name. */
  readonly allowSimulated: boolean;
  /** The model that last answered this conversation goes first: it holds opaque state (§5.5). */
  readonly stickyFirst: boolean;
  /** Date of today, `YYYY-MM-DD`. */
  readonly today: string;
}

/** Every reason why a model may not serve a request, in the contract's words (§5.3.3). Empty: it may. */
export function exclusionsOf(candidate: Candidate, features: Features, rules: Rules): string[] {
  const { model, health } = candidate;
  return [
    ...(isShutDown(model, rules.today) ? ['disabled'] : []),
    ...(model.simulated && !rules.allowSimulated ? ['simulated'] : []),
    ...(candidate.hasCredential ? [] : ['no_credential']),
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
export function neededCapabilities(features: Features): Capability[] {
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
 * What a model can only do by halves: a named model does it as well as it can and says so, the router has others. Each counts as
 * a capability that the model lacks.
 */
function factExclusions({ facts }: CatalogueModel, features: Features): string[] {
  if (!facts || !features.tools) return [];
  const { forcedTool, jsonMode, jsonSchema } = features;
  const lacks: readonly (readonly [string, boolean])[] = [
    ['forced_tools', facts.forcedTools === 'never' && forcedTool],
    ['tools_with_format', !facts.formatWithTools && (jsonMode || jsonSchema)],
  ];
  return lacks.filter(([, lacking]) => lacking).map(([name]) => `capability:${name}`);
}

/** The caller's own hard conditions; they hold for a model that was named as well. */
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
  const api = apiOf(model, features.tools, features.reasoningEffort ?? undefined);
  const unknown = api === 'responses' ? unknownToResponses : [];
  return features.parameters
    .filter((name) => !universal.has(name) && (!model.supportedParameters.includes(name) || unknown.includes(name)))
    .map((name) => `parameter:${name}`);
}

function sizeExclusions(model: CatalogueModel, features: Features, rules: Rules): string[] {
  const cap = Math.min(model.maxOutputTokens ?? Infinity, rules.plan.maxOutputTokens ?? Infinity);
  const needed = features.inputTokens + (features.maxTokens ?? 0);
  return [
    ...(model.contextLength !== null && needed > model.contextLength ? ['context'] : []),
    ...((features.maxTokens ?? 0) > cap ? ['max_output'] : []),
  ];
}

/** `max_cost_usd` is hard: a model whose price is not known, or whose longest answer would exceed it, is out. */
function costExclusions(model: CatalogueModel, features: Features, maxCost: NanoUsd | null): string[] {
  if (maxCost === null) return [];
  const outputTokens = features.maxTokens ?? Math.min(4_096, model.maxOutputTokens ?? 4_096);
  const most = highestCost(model, { ...features, outputTokens });
  return most === null || ceilToNano(most) > maxCost ? ['max_cost'] : [];
}
