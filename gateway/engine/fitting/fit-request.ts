import type { Warning } from '#shared/wire/chat-response.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { type Effort, effortOrder, type ModelFacts } from '../../models/catalogue/model-facts.ts';
import { hasTierPrice } from '../../models/catalogue/service-tiers.ts';
import type { LongChanges } from '../../providers/changed-request.ts';
import { ownToolsField } from '../../providers/content/client-tools.ts';
import { type ConversationShape, lostThinking } from '../../providers/content/conversation-shape.ts';
import { hashed, withHashedNames } from '../../providers/content/passed-fields.ts';
import type { ProviderRequest } from '../../providers/provider.ts';
import { fitLongParts, isForced } from './fit-long-parts.ts';
import { changed, clamped, dropped, grammarsInWords } from './fit-warnings.ts';

type Parameters = ProviderRequest['parameters'];

/** A request as far as models differ about it. */
interface FitInput {
  readonly parameters: Parameters;
  readonly openaiOnly: Readonly<Record<string, unknown>>;
  readonly shape: ConversationShape;
  /** It marks something for a prompt cache. */
  readonly marksCache: boolean;
  /** The longest answer that will be asked for; null where the provider decides. */
  readonly maxTokens: number | null;
  /** Some of its tools want a text by a grammar. */
  readonly hasGrammars?: boolean;
  readonly accountId: string;
  /** Asked with the caller's own key: what it names at the provider is its own. */
  readonly isOwnKey: boolean;
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
  const hasTools = thinking.tools !== undefined || thinking.web_search_options !== undefined;
  const api = getApi(model, hasTools, thinking.reasoning_effort);
  const fields = api === 'responses' ? input.openaiOnly : withoutOwnTools(input.openaiOnly);
  if (input.hasGrammars && !(ownToolsField in fields)) warnings.push(grammarsInWords);
  const taken = fitOpenAiFields(fields, model, isThinking(thinking), warnings);
  const openaiOnly = input.isOwnKey ? taken : withHashedNames(taken, input.accountId);
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
  const supported: Parameters = withoutSearch(Object.fromEntries(kept), model, warnings);
  if (supported.tools) return supported;
  const { tool_choice: _choice, parallel_tool_calls: _parallel, ...withoutToolFields } = supported;
  return withoutToolFields;
}

/** Of the two, the caller's own functions: an answer may rest on them. */
function withoutSearch(parameters: Parameters, model: CatalogueModel, warnings: Warning[]): Parameters {
  if (!parameters.tools || !parameters.web_search_options || model.facts?.webSearch?.besideTools !== false)
    return parameters;
  return without(parameters, ['web_search_options'], model, warnings);
}

const ofTools = new Set(['tools', 'tool_choice', 'parallel_tool_calls']);

function fitSampling(given: Parameters, model: CatalogueModel, warnings: Warning[]): Parameters {
  const beyond = Math.abs(given.seed ?? 0) > (model.facts?.maxSeed ?? Number.POSITIVE_INFINITY);
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
  model: CatalogueModel,
  thinks: boolean,
  warnings: Warning[],
): FitInput['openaiOnly'] {
  const { provider, facts, id } = model;
  const ours = provider === 'openai' || facts?.id.startsWith('openai/') === true;
  const unsampled = thinks && facts?.samplesWhileThinking === false;
  const refused = Object.keys(given).filter(
    (name) =>
      !ours ||
      facts?.refusedFields.includes(name) ||
      (unsampled && ofSampling.has(name)) ||
      (name === 'service_tier' && !hasTierPrice(model, String(given[name]))),
  );
  if (refused.length === 0) return given;
  warnings.push(...refused.map((name) => dropped(name, { id })));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !refused.includes(name)));
}

/** Every other API is asked with the functions that the tools became. */
function withoutOwnTools({ [ownToolsField]: _, ...fields }: FitInput['openaiOnly']): FitInput['openaiOnly'] {
  return fields;
}

const ofSampling = new Set(['logprobs', 'top_logprobs']);
const isThinking = ({ reasoning_effort: effort }: Parameters) => effort !== undefined && effort !== 'none';

/** Providers get a name for the end user that is always the same and says nothing (wire contract §1.1). */
function withHashedUser(parameters: Parameters): Parameters {
  if (parameters.user === undefined) return parameters;
  return { ...parameters, user: hashed(parameters.user) };
}

/** By which of its vendor's APIs a model is asked. */
export type Api = NonNullable<ProviderRequest['api']>;

/**
 * The one place that decides it: OpenAI's Responses API for what its model takes only there. What is asked without tools and
 * without an effort stays where it can be sampled, and where other servers in OpenAI's place answer it too.
 */
export function getApi({ facts }: Pick<CatalogueModel, 'facts'>, hasTools: boolean, effort: Effort | undefined): Api {
  const thinks = effort !== undefined && effort !== 'none';
  return facts?.responses && (hasTools || thinks) ? 'responses' : 'chat_completions';
}

