import { asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { signatureFault } from './tool-loops.ts';
import { hasTools, isBlank, type Refusal, schemasIn, toObjects, unknownNames, type VendorRule } from './vendor-rule.ts';

/** The requests that Anthropic's Messages API refuses. */

const read = '2026-11-22';
const errors = 'https://platform.claude.com/docs/en/api/errors';
const create = 'https://platform.claude.com/docs/en/api/messages/create';

const fields = [
  ...[
    'model',
    'max_tokens',
    'stream',
    'messages',
    'system',
    'thinking',
    'output_config',
    'temperature',
    'top_p',
    'top_k',
  ],
  ...['stop_sequences', 'tools', 'tool_choice', 'metadata', 'service_tier'],
];

/** Models by generation: the documentation writes "4.5 and earlier" and "4.7 and later", and names the others. */
const isUpTo45 = (model: string) => /-4-[15](-\d{8})?$/.test(model);
const is46 = (model: string) => /-4-6$/.test(model);
const alwaysThinks = ['claude-fable-5-2', 'claude-fable-5-1', 'claude-fable-5', 'claude-opus-5-5', 'claude-sonnet-5-5'];
/** These models accept reasoning only in its own conversation, and don't allow a forced tool. */
const bound = ['claude-fable-5-2', 'claude-fable-5-1', 'claude-opus-5-5', 'claude-sonnet-5-5'];
const preserved = 'https://platform.claude.com/docs/en/build-with-claude/preserved-thinking';
/** Returns whether the model's reasoning is bound to the conversation in which it was written. */
const preserves = (model: string) => bound.includes(model);
const neverForced = bound;
const noEffort = ['claude-opus-4-1', 'claude-sonnet-4-5', 'claude-haiku-4-5'];
const maxOutput = (model: string) => (model === 'claude-opus-4-1' ? 32_000 : isUpTo45(model) ? 64_000 : 128_000);

function getEfforts(model: string): readonly string[] {
  if (isUpTo45(model)) return ['low', 'medium', 'high'];
  return is46(model) ? ['low', 'medium', 'high', 'max'] : ['low', 'medium', 'high', 'xhigh', 'max'];
}

const refusal = (message: string): Refusal => ({ message });
const getBlocks = (message: JsonObject): JsonObject[] =>
  typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : toObjects(message.content);

/** Returns each thinking block of the conversation, with the index of its message. */
const thinkingBlocks = (body: JsonObject) =>
  toObjects(body.messages).flatMap((message, messageIndex) =>
    getBlocks(message).flatMap((block, index) =>
      block.type === 'thinking'
        ? [{ block, at: messageIndex, place: `messages.${messageIndex}.content.${index}` }]
        : [],
    ),
  );

const formats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'];
const keywords = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
];

function schemaFault(schema: unknown, path: string): Refusal | null {
  for (const { part } of schemasIn(schema)) {
    if (part.type === 'object' && part.additionalProperties !== false) {
      return refusal(`${path}: For 'object' type, 'additionalProperties' must be explicitly set to false`);
    }
    const name = keywords.find((keyword) => part[keyword] !== undefined);
    if (name !== undefined) return refusal(`${path}: For '${part.type}' type, property '${name}' is not supported`);
    if (Number(part.minItems ?? 0) > 1) {
      return refusal(`${path}: For 'array' type, 'minItems' values other than 0 or 1 are not supported`);
    }
    if (part.format !== undefined && !formats.includes(String(part.format))) {
      return refusal(`${path}: format '${part.format}' is not supported`);
    }
  }
  return null;
}

