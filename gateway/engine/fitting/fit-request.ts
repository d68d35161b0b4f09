import type { Warning } from '#shared/wire/chat-response.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { type Effort, effortOrder, type ModelFacts } from '../../models/catalogue/model-facts.ts';
import { hasTierPrice } from '../../models/catalogue/service-tiers.ts';
import type { CallState, LongChanges } from '../../providers/changed-request.ts';
import { ownToolsField } from '../../providers/content/client-tools.ts';
import { type ConversationShape, lostThinking } from '../../providers/content/conversation-shape.ts';
import { hashed, withHashedNames } from '../../providers/content/passed-fields.ts';
import type { TurnRepair } from '../../providers/content/repaired-turns.ts';
import { replacedNames } from '../../providers/content/tool-names.ts';
import type { ProviderRequest } from '../../providers/provider.ts';
import type { Target } from '../admit.ts';
import type { ChatRequest } from '../answer.ts';
import type { Features } from '../routing/eligibility.ts';
import { changed, clamped, dropped, grammarsInWords, lowered } from './fit-warnings.ts';

type Parameters = ProviderRequest['parameters'];

/** The part of a request that models differ about. */
interface FitInput {
  readonly parameters: Parameters;
  readonly openaiOnly: Readonly<Record<string, unknown>>;
  readonly shape: ConversationShape;
  /** Whether it marks something for a prompt cache. */
  readonly marksCache: boolean;
  /** The longest answer that will be asked for. Null when the provider decides. */
  readonly maxTokens: number | null;
  /** Whether some of its tools want a text that follows a grammar. */
  readonly hasGrammars?: boolean;
  readonly accountId: string;
  /** With the caller's own key, names of things stored at the provider are the caller's. */
  readonly isOwnKey: boolean;
}

export interface Fitted {
  readonly parameters: Parameters;
  readonly openaiOnly: Readonly<Record<string, unknown>>;
  readonly changes: LongChanges | null;
  /** The vendor's API that the request is sent to. */
  readonly api: Api;
  /** The longest answer that is asked for. Null when the provider decides. */
  readonly maxTokens: number | null;
  /** Whether the model may think before it answers. */
  readonly thinks: boolean;
  readonly warnings: readonly Warning[];
}

/**
 * Makes a request acceptable for its model by the model's facts: drops what the model does not know, clamps what is too large, and asks for
 * the nearest alternative when something is missing. Every change is a warning (wire contract §1.0, §1.1).
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
/** The list of parameters is complete for a model with known facts, except for the format, which can be asked for in words. */
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

/** Keeps the caller's own functions rather than web search: an answer may depend on them. */
function withoutSearch(parameters: Parameters, model: CatalogueModel, warnings: Warning[]): Parameters {
  if (!parameters.tools || !parameters.web_search_options || model.facts?.webSearch?.besideTools !== false)
    return parameters;
  return without(parameters, ['web_search_options'], model, warnings);
}

/** The limits in the vendors' references. Only the Messages API accepts more. */
const maxStops: Readonly<Record<string, number>> = { openai: 4, 'azure-openai': 4, google: 5 };

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
  const stops = maxStops[model.provider] ?? Number.POSITIVE_INFINITY;
  if (Array.isArray(fitting.stop) && fitting.stop.length > stops) {
    warnings.push(changed('stop_shortened', 'stop', `${model.id} takes ${stops} stop sequences; the first were sent`));
    fitting.stop = fitting.stop.slice(0, stops);
  }
  const [one, other] = model.facts?.notTogether ?? [];
  if (one && other && one in fitting && other in fitting) return without(fitting, [other], model, warnings);
  return fitting;
}

/** Fits the effort, and drops what the model refuses together with thinking. */
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

/** Other APIs get the functions that stand for the client's tools. */
function withoutOwnTools({ [ownToolsField]: _, ...fields }: FitInput['openaiOnly']): FitInput['openaiOnly'] {
  return fields;
}

