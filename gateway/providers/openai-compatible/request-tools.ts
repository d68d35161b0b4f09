import { unmarked } from '../../content/cache-marks.ts';
import { formatInWords } from '../format-in-words.ts';
import type { ProviderRequest } from '../provider.ts';
import type { Dialect } from './dialects.ts';

type Parameters = ProviderRequest['parameters'];

/** Tools and what is said about calling them. */
export function toolFields(parameters: Parameters, dialect: Dialect): object {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = parameters;
  if (!tools) return {};
  const forced = typeof choice === 'object' && dialect.forcesTool !== 'by_name' ? choice.function.name : null;
  const offered = forced === null ? tools : tools.filter((tool) => tool.function.name === forced);
  return {
    tools: dialect.keepsCacheMarks ? offered : offered.map(unmarked),
    ...(choice === undefined ? {} : { tool_choice: choiceFor(choice, dialect) }),
    ...(parallel === undefined || dialect.refuses.includes('parallel_tool_calls')
      ? {}
      : { parallel_tool_calls: parallel }),
  };
}

function choiceFor(choice: NonNullable<Parameters['tool_choice']>, { forcesTool, requiredWord }: Dialect): unknown {
  if (choice === 'required') return requiredWord;
  return typeof choice === 'object' && forcesTool !== 'by_name' ? forcesTool : choice;
}

/** The format where the server knows it. A schema that it does not know becomes plain JSON, if it knows that. */
export function responseFormat({ response_format: format }: Parameters, { formats }: Dialect): object {
  if (!format || format.type === 'text') return {};
  if (formats.includes(format.type)) return { response_format: format };
  return formats.includes('json_object') ? { response_format: { type: 'json_object' } } : {};
}

/** What of the format can only be asked for in words. */
export function formatWords({ response_format: format }: Parameters, { formats }: Dialect): string {
  return !format || format.type === 'text' || formats.includes(format.type)
    ? ''
    : formatInWords({ response_format: format });
}