export const anthropicRules: readonly VendorRule[] = [
  {
    source: create,
    read,
    refuses(body) {
      const [name] = unknownNames(body, fields);
      if (name !== undefined) return refusal(`${name}: Extra inputs are not permitted`);
      return body.max_tokens === undefined ? refusal('max_tokens: Field required') : null;
    },
  },
  {
    source: 'https://platform.claude.com/docs/en/models/overview',
    read,
    refuses(body, model) {
      const most = maxOutput(model);
      if (Number(body.max_tokens) <= most) return null;
      return refusal(
        `max_tokens: ${body.max_tokens} > ${most}, which is the maximum allowed number of output tokens for ${model}`,
      );
    },
  },
  {
    source: create,
    read,
    refuses({ messages }) {
      const [first] = toObjects(messages);
      if (!first) return refusal('messages: at least one message is required');
      return first.role === 'user' ? null : refusal('messages: first message must use the "user" role');
    },
  },
  {
    source: 'https://github.com/anthropics/claude-code/issues/23440',
    read,
    refuses({ messages, system }) {
      for (const [index, message] of toObjects(messages).entries()) {
        const blocks = getBlocks(message);
        if (blocks.length === 0) {
          return refusal(
            `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
          );
        }
        if (blocks.some((block) => block.type === 'text' && isBlank(block.text))) {
          return refusal('messages: text content blocks must contain non-whitespace text');
        }
      }
      const texts = typeof system === 'string' ? [system] : toObjects(system).map(({ text }) => text);
      return texts.some(isBlank) ? refusal('system: text content blocks must contain non-whitespace text') : null;
    },
  },
  {
    source: errors,
    read,
    refuses({ messages }, model) {
      const last = toObjects(messages).at(-1);
      if (last?.role !== 'assistant') return null;
      if (!isUpTo45(model)) {
        return refusal(
          'This model does not support assistant message prefill. The conversation must end with a user message.',
        );
      }
      const text = asText(getBlocks(last).at(-1)?.text) ?? '';
      return /\s$/.test(text) ? refusal('messages: final assistant content cannot end with trailing whitespace') : null;
    },
  },
  {
    source: errors,
    read,
    refuses(body, model) {
      const { type } = asObject(body.thinking);
      const advice = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
      if (type === 'enabled' && !isUpTo45(model) && !is46(model)) {
        return refusal(`"thinking.type.enabled" is not supported for this model. ${advice}`);
      }
      if (type === 'adaptive' && isUpTo45(model)) return refusal('adaptive thinking is not supported on this model');
      if (type === 'disabled' && alwaysThinks.includes(model)) {
        return refusal(`"thinking.type.disabled" is not supported for this model. ${advice}`);
      }
      return null;
    },
  },
  {
    source: 'https://platform.claude.com/docs/en/build-with-claude/effort',
    read,
    refuses(body, model) {
      const { effort } = asObject(body.output_config);
      if (effort === undefined) return null;
      if (noEffort.includes(model)) return refusal('This model does not support the effort parameter.');
      if (!getEfforts(model).includes(String(effort))) {
        return refusal(`output_config.effort '${effort}' is not supported on this model.`);
      }
      const isHigh = effort === 'xhigh' || effort === 'max';
      if (isHigh && asObject(body.thinking).type === 'disabled') {
        return refusal(
          `output_config.effort '${effort}' is not supported when thinking is disabled on this model. Use effort 'high' or below, or enable thinking.`,
        );
      }
      return null;
    },
  },
  {
    source: 'https://platform.claude.com/docs/en/build-with-claude/extended-thinking',
    read,
    refuses(body) {
      const { type, budget_tokens: budget } = asObject(body.thinking);
      if (type !== 'enabled') return null;
      if (!(Number(budget) >= 1_024)) {
        return refusal('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
      }
      if (Number(budget) < Number(body.max_tokens)) return null;
      return refusal('`max_tokens` must be greater than `thinking.budget_tokens`.');
    },
  },
  {
    source: `${errors}, https://platform.claude.com/docs/en/build-with-claude/thinking-tool-workflows`,
    read,
    refuses(body, model) {
      const { type } = asObject(body.tool_choice);
      if (type === undefined) return null;
      if (!hasTools(body)) return refusal('tool_choice: may only be specified while providing tools');
      if (type !== 'any' && type !== 'tool') return null;
      if (neverForced.includes(model))
        return refusal('tool_choice: type "tool" and "any" are not supported for this model.');
      if (asObject(body.thinking).type !== 'enabled') return null;
      return refusal('Thinking may not be enabled when tool_choice forces tool use.');
    },
  },
  {
    source: create,
    read,
    refuses(body, model) {
      const { temperature, top_p: topP } = body;
      if (!isUpTo45(model) && !is46(model)) {
        if (temperature !== undefined && temperature !== 1)
          return refusal('`temperature` is deprecated for this model.');
        return topP !== undefined && Number(topP) < 0.99 ? refusal('`top_p` is deprecated for this model.') : null;
      }
      if (temperature !== undefined && topP !== undefined) {
        return refusal('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
      }
      if (Number(temperature ?? 1) > 1) return refusal('temperature: range: 0..1');
      const thinks = ['enabled', 'adaptive'].includes(String(asObject(body.thinking).type));
      if (thinks && temperature !== undefined && temperature !== 1) {
        return refusal('`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.');
      }
      return null;
    },
  },
  {
    source: 'https://platform.claude.com/docs/en/build-with-claude/structured-outputs',
    read,
    refuses(body, model) {
      const format = asObject(asObject(body.output_config).format);
      if (format.type !== undefined && model === 'claude-opus-4-1') {
        return refusal('This model does not support structured outputs.');
      }
      const ofAnswer = format.type === 'json_schema' ? schemaFault(format.schema, 'output_config.format.schema') : null;
      if (ofAnswer) return ofAnswer;
      for (const [index, tool] of toObjects(body.tools).entries()) {
        // Anthropic's own search tool has no schema
        // (https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool).
        if (asText(tool.type)?.startsWith('web_search_')) continue;
        if (asObject(tool.input_schema).type !== 'object')
          return refusal(`tools.${index}.custom.input_schema.type: Field required`);
        const fault = tool.strict === true ? schemaFault(tool.input_schema, `tools.${index}.custom`) : null;
        if (fault) return fault;
      }
      return null;
    },
  },
  {
    source: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview',
    read,
    refuses(body) {
      const messages = toObjects(body.messages);
      for (const [index, message] of messages.entries()) {
        const ids = getBlocks(message).flatMap((block) => (block.type === 'tool_use' ? [String(block.id)] : []));
        if (ids.some((id) => !/^[a-zA-Z0-9_-]+$/.test(id))) {
          return refusal(`messages.${index}.content: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
        }
        const results = getBlocks(messages[index + 1] ?? {}).map((block) => block.tool_use_id);
        const missing = ids.filter((id) => !results.includes(id));
        if (missing.length > 0) {
          const names = missing.join(', ');
          return refusal(
            `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${names}.`,
          );
        }
      }
      return null;
    },
  },
  {
    source: 'https://github.com/anthropics/claude-code/issues/14264',
    read,
    refuses(body) {
      if (asObject(body.thinking).type !== 'enabled') return null;
      const messages = toObjects(body.messages);
      const isResult = getBlocks(messages.at(-1) ?? {}).some(({ type }) => type === 'tool_result');
      const index = messages.findLastIndex(({ role }) => role === 'assistant');
      const type = getBlocks(messages[index] ?? {})[0]?.type;
      if (!isResult || type === 'thinking' || type === 'redacted_thinking') return null;
      return refusal(
        `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
      );
    },
  },
  {
    source: `${create}, https://github.com/anthropics/claude-code/issues/10627, https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5`,
    read,
    refuses(body, model) {
      for (const { block, at: messageIndex, place } of thinkingBlocks(body)) {
        if (block.signature === undefined) return refusal(`${place}.thinking.signature: Field required`);
        const fault = signatureFault(body, model, block, messageIndex);
        if (fault === 'text' || (fault === 'model' && preserves(model))) {
          return refusal(`${place}: Invalid \`signature\` in \`thinking\` block`);
        }
      }
      return null;
    },
  },
  {
    source: `${preserved}/fix-bound-to-a-different-conversation, ${preserved}/prefix-checks`,
    read,
    refuses(body, model) {
      const { prefix_mismatch_behavior: behaviour } = asObject(asObject(body.thinking).block_binding);
      if (!preserves(model) || behaviour === 'drop_block') return null;
      const moved = thinkingBlocks(body).find(
        ({ block, at: messageIndex }) => signatureFault(body, model, block, messageIndex) === 'conversation',
      );
      return moved
        ? refusal(
            `${moved.place}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
          )
        : null;
    },
  },
  {
    source: preserved,
    read,
    refuses(body, model, headers) {
      if (asObject(body.thinking).block_binding === undefined) return null;
      const knows = headers?.get('anthropic-beta')?.includes('thinking-binding-controls-2026-08-01') ?? false;
      return knows && preserves(model) ? null : refusal('thinking.block_binding: Extra inputs are not permitted');
    },
  },
];

/** Formats an error as Anthropic does. */
export const anthropicError = ({ message }: Refusal): object => ({
  type: 'error',
  error: { type: 'invalid_request_error', message },
  request_id: 'req_011CfKw9TfKcnYifTJEESftk',
});
