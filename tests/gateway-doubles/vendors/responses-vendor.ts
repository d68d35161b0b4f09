import { asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { responsesTools } from './scripted-calls.ts';
import { hasTools, type Refusal, schemasIn, toObjects, unknownNames, type VendorRule } from './vendor-rule.ts';

/** The requests that OpenAI's Responses API refuses. */

const read = '2026-11-22';
const reference = 'https://developers.openai.com/api/reference/resources/responses';

const fields = [
  ...['background', 'conversation', 'context_management', 'include', 'input', 'instructions', 'max_output_tokens'],
  ...[
    'max_tool_calls',
    'metadata',
    'model',
    'parallel_tool_calls',
    'previous_response_id',
    'prompt',
    'prompt_cache_key',
  ],
  ...['prompt_cache_retention', 'reasoning', 'safety_identifier', 'service_tier', 'store', 'stream', 'stream_options'],
  ...['temperature', 'text', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'truncation', 'user'],
];
const messageFields = ['type', 'role', 'content', 'id', 'status', 'phase'];
const parts = ['input_text', 'input_image', 'output_text', 'refusal', 'input_file', 'summary_text'];

/** The efforts in the order in which the API lists them when it refuses another. */
function getEfforts(model: string): readonly string[] {
  if (/^(o\d|gpt-5(-|$))/.test(model)) return ['minimal', 'low', 'medium', 'high'];
  if (model === 'gpt-6-astra') return ['low', 'medium', 'high', 'xhigh', 'max'];
  const most = /^gpt-(5\.6|6)/.test(model) ? ['max'] : [];
  return ['none', 'low', 'medium', 'high', 'xhigh', ...most];
}

const getEffort = (body: JsonObject) => asObject(body.reasoning).effort;
const getInput = (body: JsonObject) => toObjects(body.input);
const refusal = (message: string, param: string, code: string | null = null): Refusal => ({ message, param, code });
const missing = (param: string) =>
  refusal(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');

/** Calls that the caller runs, with the items that answer them. */
const callKinds = [
  ['function_call', 'function_call_output'],
  ['custom_tool_call', 'custom_tool_call_output'],
  ['tool_search_call', 'tool_search_output'],
  ['shell_call', 'shell_call_output'],
  ['apply_patch_call', 'apply_patch_call_output'],
] as const;

const toolTypes = [
  ...['function', 'custom', 'namespace', 'tool_search', 'shell', 'apply_patch', 'web_search', 'file_search', 'mcp'],
  ...['code_interpreter', 'image_generation', 'computer_use_preview'],
];

/** https://developers.openai.com/api/docs/guides/function-calling, read 2026-11-27. */
function toolFault(tools: readonly JsonObject[]): Refusal | null {
  const unknown = tools.findIndex(({ type }) => !toolTypes.includes(String(type)));
  if (unknown >= 0) {
    const message = `Invalid value: '${tools[unknown]?.type}'.`;
    return refusal(message, `tools[${unknown}].type`, 'invalid_value');
  }
  const offered = responsesTools(tools);
  const names = offered.map(({ name, namespace = '' }) => `${namespace}.${name}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return refusal(`Duplicate tool name: '${twice}'.`, 'tools');
  const isValid = offered.every(({ name }) => /^[a-zA-Z0-9_-]{1,128}$/.test(name));
  const pattern = "Invalid 'tools[0].name': string does not match the pattern '^[a-zA-Z0-9_-]+$'.";
  return isValid ? null : refusal(pattern, 'tools', 'invalid_value');
}

export const responsesRules: readonly VendorRule[] = [
  {
    source: `${reference}, https://github.com/openJiuwen-ai/agent-core/issues/768`,
    read,
    refuses(body) {
      const inMessages = getInput(body).flatMap((item, index) =>
        item.role === undefined ? [] : unknownNames(item, messageFields).map((name) => `input[${index}].${name}`),
      );
      const [name] = [...unknownNames(body, fields), ...inMessages];
      return name === undefined ? null : refusal(`Unknown parameter: '${name}'.`, name, 'unknown_parameter');
    },
  },
  {
    source: 'https://github.com/earendil-works/pi/issues/6265, https://github.com/vectorize-io/hindsight/issues/58',
    read,
    refuses({ max_output_tokens: asked }) {
      if (asked === undefined || Number(asked) >= 16) return null;
      const message = `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${asked} instead.`;
      return refusal(message, 'max_output_tokens', 'integer_below_min_value');
    },
  },
  {
    source: 'https://developers.openai.com/api/docs/guides/deployment-checklist',
    read,
    refuses(body) {
      if (getEffort(body) === 'none') return null;
      const name = ['temperature', 'top_p', 'top_logprobs'].find((field) => body[field] !== undefined);
      const message = `Unsupported parameter: '${name}' is not supported with this model.`;
      return name === undefined ? null : refusal(message, name, 'unsupported_parameter');
    },
  },
  {
    source:
      'https://github.com/experientiallabs/experiential/issues/764, https://github.com/UKGovernmentBEIS/inspect_ai/pull/5254',
    read,
    refuses(body, model) {
      const effort = getEffort(body);
      const efforts = getEfforts(model);
      if (effort === undefined || efforts.includes(String(effort))) return null;
      const listed = efforts.map((effort) => `'${effort}'`).join(', ');
      const message = `Unsupported value: '${effort}' is not supported with the '${model}' model. Supported values are: ${listed}.`;
      return refusal(message, 'reasoning.effort', 'unsupported_value');
    },
  },
  {
    source: 'https://developers.openai.com/api/docs/guides/migrate-to-responses',
    read,
    refuses(body) {
      const nameless = toObjects(body.tools).findIndex(({ type, name }) => type === 'function' && !asText(name));
      if (nameless >= 0) return missing(`tools[${nameless}].name`);
      const fault = toolFault(toObjects(body.tools));
      if (fault) return fault;
      const choice = asObject(body.tool_choice);
      if (choice.type === 'function' && !asText(choice.name)) return missing('tool_choice.name');
      if (body.tool_choice === undefined || hasTools(body)) return null;
      return refusal("Tool choice 'auto' must be specified with 'tools' parameter.", 'tool_choice');
    },
  },
  {
    source: reference,
    read,
    refuses(body) {
      for (const [index, item] of getInput(body).entries()) {
        for (const [partIndex, { type }] of toObjects(item.content).entries()) {
          const param = `input[${index}].content[${partIndex}]`;
          const message = `Invalid value: '${type}'. Supported values are: ${parts.map((name) => `'${name}'`).join(', ')}.`;
          if (item.role !== undefined && !parts.includes(String(type))) return refusal(message, param, 'invalid_value');
        }
        const isMessage = ['user', 'assistant', 'system', 'developer'].includes(String(item.role));
        const message = `Invalid value: '${item.role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`;
        if (item.role !== undefined && !isMessage) return refusal(message, `input[${index}]`, 'invalid_value');
      }
      return null;
    },
  },
  {
    source: 'https://developers.openai.com/api/docs/guides/structured-outputs',
    read,
    refuses(body) {
      const { type, name, strict, schema } = asObject(asObject(body.text).format);
      if (type === 'json_object' && !/json/i.test(JSON.stringify(body.input))) {
        const message =
          "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
        return refusal(message, 'input');
      }
      // In this API a function is strict unless it declares the opposite.
      const tools = toObjects(body.tools).filter(({ type, strict: own }) => type === 'function' && own !== false);
      const schemas = [
        ...(strict === true ? [{ name, schema }] : []),
        ...tools.map((tool) => ({ name: tool.name, schema: tool.parameters })),
      ];
      for (const strictSchema of schemas) {
        const open = schemasIn(strictSchema.schema).find(
          (inner) => inner.part.type === 'object' && inner.part.additionalProperties !== false,
        );
        const message = `Invalid schema for '${strictSchema.name}': In context=${open?.place}, 'additionalProperties' is required to be supplied and to be false.`;
        if (open) return refusal(message, 'text.format.schema', 'invalid_json_schema');
      }
      return null;
    },
  },
  {
    source:
      'https://developers.openai.com/api/docs/guides/function-calling, https://github.com/V1ki/dsh-plugin-subscriptions/issues/29',
    read,
    refuses(body) {
      const items = getInput(body);
      const long = items.findIndex(({ call_id: id }) => (asText(id) ?? '').length > 64);
      if (long >= 0) {
        const message = `Invalid 'input[${long}].call_id': string too long. Expected a string with maximum length 64.`;
        return refusal(message, `input[${long}].call_id`, 'string_above_max_length');
      }
      const getIds = (kind: string) => items.filter(({ type }) => type === kind).map(({ call_id: id }) => id);
      for (const [call, output] of callKinds) {
        const calls = getIds(call);
        const outputs = getIds(output);
        const words = call.replaceAll('_', ' ');
        const unanswered = calls.find((id) => !outputs.includes(id));
        if (unanswered !== undefined) return refusal(`No tool output found for ${words} ${unanswered}.`, 'input');
        const uncalled = outputs.find((id) => !calls.includes(id));
        const message = `No tool call found for ${words} output with call_id ${uncalled}.`;
        if (uncalled !== undefined) return refusal(message, 'input');
      }
      return null;
    },
  },
  {
    source: 'https://github.com/maximhq/bifrost/issues/5410, https://github.com/openai/codex/issues/8145',
    read,
    refuses(body, model) {
      for (const { type, id, encrypted_content: encrypted, summary } of getInput(body)) {
        if (type !== 'reasoning') continue;
        if (asText(encrypted) === null || !Array.isArray(summary)) {
          const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
          return refusal(message, 'input');
        }
        if (encrypted === `encrypted by ${model}`) continue;
        const message = `The encrypted content ${encrypted} could not be verified.`;
        return { message, param: null, code: 'invalid_encrypted_content' };
      }
      return null;
    },
  },
];

const verify =
  'Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.';

/** The requests that both of OpenAI's APIs refuse to organisations that OpenAI hasn't verified. */
export const unverifiedRules: readonly VendorRule[] = [
  {
    source:
      'https://github.com/BeehiveInnovations/pal-mcp-server/issues/134, https://help.openai.com/en/articles/10910291-api-organization-verification',
    read,
    refuses({ stream }, model) {
      if (stream !== true || !/^(o3$|gpt-5(-|$)|gpt-5\.6|gpt-6)/.test(model)) return null;
      const message = `Your organization must be verified to stream this model. ${verify}`;
      return refusal(message, 'stream', 'unsupported_value');
    },
  },
  {
    source: 'https://github.com/continuedev/continue/issues/12031',
    read,
    refuses(body) {
      if (asObject(body.reasoning).summary === undefined) return null;
      const message = `Your organization must be verified to generate reasoning summaries. ${verify}`;
      return refusal(message, 'reasoning.summary', 'unsupported_value');
    },
  },
];
