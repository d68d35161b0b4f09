import { createHash } from 'node:crypto';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { CatalogueModel } from '../catalogue/catalogue.ts';
import { type ConversationShape, lostThinking } from '../content/conversation-shape.ts';
import type { LongChanges } from '../providers/changed-request.ts';
import type { ProviderRequest } from '../providers/provider.ts';
import { type Api, apiOf, fitToResponses } from './fit-api.ts';
import { fitEffort, mayThink } from './fit-effort.ts';
import { fitLongParts, isForced } from './fit-long-parts.ts';
import { clamped, dropped } from './fit-warnings.ts';

type Parameters = ProviderRequest['parameters'];

/** A request as far as models differ about it. */
export interface FitInput {
  readonly parameters: Parameters;
  readonly openaiOnly: Readonly<Record<string, unknown>>;
  readonly shape: ConversationShape;
  /** It marks something for a prompt cache. */
  readonly marksCache: boolean;
  /** The longest answer that will be asked for; null where the provider decides. */
  readonly maxTokens: number | null;
}

export interface Fitted {
  readonly parameters: Parameters;
  readonly openaiOnly: Readonly<Record<string, unknown>>;
  readonly changes: LongChanges | null;
  /** By which of its vendor's APIs the model is asked. */
  readonly api: Api;
  /** The longest answer that is asked for; null where the provider decides. */
  readonly maxTokens: number | null;
  /** The model may think before it says anything. */
  readonly thinks: boolean;
  readonly warnings: readonly Warning[];
}

/**
 * Makes a request one that its model takes, by the model's facts: drops what it does not know, clamps what it takes less of, and
 * asks for the nearest where it lacks something. Whatever is changed is a warning (wire contract §1.0, §1.1).
 */
export function fitRequest(input: FitInput, model: CatalogueModel): Fitted {
  const warnings: Warning[] = [];
  const thinking = fitThinking(
    input,
    model,
    fitSampling(supportedParameters(input, model, warnings), model, warnings),
    warnings,
  );
  const api = apiOf(model, thinking.tools !== undefined, thinking.reasoning_effort);
  const openaiOnly = fitOpenAiFields(input.openaiOnly, model, isThinking(thinking), warnings);
  const { parameters: supported, ...fitted } =
    api === 'responses'
      ? fitToResponses({ parameters: thinking, openaiOnly, maxTokens: input.maxTokens }, model, warnings)
      : { parameters: thinking, openaiOnly, maxTokens: input.maxTokens };
  if (input.marksCache && !model.supportedParameters.includes('cache_control')) {
    warnings.push(dropped('cache_control', model));
  }
  const changes = fitLongParts({ model, facts: model.facts, shape: input.shape, parameters: supported }, warnings);
  return {
    parameters: withHashedUser(withPossibleChoice(supported, model)),
    ...fitted,
    changes,
    api,
    thinks: mayThink(model, supported.reasoning_effort),
    warnings,
  };
}

/** Parameters that adapters handle for every model, whatever its record lists. */
const always = new Set(['user', 'response_format', 'parallel_tool_calls', 'tool_choice']);
/** Of a model whose facts are known its list is whole, but for the format, which is asked for in words if need be. */
const alwaysKnown = new Set(['response_format', 'tool_choice']);

function supportedParameters({ parameters }: FitInput, model: CatalogueModel, warnings: Warning[]): Parameters {
  const handled = model.facts ? alwaysKnown : always;
  const { tools } = parameters;
  const hasTools = tools !== undefined && tools.length > 0;
  const kept = Object.entries(parameters).filter(([name, value]) => {
    if (value === undefined || (!hasTools && ofTools.has(name))) return false;
    const supported = handled.has(name) || model.supportedParameters.includes(name);
    if (!supported) warnings.push(dropped(name, model));
    return supported;
  });
  const supported: Parameters = Object.fromEntries(kept);
  if (supported.tools) return supported;
  const { tool_choice: _choice, parallel_tool_calls: _parallel, ...withoutToolFields } = supported;
  return withoutToolFields;
}

const ofTools = new Set(['tools', 'tool_choice', 'parallel_tool_calls']);

function fitSampling(given: Parameters, model: CatalogueModel, warnings: Warning[]): Parameters {
  const beyond = Math.abs(given.seed ?? 0) > (model.facts?.largestSeed ?? Number.POSITIVE_INFINITY);
  const parameters = beyond ? without(given, ['seed'], model, warnings) : given;
  const most = model.facts?.maxTemperature ?? (model.provider === 'anthropic' ? 1 : 2);
  const fitting = { ...parameters };
  if ((fitting.temperature ?? 0) > most) {
    warnings.push(clamped(model, most));
    fitting.temperature = most;
  }
  const [one, other] = model.facts?.notTogether ?? [];
  if (one && other && one in fitting && other in fitting) return without(fitting, [other], model, warnings);
  return fitting;
}

/** The effort, and what is refused beside it. */
function fitThinking(
  { shape, maxTokens }: FitInput,
  model: CatalogueModel,
  parameters: Parameters,
  warnings: Warning[],
): Parameters {
  const { facts } = model;
  if (!facts) return parameters;
  const { reasoning_effort: asked, ...rest } = parameters;
  const forcesTool = isForced(rest.tool_choice);
  const lost = lostThinking(shape, model.model);
  const effort = fitEffort({ model, facts, asked, forcesTool, lostThinking: lost, maxTokens }, warnings);
  if (effort === undefined) return rest;
  const thinks = effort !== 'none';
  const kept = thinks && !facts.samplesWhileThinking ? without(rest, facts.sampling, model, warnings) : rest;
  return { ...kept, reasoning_effort: effort };
}

function without(
  parameters: Parameters,
  names: readonly string[],
  model: CatalogueModel,
  warnings: Warning[],
): Parameters {
  const gone = names.filter((name) => name in parameters);
  if (gone.length === 0) return parameters;
  warnings.push(...gone.map((name) => dropped(name, model)));
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !gone.includes(name)));
}

function withPossibleChoice(parameters: Parameters, { facts }: CatalogueModel): Parameters {
  if (facts?.forcedTools !== 'never' || !isForced(parameters.tool_choice)) return parameters;
  return { ...parameters, tool_choice: 'auto' };
}

function fitOpenAiFields(
  given: FitInput['openaiOnly'],
  { provider, facts, id }: CatalogueModel,
  thinks: boolean,
  warnings: Warning[],
): FitInput['openaiOnly'] {
  const ours = provider === 'openai' || facts?.id.startsWith('openai/') === true;
  const unsampled = thinks && facts?.samplesWhileThinking === false;
  const refused = Object.keys(given).filter(
    (name) => !ours || facts?.refusedFields.includes(name) || (unsampled && ofSampling.has(name)),
  );
  if (refused.length === 0) return given;
  warnings.push(...refused.map((name) => dropped(name, { id })));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !refused.includes(name)));
}

const ofSampling = new Set(['logprobs', 'top_logprobs']);
const isThinking = ({ reasoning_effort: effort }: Parameters) => effort !== undefined && effort !== 'none';

/** Providers get a name for the end user that is always the same and says nothing (wire contract §1.1). */
function withHashedUser(parameters: Parameters): Parameters {
  if (parameters.user === undefined) return parameters;
  return { ...parameters, user: createHash('sha256').update(parameters.user).digest('hex').slice(0, 32) };
}
