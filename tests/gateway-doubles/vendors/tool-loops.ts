import { createHash } from 'node:crypto';
import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { calledTool, getCallItem, responsesTools } from './scripted-calls.ts';
import { listOf } from './vendor-rule.ts';

/**
 * How the doubles think through a tool loop: calls of the first tool, one after the other, and then a sentence that says whether
 * all of their earlier thinking came back.
 */
export type CallArguments = readonly object[];
/** What they call it with, unless they are told. */
export const weatherCalls: CallArguments = [{ city: 'Rome' }, { city: 'Oslo' }];
export const thoughtThrough = 'It is warm in both, as I thought.';
export const lostTheThread = 'It is warm in both.';
const thought = 'I need to call a tool.';

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64');
/** As the vendors' own: base64 with every character it has. */
const sealed = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64');
const drawnId = (seed: unknown) => createHash('sha256').update(JSON.stringify(seed)).digest('hex');

const ending = (complete: boolean) => (complete ? thoughtThrough : lostTheThread);
const getEvent = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

export function openAiLoop(body: JsonObject, model: string, given: CallArguments): string {
  const done = listOf(body.messages).filter(({ role }) => role === 'tool').length;
  const chunk = (delta: object, finish: string | null = null) =>
    getEvent({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }], usage: null });
  const usage = getEvent({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 } });
  if (done >= given.length) {
    const thinks = body.reasoning_effort !== 'none';
    return [chunk({ content: ending(thinks) }), chunk({}, 'stop'), usage, 'data: [DONE]\n\n'].join('');
  }
  const offered = listOf(body.tools).map((tool) => named(asObject(tool.function).name));
  const { tool, input } = calledTool(given[done], offered);
  const fn = { name: tool.name, arguments: JSON.stringify(input) };
  const call = { index: 0, id: `call_${drawnId(body).slice(0, 24)}`, type: 'function', function: fn };
  // Servers of open models say what was thought, OpenAI does not.
  const said = /^gpt-oss/.test(model) ? chunk({ reasoning: thought }) : '';
  return [said, chunk({ tool_calls: [call] }), chunk({}, 'tool_calls'), usage, 'data: [DONE]\n\n'].join('');
}

/** The same over OpenAI's Responses API, whose reasoning items come back encrypted. */
export function responsesLoop(body: JsonObject, model: string, given: CallArguments): string {
  const input = listOf(body.input);
  const calls = input.flatMap(({ type }, at) => (isCall(type) ? [at] : []));
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
    const text = ending(calls.every((at) => input[at - 1]?.type === 'reasoning'));
    const content = [{ type: 'output_text', annotations: [], logprobs: [], text }];
    const said = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0 };
    return (
      getEvent({ ...said, delta: text }) +
      answer({ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content })
    );
  }
  const id = drawnId(body).slice(0, 24);
  const summary = [{ type: 'summary_text', text: thought }];
  const encrypted_content = `encrypted by ${model}`;
  const call = getCallItem(calledTool(given[calls.length], responsesTools(body.tools)), id);
  return answer({ id: `rs_${id}`, type: 'reasoning', encrypted_content, summary }, call);
}

/** Kinds of calls that the caller runs. */
const isCall = (type: unknown) => /^(function|custom_tool|tool_search|shell|apply_patch)_call$/.test(String(type));

const named = (name: unknown) => ({ name: asText(name) ?? '', type: 'function' });

const blocks = (message: JsonObject) => listOf(message.content);

/** All before this message that a signature is bound to. */
const getPrefix = ({ system, tools, messages }: JsonObject, at: number) =>
  digest({ system: system ?? null, tools: tools ?? null, messages: asArray(messages).slice(0, at) });

/** Anthropic's signature of what it thought here. */
const anthropicSignature = (body: JsonObject, model: string, thinking: string, at: number) =>
  sealed({ model, thinking: digest(thinking), prefix: getPrefix(body, at) });

/** Of what the recorded answers have thought (`recorded-streams.ts`): the vendors' own as well. */
const recordedSignature = 'c2ln';

/** What a model thought before a call, in a conversation that nobody remembers. */
export const anthropicThinking = (model: string, thinking: string) => ({
  type: 'thinking',
  thinking,
  signature: sealed({ model, thinking: digest(thinking), prefix: '' }),
});

/** What of a signature does not hold: its text, its model or the conversation before it. Null: it holds. */
export function signatureFault(
  body: JsonObject,
  model: string,
  { thinking, signature }: JsonObject,
  at: number,
): 'text' | 'model' | 'conversation' | null {
  if (signature === recordedSignature) return null;
  const own = parsed(signature);
  if (own.thinking !== digest(thinking)) return 'text';
  if (own.model !== model) return 'model';
  return own.prefix === getPrefix(body, at) ? null : 'conversation';
}

function parsed(signature: unknown): JsonObject {
  try {
    return asObject(JSON.parse(Buffer.from(asText(signature) ?? '', 'base64').toString()));
  } catch {
    return {};
  }
}

export function anthropicLoop(body: JsonObject, model: string, given: CallArguments): string {
  const messages = listOf(body.messages);
  const turns = messages.flatMap((message, at) => (message.role === 'assistant' ? [{ message, at }] : []));
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
    const complete = calls.every(({ message, at }) => {
      const [first] = blocks(message);
      return first?.type === 'thinking' && signatureFault(body, model, first, at) === null;
    });
    return start + block(0, { type: 'text', text: ending(complete) }) + end('end_turn');
  }
  const signature = anthropicSignature(body, model, thought, messages.length);
  const step = calledTool(
    given[calls.length],
    listOf(body.tools).map((tool) => named(tool.name)),
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

/** Google's signature of a call. */
export const googleSignature = (model: string, call: JsonObject): string =>
  sealed({ model, call: digest([call.name, call.args]) });

/** What Google's documentation names for calls that were never its own. */
const placeholders = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];

export const isOwnGoogleSignature = (model: string, part: JsonObject): boolean =>
  part.thoughtSignature === googleSignature(model, asObject(part.functionCall));

/** One that Google would not have signed, nor takes in place of its own. */
export const isCorrupted = (model: string, part: JsonObject): boolean =>
  part.thoughtSignature !== undefined &&
  ![...placeholders, recordedSignature].includes(String(part.thoughtSignature)) &&
  !isOwnGoogleSignature(model, part);

export function googleLoop(body: JsonObject, model: string, given: CallArguments): string {
  const parts = listOf(body.contents).flatMap((content) => listOf(content.parts));
  const calls = parts.filter((part) => part.functionCall !== undefined);
  const answer = (own: object[], finishReason: string) =>
    getEvent({
      candidates: [{ content: { role: 'model', parts: own }, finishReason, index: 0 }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 9, totalTokenCount: 18 },
    });
  if (calls.length >= given.length) {
    return answer([{ text: ending(calls.every((part) => isOwnGoogleSignature(model, part))) }], 'STOP');
  }
  const offered = listOf(body.tools).flatMap((tool) => listOf(tool.functionDeclarations));
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
