import { openAiFields } from '../openai-compatible/completion-body.ts';
import type { ProviderRequest } from '../provider.ts';
import { inputItems } from './input-items.ts';

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
  const format = formatOf(parameters);
  const text = { ...(format ? { format } : {}), ...(verbosity === undefined ? {} : { verbosity }) };
  return {
    ...fields,
    model,
    input: inputItems(request.messages, reasoning ? model : null),
    stream: !request.whole,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...reasoningField(request, summary),
    ...(Object.keys(text).length > 0 ? { text } : {}),
    ...toolFields(parameters),
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

function formatOf({ response_format: format }: Parameters): object | null {
  if (!format || format.type === 'text') return null;
  return format.type === 'json_object' ? { type: 'json_object' } : { type: 'json_schema', ...format.json_schema };
}

/** Functions are strict here unless it is said that they are not. */
function toolFields({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Parameters): object {
  if (!tools) return {};
  return {
    tools: tools.map(({ function: { name, description, parameters, strict } }) => ({
      type: 'function',
      name,
      ...(description === undefined ? {} : { description }),
      parameters: parameters ?? { type: 'object', properties: {} },
      strict: strict ?? false,
    })),
    ...(choice === undefined ? {} : { tool_choice: choiceOf(choice) }),
    ...(parallel === undefined ? {} : { parallel_tool_calls: parallel }),
  };
}

const choiceOf = (choice: NonNullable<Parameters['tool_choice']>): unknown =>
  typeof choice === 'object' ? { type: 'function', name: choice.function.name } : choice;