const ofSampling = new Set(['logprobs', 'top_logprobs']);
const isThinking = ({ reasoning_effort: effort }: Parameters) => effort !== undefined && effort !== 'none';

/** Providers get a name for the end user that is always the same and reveals nothing (wire contract §1.1). */
function withHashedUser(parameters: Parameters): Parameters {
  if (parameters.user === undefined) return parameters;
  return { ...parameters, user: hashed(parameters.user) };
}

/** An API of a vendor. */
export type Api = NonNullable<ProviderRequest['api']>;

/**
 * Chooses the API: OpenAI's Responses API for what its model takes only there. A request without tools and without an effort stays with
 * chat completions, where it can be sampled, and which servers other than OpenAI's answer too.
 */
export function getApi({ facts }: Pick<CatalogueModel, 'facts'>, hasTools: boolean, effort: Effort | undefined): Api {
  const thinks = effort !== undefined && effort !== 'none';
  return facts?.responses && (hasTools || thinks) ? 'responses' : 'chat_completions';
}

/**
 * Parameters that the Responses API does not have, by its reference at https://developers.openai.com/api/reference/resources/responses,
 * read on 2026-11-22 (`stop` and the penalties are missing too, but none of these models takes them anywhere). It reports log probabilities
 * in another form, and only for models that do not think.
 */
export const unknownToResponses: readonly string[] = ['seed', 'logprobs', 'top_logprobs', 'logit_bias', 'prediction'];
/** The Responses API refuses a smaller `max_output_tokens` (https://github.com/earendil-works/pi/issues/6265, read 2026-11-22). */
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
  /** The longest answer that will be asked for. Null when the provider decides. */
  readonly maxTokens: number | null;
}

/** The effort that the model is asked for: the nearest one that it takes. `undefined` when the request names none. */
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

/** The reason why the model cannot think in this request although it could in others. */
function whyNot({ facts, forcesTool, lostThinking, maxTokens }: EffortInput): string | null {
  if (forcesTool && facts.forcedTools === 'without_thinking') return 'it cannot be made to call a tool while it thinks';
  if (facts.thinking.by !== 'budget_tokens') return null;
  if (lostThinking) return 'the signed thinking before its last tool calls did not come back with them';
  if (maxTokens !== null && maxTokens <= facts.thinking.min) {
    return `it wants more than ${facts.thinking.min} tokens for that, and the answer may have ${maxTokens}`;
  }
  return null;
}

/** Whether the model may think in this request, and so be silent for minutes. An unknown model thinks only when it is asked to. */
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
 * The supported effort that is nearest to the one asked for, and the lower one of two. Null when there are none. A request for some
 * thinking gets some, and a request for none gets the least there is.
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

interface LongInput {
  readonly model: CatalogueModel;
  readonly facts: ModelFacts | null;
  readonly shape: ConversationShape;
  readonly parameters: Parameters;
}

/** The changes to the long parts of a request. Null when there are none. */
function fitLongParts(input: LongInput, warnings: Warning[]): LongChanges | null {
  const turns = turnRepairs(input, warnings);
  const forced = unforcedTool(input, warnings);
  const { format, instruction } = fitFormat(input, warnings);
  const strictTools = fitStrictTools(input, warnings);
  const instructions = [forced?.instruction, instruction].filter((text) => text !== undefined);
  const mergesTopChoices = topChoicesMerged(input, warnings);
  const toolNames = replacedNames(input.shape.unusualNames, input.model.provider);
  const untouched =
    turns.length + instructions.length + Object.keys(toolNames).length === 0 &&
    format === 'as_sent' &&
    strictTools === 'as_sent' &&
    !mergesTopChoices;
  if (untouched) return null;
  return { turns, instructions, onlyTool: forced?.name ?? null, format, strictTools, mergesTopChoices, toolNames };
}

/** Vendors that refuse a choice between schemas at the top of a function's. */
const withoutTopChoices = new Set(['openai', 'azure-openai', 'anthropic']);

