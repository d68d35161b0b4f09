import { createHash } from 'node:crypto';
import type { JsonObject } from '#shared/json/foreign-json.ts';
import { countTokensRequest, type MessagesRequest, messagesRequest } from '#shared/wire/messages-request.ts';
import { turnsInForm } from '../chat/placed-turns.ts';
import { parseRequest, unknownWarnings } from '../chat/read-request.ts';
import { type Translate, translatedReader } from '../chat/translated-question.ts';
import { withClientRunTools } from './client-run-tools.ts';
import { marked, turnsOfMessages } from './message-turns.ts';
import { getEffort } from './thinking-effort.ts';
import { droppedFields, refuseUnserved } from './unserved-blocks.ts';

/** Of `POST /v1/messages`. */
export const messagesReader = translatedReader('messages', translateWith(messagesRequest));

/** Of `POST /v1/messages/count_tokens`, which needs no `max_tokens`. */
export const countTokensReader = translatedReader('count_tokens', translateWith(countTokensRequest));

function translateWith(schema: typeof messagesRequest | typeof countTokensRequest): Translate {
  return (given, strict) => {
    refuseUnserved(given);
    const body = withClientRunTools(given);
    const request: MessagesRequest = parseRequest(schema, body);
    const turns = turnsInForm(turnsOfMessages(request));
    const { effort, warnings } = getEffort(request);
    const { thinking } = request;
    const hidesThinking = thinking !== undefined && 'display' in thinking && thinking.display === 'omitted';
    return {
      body: {
        ...completionFields(request),
        ...(effort === undefined ? {} : { reasoning_effort: effort }),
        messages: turns.map(({ message }) => message),
      },
      warnings: [...warnings, ...droppedFields(request), ...unknownWarnings(body, schema.shape, strict)],
      echo: { short: { hidesThinking }, long: {} },
      places: turns.map(({ place }) => place),
    };
  };
}

/** Fields of the same name and meaning. */
const sameNames = ['provider', 'model', 'temperature', 'top_p', 'stream', 'session_id', 'route', 'max_tokens'] as const;

function completionFields(request: MessagesRequest): JsonObject {
  const { tools, tool_choice: choice, output_config: config, metadata, stop_sequences: stop } = request;
  const format = config?.format ?? request.output_format;
  const asked = {
    ...Object.fromEntries(sameNames.map((name) => [name, request[name]])),
    stop: stop && stop.length > 0 ? stop : undefined,
    user: endUser(metadata?.user_id),
    tools: tools?.map(({ name, description, input_schema, strict, cache_control: mark }) => ({
      type: 'function',
      function: { name, description, parameters: input_schema, strict },
      ...marked(mark),
    })),
    ...getChoice(choice),
    response_format: format && {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: format.schema, strict: true },
    },
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}

const maxUser = 256;

/** Long names are kept as what tells them apart. */
const endUser = (id: string | undefined) =>
  id !== undefined && id.length > maxUser ? createHash('sha256').update(id).digest('hex') : id;

const words = { auto: 'auto', any: 'required', none: 'none' } as const;

function getChoice(choice: MessagesRequest['tool_choice']): JsonObject {
  if (choice === undefined) return {};
  const one = 'disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use === true;
  const tool_choice =
    choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : words[choice.type];
  return { tool_choice, ...(one ? { parallel_tool_calls: false } : {}) };
}