/**
 * What the Responses API has no word for (nor for `stop` and the penalties, which none of these models takes anywhere), read in its
 * reference at https://developers.openai.com/api/reference/resources/responses on 2026-11-22; and probabilities, which it tells
 * in another form, and only of models that do not think.
 */
export const unknownToResponses: readonly string[] = ['seed', 'logprobs', 'top_logprobs', 'logit_bias', 'prediction'];
/** It refuses a smaller `max_output_tokens` (https://github.com/earendil-works/pi/issues/6265, read 2026-11-22). */
const minTokens = 16;

interface Asked {
  readonly parameters: Parameters;
  readonly openaiOnly: Readonly<Record<string, unknown>>;
  readonly maxTokens: number | null;
}

/** A request as the Responses API takes it. */
function fitToResponses(
  { parameters, openaiOnly, maxTokens }: Asked,
  model: CatalogueModel,
  warnings: Warning[],
): Asked {
  const known = <Fields extends object>(fields: Fields): Fields => {
    const gone = Object.keys(fields).filter((name) => unknownToResponses.includes(name));
    warnings.push(...gone.map((name) => dropped(name, model)));
    return Object.fromEntries(Object.entries(fields).filter(([name]) => !gone.includes(name))) as Fields;
  };
  const tooFew = maxTokens !== null && maxTokens < minTokens;
  if (tooFew) {
    const why = `${model.id} answers with ${minTokens} tokens at least beside tools or thinking; that was asked for`;
    warnings.push(changed('max_tokens_raised', 'max_tokens', why));
  }
  return {
    parameters: known(parameters),
    openaiOnly: known(openaiOnly),
    maxTokens: tooFew ? minTokens : maxTokens,
  };
}

interface EffortInput {
  readonly model: CatalogueModel;
  readonly facts: ModelFacts;
  readonly asked: Effort | undefined;
  readonly forcesTool: boolean;
  readonly lostThinking: boolean;
  /** The longest answer that will be asked for; null where the provider decides. */
  readonly maxTokens: number | null;
}

/** How much the model is asked to think: what it takes, as near as can be to what was asked for. `undefined`: nothing is said. */
function fitEffort(input: EffortInput, warnings: Warning[]): Effort | undefined {
  const { asked, facts, model } = input;
  const nearest = asked && nearestEffort(asked, facts.efforts);
  if (asked && nearest && nearest !== asked) {
    warnings.push(adjusted(`${model.id} has no effort "${asked}"; the nearest, "${nearest}", was used`));
  }
  const effort = nearest ?? undefined;
  const thinks = effort !== undefined && effort !== 'none';
  const why = thinks ? whyNot(input) : null;
  if (why !== null) warnings.push(adjusted(`${model.id} cannot think here: ${why}. Thinking was left out`));
  return why === null ? effort : undefined;
}

/** Why the model cannot think in this request although it could in others. */
function whyNot({ facts, forcesTool, lostThinking, maxTokens }: EffortInput): string | null {
  if (facts.thinking.by !== 'budget_tokens') return null;
  if (forcesTool && facts.forcedTools === 'without_thinking') return 'it cannot be made to call a tool while it thinks';
  if (lostThinking) return 'the signed thinking before its last tool calls did not come back with them';
  if (maxTokens !== null && maxTokens <= facts.thinking.min) {
    return `it wants more than ${facts.thinking.min} tokens for that, and the answer may have ${maxTokens}`;
  }
  return null;
}

/** Whether the model thinks in this request, or may: then it may be silent for minutes. Of an unknown model: where it is asked to. */
function mayThink({ facts }: Pick<CatalogueModel, 'facts'>, effort: Effort | undefined): boolean {
  if (effort !== undefined) return effort !== 'none';
  switch (facts?.thinking.by) {
    case 'effort':
    case 'adaptive':
      return facts.thinking.byDefault;
    case 'thinking_budget':
    case 'level':
      return true;
    default:
      return false;
  }
}

const adjusted = (why: string) => changed('effort_adjusted', 'reasoning_effort', why);

/**
 * The effort of these that is nearest to the one asked for, of two the lower one; null where there are none. Who asks for some
 * thinking is given some, and who asks for none the least there is.
 */
export function nearestEffort(asked: Effort, efforts: readonly Effort[]): Effort | null {
  if (efforts.includes(asked)) return asked;
  const some = asked === 'none' ? efforts : efforts.filter((effort) => effort !== 'none');
  const distance = (effort: Effort) => Math.abs(effortOrder.indexOf(effort) - effortOrder.indexOf(asked));
  return some.reduce<Effort | null>(
    (nearest, effort) => (nearest === null || distance(effort) < distance(nearest) ? effort : nearest),
    null,
  );
}
