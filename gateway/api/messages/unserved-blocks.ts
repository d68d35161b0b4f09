import { AppError } from '#shared/errors.ts';
import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { MessagesRequest } from '#shared/wire/messages-request.ts';
import { refuseFields } from '../chat/refused-fields.ts';
import { isClientRun } from './client-run-tools.ts';

/** What the Messages API has and this gateway does not, each with the nearest thing that it does have. */

const servedBlocks = new Set([
  ...[
    'text',
    'image',
    'document',
    'search_result',
    'tool_use',
    'tool_result',
    'thinking',
    'redacted_thinking',
    'tool_reference',
  ],
]);

/** Throws `unsupported_parameter` or `unsupported_tool_type` for what only Anthropic's own servers do. */
export function refuseUnserved(body: JsonObject): void {
  refuseFields(body, 'messages');
  for (const [index, tool] of asArray(body.tools).entries()) checkTool(asObject(tool), `tools[${index}]`);
  for (const [index, message] of asArray(body.messages).entries()) {
    checkBlocks(asArray(asObject(message).content), `messages[${index}].content`);
  }
}

function checkTool(tool: JsonObject, at: string): void {
  const type = asText(tool.type);
  if (type === null || type === 'custom' || isClientRun(tool)) return;
  throw new AppError(
    'unsupported_tool_type',
    `Tools of the type "${type.slice(0, 64)}" are not known here. Offer a tool with an "input_schema" of your own and run it yourself.`,
    { param: `${at}.type` },
  );
}

function checkBlocks(blocks: readonly unknown[], at: string): void {
  for (const [index, value] of blocks.entries()) {
    const block = asObject(value);
    const type = asText(block.type);
    if (type !== null && !servedBlocks.has(type)) {
      const message = `Blocks of the type "${type.slice(0, 64)}" cannot be read here; text, pictures, documents, tool calls, their results and thinking can.`;
      throw new AppError('unsupported_parameter', message, { param: `${at}[${index}].type` });
    }
    if (type === 'tool_result') checkBlocks(asArray(block.content), `${at}[${index}].content`);
  }
}

/** What is left out of a request that is answered without it. */
export function droppedFields({ top_k: most, service_tier: tier }: MessagesRequest): Warning[] {
  const drop = (param: string): Warning => ({
    code: 'parameter_dropped',
    param,
    message: `"${param}" is not supported here; it was left out.`,
  });
  return [
    ...(most === undefined ? [] : [drop('top_k')]),
    ...(tier === undefined || tier === 'auto' ? [] : [drop('service_tier')]),
  ];
}
