import { asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { hasTools, type Refusal, schemasIn, toObjects, unknownNames, type VendorRule } from './vendor-rule.ts';

/** The requests that OpenAI's chat completions API refuses. */

const read = '2026-11-22';

const fields = [
  ...[
    'messages',
    'model',
    'stream',
    'stream_options',
    'max_completion_tokens',
    'max_tokens',
    'temperature',
    'top_p',
    'stop',
  ],
  ...[
    'seed',
    'frequency_penalty',
    'presence_penalty',
    'response_format',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
  ],
  ...['reasoning_effort', 'user', 'logprobs', 'top_logprobs', 'logit_bias', 'prediction', 'service_tier', 'verbosity'],
  ...['prompt_cache_key', 'safety_identifier', 'store', 'metadata', 'modalities', 'audio', 'n', 'web_search_options'],
];

const isReasoning = (model: string) => /^(o\d|gpt-[56])/.test(model);
const isOSeries = (model: string) => /^o\d/.test(model);

/**
 * Models 5.1 to 5.4 accept sampling parameters as long as they don't reason, and they reason only
 * if the request asks for it.
 */
const isSampled = ({ reasoning_effort: effort, ...body }: JsonObject, model: string) =>
  /^gpt-5\.[124]/.test(model) &&
  (effort === undefined || effort === 'none') &&
  ['stop', 'frequency_penalty', 'presence_penalty'].every((name) => body[name] === undefined);

/** The efforts in the order in which the API lists them when it refuses another. */
function getEfforts(model: string): readonly string[] {
  if (isOSeries(model)) return ['low', 'medium', 'high'];
  if (/^gpt-5(-|$)/.test(model)) return ['minimal', 'low', 'medium', 'high'];
  if (model === 'gpt-5.1') return ['none', 'low', 'medium', 'high'];
  if (model === 'gpt-6-astra') return ['low', 'medium', 'high', 'xhigh'];
  return ['none', 'low', 'medium', 'high', 'xhigh'];
}

const maxOutput = (model: string) =>
  /^o\d/.test(model) ? 100_000 : /^gpt-4o/.test(model) ? 16_384 : /^gpt-4\.1/.test(model) ? 32_768 : 128_000;

const unsupported = (name: string): Refusal => ({
  message: `Unsupported parameter: '${name}' is not supported with this model.`,
  param: name,
  code: 'unsupported_parameter',
});

const messageText = (message: JsonObject): string =>
  typeof message.content === 'string'
    ? message.content
    : toObjects(message.content)
        .map(({ text }) => asText(text) ?? '')
        .join(' ');

export const openAiRules: readonly VendorRule[] = [
  {
    source: 'https://developers.openai.com/api/reference/resources/chat',
    read,
    refuses(body) {
      const [name] = unknownNames(body, fields);
      return name === undefined ? null : { message: `Unrecognized request argument supplied: ${name}` };
    },
  },
  {
    source: 'https://github.com/bolna-ai/bolna/pull/1019',
    read,
    refuses(body, model) {
      if (body.max_tokens === undefined || !isReasoning(model)) return null;
      const refusal = unsupported('max_tokens');
      return { ...refusal, message: `${refusal.message} Use 'max_completion_tokens' instead.` };
    },
  },
  {
    source: 'https://github.com/mnfst/modelparams.dev/pull/356',
    read,
    refuses(body, model) {
      const asked = Number(body.max_completion_tokens ?? body.max_tokens ?? 0);
      const most = maxOutput(model);
      if (asked <= most) return null;
      const message = `max_tokens is too large: ${asked}. This model supports at most ${most} completion tokens, whereas you provided ${asked}.`;
      return { message, param: 'max_tokens', code: 'invalid_value' };
    },
  },
  {
    source:
      'https://developers.openai.com/api/docs/guides/latest-model, https://community.openai.com/t/developer-role-not-accepted-for-o1-o1-mini-o3-mini/1110750/7',
    read,
    refuses(body, model) {
      if (!isReasoning(model) || isSampled(body, model)) return null;
      if (body.temperature !== undefined && body.temperature !== 1) {
        const message = `Unsupported value: 'temperature' does not support ${body.temperature} with this model. Only the default (1) value is supported.`;
        return { message, param: 'temperature', code: 'unsupported_value' };
      }
      const old = isOSeries(model) ? ['logit_bias', 'prediction'] : [];
      const names = ['top_p', 'stop', 'frequency_penalty', 'presence_penalty', 'logprobs', ...old];
      const name = names.find((field) => body[field] !== undefined);
      return name === undefined ? null : unsupported(name);
    },
  },
  {
    source: 'https://developers.openai.com/api/docs/guides/reasoning',
    read,
    refuses({ reasoning_effort: effort }, model) {
      if (effort === undefined) return null;
      if (!isReasoning(model)) return { message: 'Unrecognized request argument supplied: reasoning_effort' };
      const efforts = getEfforts(model);
      if (efforts.includes(String(effort))) return null;
      const listed = efforts.map((effort) => `'${effort}'`).join(', ');
      const message = `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model. Supported values are: ${listed}.`;
      return { message, param: 'reasoning_effort', code: 'unsupported_value' };
    },
  },
  {
    source: 'https://github.com/BerriAI/litellm/pull/34569, https://github.com/livekit/agents/pull/7169',
    read,
    refuses(body, model) {
      if (!hasTools(body)) return null;
      const onlyWithNone = /^gpt-(5\.[56]|6)/.test(model) && body.reasoning_effort !== 'none';
      const onlyUnsaid = /^gpt-5\.[24]/.test(model) && body.reasoning_effort !== undefined;
      if (!onlyWithNone && !onlyUnsaid) return null;
      const message = `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`;
      return { message, param: 'reasoning_effort' };
    },
  },
  {
    source: 'https://github.com/run-llama/llama_index/issues/20865',
    read,
    refuses: (body, model) =>
      isOSeries(model) && body.parallel_tool_calls !== undefined ? unsupported('parallel_tool_calls') : null,
  },
  {
    source: 'https://developers.openai.com/api/docs/guides/function-calling',
    read,
    refuses(body) {
      const name = ['tool_choice', 'parallel_tool_calls'].find((field) => body[field] !== undefined && !hasTools(body));
      if (name === undefined) return null;
      return {
        message: `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`,
        param: name,
      };
    },
  },
  {
    source: 'https://developers.openai.com/api/docs/guides/structured-outputs',
    read,
    refuses(body) {
      const format = asObject(body.response_format);
      const mentionsJson = toObjects(body.messages).some((message) => /json/i.test(messageText(message)));
      if (format.type === 'json_object' && !mentionsJson) {
        const message =
          "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
        return { message, param: 'messages' };
      }
      const { name, strict, schema } = asObject(format.json_schema);
      const strictTools = toObjects(body.tools)
        .map((tool) => asObject(tool.function))
        .filter((fn) => fn.strict === true);
      const strictSchemas = [
        ...(strict === true ? [{ name, schema }] : []),
        ...strictTools.map((fn) => ({ name: fn.name, schema: fn.parameters })),
      ];
      for (const strictSchema of strictSchemas) {
        const open = schemasIn(strictSchema.schema).find(
          ({ part }) => part.type === 'object' && part.additionalProperties !== false,
        );
        if (open) {
          const message = `Invalid schema for response_format '${strictSchema.name}': In context=${open.place}, 'additionalProperties' is required to be supplied and to be false.`;
          return { message, param: 'response_format' };
        }
      }
      return null;
    },
  },
  {
    source: 'https://github.com/openai/openai-agents-python/pull/1513',
    read,
    refuses(body, model) {
      for (const [index, message] of toObjects(body.messages).entries()) {
        for (const [partIndex, part] of toObjects(message.content).entries()) {
          const place = `messages[${index}].content[${partIndex}]`;
          if (part.type === 'file' && asObject(part.file).filename === undefined) {
            const param = `${place}.file.file_id`;
            return { message: `Missing required parameter: '${param}'.`, param, code: 'missing_required_parameter' };
          }
          if (part.type === 'image_url' && message.role !== 'user') {
            const text = `Invalid '${place}'. Image URLs are only allowed for messages with role 'user', but this message with role '${message.role}' contains an image URL.`;
            return { message: text, param: place, code: 'invalid_value' };
          }
          if (part.type === 'image_url' && model === 'o3-mini') {
            return { message: 'Invalid content type. image_url is only supported by certain models.', param: place };
          }
        }
      }
      return null;
    },
  },
  {
    source: 'https://developers.openai.com/api/docs/guides/function-calling',
    read,
    refuses(body) {
      const messages = toObjects(body.messages);
      for (const [index, message] of messages.entries()) {
        const ids = toObjects(message.tool_calls).map(({ id }) => id);
        const next = messages.slice(index + 1);
        const end = next.findIndex(({ role }) => role !== 'tool');
        const answered = (end < 0 ? next : next.slice(0, end)).map(({ tool_call_id: id }) => id);
        const missing = ids.filter((id) => !answered.includes(id));
        if (missing.length > 0) {
          const text = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${missing.join(', ')}`;
          return { message: text, param: `messages.[${index}].role` };
        }
      }
      return null;
    },
  },
  {
    source: 'https://github.com/jin-bo/agentao/pull/321',
    read,
    refuses(body) {
      for (const [index, message] of toObjects(body.messages).entries()) {
        const own = toObjects(message.tool_calls).map(({ id }, callIndex) => [
          `messages[${index}].tool_calls[${callIndex}].id`,
          id,
        ]);
        for (const [param, id] of [...own, [`messages[${index}].tool_call_id`, message.tool_call_id]]) {
          const { length } = asText(id) ?? '';
          if (length <= 64) continue;
          const text = `Invalid '${param}': string too long. Expected a string with maximum length 64, but got a string with length ${length} instead.`;
          return { message: text, param: String(param), code: 'string_above_max_length' };
        }
      }
      return null;
    },
  },
];

/** Formats an error as OpenAI does. */
export const openAiError = ({ message, param = null, code = null }: Refusal): object => ({
  error: { message, type: 'invalid_request_error', param, code },
});
