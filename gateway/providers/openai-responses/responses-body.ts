import { openAiFields } from '../openai-compatible/completion-body.ts';
import type { ProviderRequest } from '../provider.ts';
import { inputItems } from './input-items.ts';
import { ownChoice, withOwnTools } from './own-tools.ts';

type Parameters = ProviderRequest['parameters'];

/** What not every organisation is given: asked for until it is refused (`openai/openai.ts`). */
export interface Extras {
  /** Summaries of what the model thinks. */
  readonly summary: boolean;
  /** Its own earlier reasoning, encrypted. */
  readonly reasoning: boolean;
}

/** The body of `POST /responses`: stateless, nothing is stored at OpenAI. */
export function responsesBody(request: ProviderRequest, { summary, reasoning }: Extras): object {
  const { parameters, model, maxTokens } = request;
  const { temperature, top_p, user } = parameters;
  const { verbosity, ...fields } = openAiFields(request.openaiOnly);
  const format = getFormat(parameters);
  const text = { ...(format ? { format } : {}), ...(verbosity === undefined ? {} : { verbosity }) };
  return {
    ...fields,
    model,
    input: inputItems(request.messages, reasoning ? model : null, request.clientTools),
    stream: !request.whole,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...reasoningField(request, summary),
    ...(Object.keys(text).length > 0 ? { text } : {}),
    ...toolFields(request),
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(user === undefined ? {} : { user }),
    ...(maxTokens === null ? {} : { max_output_tokens: maxTokens }),
  };
}

/** There is a summary only where something is thought. */
function reasoningField({ parameters, facts }: ProviderRequest, summary: boolean): object {
  const { reasoning_effort: effort } = parameters;
  const byDefault = facts?.thinking.by === 'effort' && facts.thinking.byDefault;
  const thinks = effort === undefined ? byDefault : effort !== 'none';
  const reasoning = {
    ...(effort === undefined ? {} : { effort }),
    ...(summary && thinks ? { summary: 'auto' } : {}),
  };
  return Object.keys(reasoning).length > 0 ? { reasoning } : {};
}

function getFormat({ response_format: format }: Parameters): object | null {
  if (!format || format.type === 'text') return null;
  return format.type === 'json_object' ? { type: 'json_object' } : { type: 'json_schema', ...format.json_schema };
}

/** Functions are strict here unless it is said that they are not. */
function toolFields(request: ProviderRequest): object {
  const { parameters, facts } = request;
  const { tools = [], tool_choice: choice, parallel_tool_calls: parallel, web_search_options: search } = parameters;
  if (tools.length === 0 && !search) return {};
  const functions = tools.map(({ function: { name, description, parameters, strict } }) => ({
    type: 'function',
    name,
    ...(description === undefined ? {} : { description }),
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict ?? false,
  }));
  const own = withOwnTools(functions, request);
  const most = facts?.webSearch?.most;
  return {
    tools: search ? [...own, webSearchTool(search)] : own,
    ...(search && most !== undefined ? { max_tool_calls: most } : {}),
    ...(choice === undefined
      ? {}
      : { tool_choice: typeof choice === 'object' ? ownChoice(choice.function.name, request) : choice }),
    ...(parallel === undefined ? {} : { parallel_tool_calls: parallel }),
  };
}

/** OpenAI's own search (https://developers.openai.com/api/docs/guides/tools-web-search, read 2026-11-23). */
function webSearchTool(options: NonNullable<Parameters['web_search_options']>): object {
  const { search_context_size: size, user_location: location } = options;
  return {
    type: 'web_search',
    ...(size === undefined ? {} : { search_context_size: size }),
    // Without one it takes the United States.
    user_location: { type: 'approximate', ...location?.approximate },
  };
}