function topChoicesMerged({ model, shape, parameters }: LongInput, warnings: Warning[]): boolean {
  if (!shape.topChoices || !parameters.tools || !withoutTopChoices.has(model.provider)) return false;
  const why = `${model.id} takes no "anyOf", "oneOf" or "allOf" at the top of a tool's schema; their fields were merged`;
  warnings.push(changed('schema_adjusted', 'tools', why));
  return true;
}

function turnRepairs({ model, facts, shape }: LongInput, warnings: Warning[]): TurnRepair[] {
  const repairs: TurnRepair[] = [];
  const repair = (kind: TurnRepair, why: string) => {
    repairs.push(kind);
    warnings.push(changed('turns_adjusted', 'messages', why));
  };
  if (shape.picturesInResults && !facts?.picturesInResults) {
    repair('pictures_after_results', `${model.id} takes no pictures in a tool's result; they come as a turn after it`);
  }
  if (model.provider === 'mistral' && shape.userAfterResults) {
    repair('answer_after_results', `${model.id} wants a turn of its own after a tool's result; one was added`);
  }
  if (!facts) return repairs;
  if (facts.refusesBlankTurns && shape.blankTurns) {
    warnings.push(
      changed('turns_adjusted', 'messages', `${model.id} takes no turns without a word; they were left out`),
    );
  }
  if (facts.beginsWithUser && shape.first === null) {
    repair('instruction_as_user', `${model.id} wants a turn of the user's; the last instruction was sent as one`);
  } else if (facts.beginsWithUser && shape.first !== 'user') {
    repair('begin_with_user', `${model.id} wants the user to begin; a turn that says no more was put first`);
  }
  if (!facts.prefill && shape.last === 'assistant') {
    repair('end_with_user', `${model.id} does not go on with a turn of its own; the user's "Continue." was added`);
  }
  return repairs;
}

/** For a model that cannot be forced to call a tool: what it is offered and instructed instead. */
function unforcedTool({ model, facts, parameters }: LongInput, warnings: Warning[]) {
  const choice = parameters.tool_choice;
  if (facts?.forcedTools !== 'never' || !isForced(choice)) return null;
  const name = typeof choice === 'object' ? choice.function.name : null;
  const why = `${model.id} cannot be made to call a tool; it was asked to in words`;
  warnings.push(changed('tool_choice_relaxed', 'tool_choice', why));
  const instruction = name === null ? 'Answer by calling one of the tools.' : `Answer by calling the tool "${name}".`;
  return { name, instruction };
}

const isForced = (choice: Parameters['tool_choice']): boolean => choice === 'required' || typeof choice === 'object';

interface FormatFit {
  readonly format: LongChanges['format'];
  readonly instruction?: string;
}

function fitFormat({ model, facts, shape, parameters }: LongInput, warnings: Warning[]): FormatFit {
  const { response_format: asked, tools } = parameters;
  if (!facts || !asked || asked.type === 'text') return { format: 'as_sent' };
  const inWords = (why: string): FormatFit => {
    warnings.push(changed('format_in_words', 'response_format', why));
    return { format: 'in_words' };
  };
  if (tools && !facts.formatWithTools)
    return inWords(`${model.id} takes no format beside tools; it was asked for in words`);
  if (asked.type === 'json_object') {
    if (facts.jsonMode === 'in_words') return inWords(`${model.id} has no JSON mode; JSON was asked for in words`);
    if (facts.jsonMode === 'as_sent' || shape.containsJson) return { format: 'as_sent' };
    const why = `${model.id} wants the word JSON in the messages of JSON mode; it was added`;
    warnings.push(changed('instruction_added', 'response_format', why));
    return { format: 'as_sent', instruction: 'Answer in JSON.' };
  }
  if (facts.schema === 'in_words') return inWords(`${model.id} takes no schema; it was asked for in words`);
  if (facts.schema === 'as_sent' || shape.schemaChanges?.length === 0) return { format: 'as_sent' };
  if (shape.schemaChanges === null)
    return inWords(`${model.id} takes closed schemas only; this one was asked for in words`);
  warnings.push(changed('schema_adjusted', 'response_format', schemaSentence(model, shape.schemaChanges)));
  return { format: 'closed' };
}

