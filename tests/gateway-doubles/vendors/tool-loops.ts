import { createHash } from 'node:crypto';
import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { calledTool, getCallItem, responsesTools } from './scripted-calls.ts';
import { toObjects } from './vendor-rule.ts';

/**
 * The answers of the vendors' doubles in a tool loop: calls of the first tool, one after another, and then a sentence
 * that shows whether all their earlier reasoning was sent back.
 */
export type CallArguments = readonly object[];
/** The default inputs of the calls. */
export const weatherCalls: CallArguments = [{ city: 'Rome' }, { city: 'Oslo' }];
export const thoughtThrough = 'It is warm in both, as I thought.';
export const lostTheThread = 'It is warm in both.';
const thought = 'I need to call a tool.';

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64');
/** Makes a value opaque as the vendors do, in base64 with every character that base64 has. */
const sealed = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64');
const drawnId = (seed: unknown) => createHash('sha256').update(JSON.stringify(seed)).digest('hex');

const ending = (complete: boolean) => (complete ? thoughtThrough : lostTheThread);
const getEvent = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

export function openAiLoop(body: JsonObject, model: string, given: CallArguments): string {
  const done = toObjects(body.messages).filter(({ role }) => role === 'tool').length;
  const chunk = (delta: object, finish: string | null = null) =>
    getEvent({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }], usage: null });
  const usage = getEvent({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 } });
  if (done >= given.length) {
    const thinks = body.reasoning_effort !== 'none';
    return [chunk({ content: ending(thinks) }), chunk({}, 'stop'), usage, 'data: [DONE]\n\n'].join('');
  }
  const offered = toObjects(body.tools).map((tool) => named(asObject(tool.function).name));
  const { tool, input } = calledTool(given[done], offered);
  const fn = { name: tool.name, arguments: JSON.stringify(input) };
  const call = { index: 0, id: `call_${drawnId(body).slice(0, 24)}`, type: 'function', function: fn };
  // Servers of open models send the reasoning in plain text, OpenAI does not.
  const reasoningChunk = /^gpt-oss/.test(model) ? chunk({ reasoning: thought }) : '';
  return [reasoningChunk, chunk({ tool_calls: [call] }), chunk({}, 'tool_calls'), usage, 'data: [DONE]\n\n'].join('');
}

/** The same loop over OpenAI's Responses API, whose reasoning items must come back encrypted. */
export function responsesLoop(body: JsonObject, model: string, given: CallArguments): string {
  const input = toObjects(body.input);
  const calls = input.flatMap(({ type }, index) => (isCall(type) ? [index] : []));
  const usage = { input_tokens: 9, output_tokens: 9, total_tokens: 18 };
  const answer = (...output: object[]) => {
    const done = output.map((item, index) =>
      getEvent({ type: 'response.output_item.done', output_index: index, item }),
    );
    const response = { id: 'resp_1', object: 'response', status: 'completed', output, usage };
    return [
      getEvent({ type: 'response.created', response }),
      ...done,
      getEvent({ type: 'response.completed', response }),
    ].join('');
  };
  if (calls.length >= given.length) {
    const text = ending(calls.every((index) => input[index - 1]?.type === 'reasoning'));
    const content = [{ type: 'output_text', annotations: [], logprobs: [], text }];
    const deltaFields = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0 };
    return (
      getEvent({ ...deltaFields, delta: text }) +
      answer({ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content })
    );
  }
  const id = drawnId(body).slice(0, 24);
  const summary = [{ type: 'summary_text', text: thought }];
  const encrypted_content = `encrypted by ${model}`;
  const call = getCallItem(calledTool(given[calls.length], responsesTools(body.tools)), id);
  return answer({ id: `rs_${id}`, type: 'reasoning', encrypted_content, summary }, call);
}

/** Returns whether an item is a call that the caller runs. */
const isCall = (type: unknown) => /^(function|custom_tool|tool_search|shell|apply_patch)_call$/.test(String(type));

const named = (name: unknown) => ({ name: asText(name) ?? '', type: 'function' });

const blocks = (message: JsonObject) => toObjects(message.content);

/** Returns a digest of everything before this message, which a signature is bound to. */
const getPrefix = ({ system, tools, messages }: JsonObject, index: number) =>
  digest({ system: system ?? null, tools: tools ?? null, messages: asArray(messages).slice(0, index) });

/** Returns Anthropic's signature of reasoning at this message. */
const anthropicSignature = (body: JsonObject, model: string, thinking: string, index: number) =>
  sealed({ model, thinking: digest(thinking), prefix: getPrefix(body, index) });