function fitStrictTools(
  { model, facts, shape, parameters }: LongInput,
  warnings: Warning[],
): LongChanges['strictTools'] {
  const { toolSchemaChanges: changes } = shape;
  if (!facts || !parameters.tools || facts.schema === 'as_sent' || changes?.length === 0) return 'as_sent';
  if (changes === null || facts.schema === 'in_words') {
    warnings.push(changed('schema_adjusted', 'tools', `${model.id} cannot keep these tools strict; they are not`));
    return 'not_strict';
  }
  warnings.push(changed('schema_adjusted', 'tools', schemaSentence(model, changes)));
  return 'closed';
}

const schemaSentence = ({ id }: CatalogueModel, names: readonly string[]) =>
  `${id} takes closed schemas of few keywords; changed were ${names.map((name) => `"${name}"`).join(', ')}`;

/**
 * Fits a chat request to a model. `recalled`: signed reasoning that the client did not send back. `coveredTokens`: no longer answer is paid
 * for.
 */
export function fitChatRequest(
  request: ChatRequest,
  target: Pick<Target, 'model' | 'provider'>,
  recalled: CallState | null = null,
  coveredTokens: number | null = null,
): Fitted {
  const { parameters, openaiOnly, facts } = request;
  const { features } = facts;
  const shape = withRecalled(facts.shape, recalled, target.model.model);
  const maxTokens = maxTokensToAsk(request, features, target, coveredTokens);
  const isLowered = maxTokens !== null && request.maxTokens !== null && maxTokens < request.maxTokens;
  const hasGrammars = [...(request.clientTools?.values() ?? [])].some(({ isByGrammar }) => isByGrammar === true);
  const fitted = fitRequest(
    {
      parameters,
      openaiOnly,
      shape,
      marksCache: features.promptCache !== null,
      maxTokens,
      hasGrammars,
      accountId: request.principal.accountId,
      isOwnKey: request.byoKey !== null,
    },
    target.model,
  );
  return isLowered ? { ...fitted, warnings: [lowered(target.model, maxTokens), ...fitted.warnings] } : fitted;
}

/** The limit of output tokens to ask for. Null when the provider decides. */
function maxTokensToAsk(
  { maxTokens, principal }: ChatRequest,
  { inputTokens, mayLowerMaxTokens }: Features,
  { model, provider }: Pick<Target, 'model' | 'provider'>,
  coveredTokens: number | null,
): number | null {
  if (maxTokens !== null && !mayLowerMaxTokens) return maxTokens;
  const { maxOutputTokens } = principal.plan;
  const needsLimit = maxTokens !== null || provider.needsMaxTokens === true || maxOutputTokens !== null;
  if (!needsLimit && coveredTokens === null) return null;
  const room = (model.contextLength ?? Number.POSITIVE_INFINITY) - inputTokens;
  const usual = model.maxOutputTokens ?? maxTokens ?? (needsLimit ? defaultMaxTokens : Number.POSITIVE_INFINITY);
  const limits = [usual, maxTokens, maxOutputTokens, coveredTokens].map((limit) => limit ?? Number.POSITIVE_INFINITY);
  return Math.min(...limits, Math.max(room, smallestRoom));
}

/** Used when a provider wants a limit and the catalogue knows none. */
const defaultMaxTokens = 8_192;
/** The estimate of the input may be too high: an answer always keeps at least this much. */
const smallestRoom = 1_024;

/** Adds the thinking that was stored to the shape of a conversation whose client dropped it. `model`: the model that thought. */
function withRecalled(shape: ConversationShape, recalled: CallState | null, model: string): ConversationShape {
  const { lastCalls } = shape;
  const found = lastCalls?.ids.some((id) => recalled?.get(id)?.anthropic);
  return lastCalls && found ? { ...shape, lastCalls: { ...lastCalls, thinkers: [model] } } : shape;
}