/** The signature of the reasoning in the recorded answers (`recorded-streams.ts`), which counts as the vendors' own. */
const recordedSignature = 'c2ln';

/** Makes a model's reasoning before a call, as if from a conversation that nobody has stored. */
export const anthropicThinking = (model: string, thinking: string) => ({
  type: 'thinking',
  thinking,
  signature: sealed({ model, thinking: digest(thinking), prefix: '' }),
});

/**
 * Returns which part of a signature is wrong: its text, its model or the conversation before it.
 * Null means that it's valid.
 */
export function signatureFault(
  body: JsonObject,
  model: string,
  { thinking, signature }: JsonObject,
  index: number,
): 'text' | 'model' | 'conversation' | null {
  if (signature === recordedSignature) return null;
  const own = parsed(signature);
  if (own.thinking !== digest(thinking)) return 'text';
  if (own.model !== model) return 'model';
  return own.prefix === getPrefix(body, index) ? null : 'conversation';
}

function parsed(signature: unknown): JsonObject {
  try {
    return asObject(JSON.parse(Buffer.from(asText(signature) ?? '', 'base64').toString()));
  } catch {
    return {};
  }
}

export function anthropicLoop(body: JsonObject, model: string, given: CallArguments): string {
  const messages = toObjects(body.messages);
  const turns = messages.flatMap((message, index) => (message.role === 'assistant' ? [{ message, at: index }] : []));
  const calls = turns.filter(({ message }) => blocks(message).some(({ type }) => type === 'tool_use'));
  const event = (type: string, more: object = {}) => getEvent({ type, ...more });
  const start = event('message_start', { message: { usage: { input_tokens: 9, output_tokens: 1 } } });
  const end = (reason: string) =>
    event('message_delta', { delta: { stop_reason: reason }, usage: { output_tokens: 9 } }) + event('message_stop');
  const block = (index: number, content_block: object, ...deltas: object[]) =>
    [
      event('content_block_start', { index, content_block }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ].join('');
  if (calls.length >= given.length) {
    const complete = calls.every(({ message, at: index }) => {
      const [first] = blocks(message);
      return first?.type === 'thinking' && signatureFault(body, model, first, index) === null;
    });
    return start + block(0, { type: 'text', text: ending(complete) }) + end('end_turn');
  }
  const signature = anthropicSignature(body, model, thought, messages.length);
  const step = calledTool(
    given[calls.length],
    toObjects(body.tools).map((tool) => named(tool.name)),
  );
  const id = `toolu_${drawnId(body).slice(0, 24)}`;
  const input = JSON.stringify(step.input);
  return [
    start,
    block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: thought },
      { type: 'signature_delta', signature },
    ),
    block(
      1,
      { type: 'tool_use', id, name: step.tool.name, input: {} },
      { type: 'input_json_delta', partial_json: input },
    ),
    end('tool_use'),
  ].join('');
}

/** Returns Google's signature of a call. */
export const googleSignature = (model: string, call: JsonObject): string =>
  sealed({ model, call: digest([call.name, call.args]) });

/** Values that Google documents for calls that its models didn't make. */
const placeholders = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];

export const isOwnGoogleSignature = (model: string, part: JsonObject): boolean =>
  part.thoughtSignature === googleSignature(model, asObject(part.functionCall));

/** Returns whether Google would neither have made this signature nor accept it in place of its own. */
export const isCorrupted = (model: string, part: JsonObject): boolean =>
  part.thoughtSignature !== undefined &&
  ![...placeholders, recordedSignature].includes(String(part.thoughtSignature)) &&
  !isOwnGoogleSignature(model, part);

export function googleLoop(body: JsonObject, model: string, given: CallArguments): string {
  const parts = toObjects(body.contents).flatMap((content) => toObjects(content.parts));
  const calls = parts.filter((part) => part.functionCall !== undefined);
  const answer = (own: object[], finishReason: string) =>
    getEvent({
      candidates: [{ content: { role: 'model', parts: own }, finishReason, index: 0 }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 9, totalTokenCount: 18 },
    });
  if (calls.length >= given.length) {
    return answer([{ text: ending(calls.every((part) => isOwnGoogleSignature(model, part))) }], 'STOP');
  }
  const offered = toObjects(body.tools).flatMap((tool) => toObjects(tool.functionDeclarations));
  const step = calledTool(
    given[calls.length],
    offered.map((tool) => named(tool.name)),
  );
  const call = { id: drawnId(body).slice(0, 8), name: step.tool.name, args: step.input };
  return answer(
    [
      { text: thought, thought: true },
      { functionCall: call, thoughtSignature: googleSignature(model, call) },
    ],
    'STOP',
  );
}
