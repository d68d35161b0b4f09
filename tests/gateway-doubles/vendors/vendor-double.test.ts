import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#shared/json/foreign-json.ts';
import { anthropicRules } from './anthropic-vendor.ts';
import { googleRules } from './google-vendor.ts';
import { openAiRules } from './openai-vendor.ts';
import { responsesRules, unverifiedRules } from './responses-vendor.ts';
import { anthropicThinking } from './tool-loops.ts';
import { openVendorDouble } from './vendor-double.ts';
import type { VendorRule } from './vendor-rule.ts';

/**
 * A double that refuses nothing proves nothing. So these tests see each rule refuse a request in the vendor's words.
 */

const user = { role: 'user', content: 'hi' };
const open = { type: 'object', properties: {} };
const png = { type: 'image_url', image_url: { url: 'data:image/png;base64,' } };
const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
const tool = { type: 'function', function: { name: 'f' } };

const openAi = (model: string, more: object) => ({ model, messages: [user], ...more });
const toOpenAi: [body: object, words: RegExp][] = [
  [openAi('gpt-4o', { thinking: {} }), /Unrecognized request argument supplied: thinking/],
  [openAi('gpt-5', { max_tokens: 5 }), /Use 'max_completion_tokens'/],
  [openAi('gpt-4o', { max_tokens: 20_000 }), /at most 16384 completion tokens/],
  [openAi('o3', { temperature: 0 }), /Only the default \(1\)/],
  [openAi('gpt-5.4', { top_p: 0.5, reasoning_effort: 'low' }), /'top_p' is not supported/],
  [openAi('o3', { logit_bias: {} }), /'logit_bias' is not supported/],
  [openAi('gpt-4.1', { reasoning_effort: 'low' }), /Unrecognized request argument supplied: reasoning_effort/],
  [openAi('gpt-6-astra', { reasoning_effort: 'none' }), /'low', 'medium', 'high', 'xhigh'\./],
  [openAi('gpt-5.6-sol', { tools: [tool] }), /set reasoning_effort to 'none'/],
  [openAi('gpt-5.4', { tools: [tool], reasoning_effort: 'low' }), /use \/v1\/responses/],
  [openAi('o4-mini', { tools: [tool], parallel_tool_calls: false }), /'parallel_tool_calls' is not supported/],
  [openAi('gpt-4o', { tool_choice: 'auto' }), /only allowed when 'tools' are specified/],
  [openAi('gpt-4o', { response_format: { type: 'json_object' } }), /must contain the word 'json'/],
  [
    openAi('gpt-4o', {
      response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema: open } },
    }),
    /'additionalProperties' is required/,
  ],
  [openAi('gpt-4o', { messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] }), /file_id/],
  [openAi('gpt-4o', { messages: [{ role: 'tool', content: [png] }] }), /only allowed for messages with role 'user'/],
  [openAi('o3-mini', { messages: [{ role: 'user', content: [png] }] }), /certain models/],
  [
    openAi('gpt-4o', { messages: [user, { role: 'assistant', tool_calls: [call] }] }),
    /must be followed by tool messages/,
  ],
  [
    openAi('gpt-4o', { messages: [{ role: 'tool', tool_call_id: 'c'.repeat(65) }] }),
    /maximum length 64, but got a string with length 65/,
  ],
];

const responses = (model: string, more: object) => ({ model, input: [user], store: false, ...more });
const called = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' };
const returned = { type: 'function_call_output', call_id: 'c1', output: '' };
const strictFormat = { format: { type: 'json_schema', name: 'x', strict: true, schema: open } };
const toResponses: [body: object, words: RegExp][] = [
  [responses('gpt-5.4', { stop: ['a'] }), /Unknown parameter: 'stop'/],
  [responses('gpt-5.4', { input: [{ ...user, name: 'a' }] }), /Unknown parameter: 'input\[0\].name'/],
  [responses('gpt-5.4', { max_output_tokens: 15 }), />= 16, but got 15/],
  [responses('gpt-5.4', { temperature: 0, reasoning: { effort: 'low' } }), /'temperature' is not supported/],
  [responses('gpt-5.6-luna', { reasoning: { effort: 'minimal' } }), /'none', 'low', 'medium', 'high', 'xhigh', 'max'/],
  [responses('gpt-6-astra', { reasoning: { effort: 'none' } }), /'none' is not supported with the 'gpt-6-astra' model/],
  [responses('gpt-5.4', { tools: [tool] }), /Missing required parameter: 'tools\[0\].name'/],
  [responses('gpt-5.4', { tool_choice: 'auto' }), /must be specified with 'tools'/],
  [responses('gpt-5.4', { input: [{ role: 'tool', content: '' }] }), /Invalid value: 'tool'/],
  [responses('gpt-5.4', { input: [{ role: 'user', content: [{ type: 'text' }] }] }), /Invalid value: 'text'/],
  [responses('gpt-5.4', { text: { format: { type: 'json_object' } } }), /must contain the word 'json'/],
  [responses('gpt-5.4', { text: strictFormat }), /'additionalProperties' is required/],
  [responses('gpt-5.4', { tools: [{ type: 'function', name: 'f', parameters: open }] }), /'additionalProperties'/],
  [responses('gpt-5.4', { input: [called] }), /No tool output found for function call c1/],
  [responses('gpt-5.4', { input: [returned] }), /No tool call found/],
  [responses('gpt-5.4', { input: [{ ...called, call_id: 'c'.repeat(65) }] }), /maximum length 64/],
  [responses('gpt-5.4', { input: [{ type: 'reasoning', id: 'rs_1', summary: [] }] }), /Items are not persisted/],
  [
    responses('gpt-5.4', { input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'of another' }] }),
    /could not be verified/,
  ],
];
const toUnverified: [body: object, words: RegExp][] = [
  [responses('gpt-6-sol', { stream: true }), /must be verified to stream/],
  [responses('gpt-6-sol', { reasoning: { summary: 'auto' } }), /must be verified to generate reasoning summaries/],
];

const claude = (model: string, more: object) => ({ model, max_tokens: 100, messages: [user], ...more });
const use = { type: 'tool_use', id: 'c1', name: 'f', input: {} };
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1' }] };
const claudeTool = { name: 'f', input_schema: { type: 'object' } };
const manual = { thinking: { type: 'enabled', budget_tokens: 2_000 }, max_tokens: 5_000 };
const afterThinking = (model: string, thinking: object) =>
  claude(model, { messages: [user, { role: 'assistant', content: [thinking, use] }, result] });
const toAnthropic: [body: object, words: RegExp][] = [
  [claude('claude-opus-5', { seed: 1 }), /seed: Extra inputs are not permitted/],
  [claude('claude-opus-4-5', { max_tokens: 64_001 }), /64001 > 64000/],
  [claude('claude-opus-5', { messages: [] }), /at least one message/],
  [
    claude('claude-opus-5', { messages: [{ role: 'assistant', content: 'hi' }, user] }),
    /first message must use the "user" role/,
  ],
  [claude('claude-opus-5', { messages: [{ role: 'user', content: ' ' }] }), /non-whitespace text/],
  [claude('claude-opus-4-6', { messages: [user, { role: 'assistant', content: 'I' }] }), /prefill/],
  [claude('claude-haiku-4-5', { messages: [user, { role: 'assistant', content: 'I ' }] }), /trailing whitespace/],
  [claude('claude-opus-5-5', { thinking: { type: 'disabled' } }), /"thinking.type.disabled" is not supported/],
  [
    claude('claude-opus-4-8', { thinking: { type: 'enabled', budget_tokens: 2_000 } }),
    /"thinking.type.enabled" is not supported/,
  ],
  [claude('claude-sonnet-4-5', { thinking: { type: 'adaptive' } }), /adaptive thinking is not supported/],
  [claude('claude-opus-4-6', { output_config: { effort: 'xhigh' } }), /effort 'xhigh' is not supported/],
  [claude('claude-opus-5', { output_config: { effort: 'max' }, thinking: { type: 'disabled' } }), /'high' or below/],
  [claude('claude-haiku-4-5', { thinking: { type: 'enabled', budget_tokens: 10 } }), /greater than or equal to 1024/],
  [claude('claude-haiku-4-5', { thinking: { type: 'enabled', budget_tokens: 2_000 } }), /must be greater than/],
  [
    claude('claude-fable-5-1', { tools: [claudeTool], tool_choice: { type: 'any' } }),
    /type "tool" and "any" are not supported/,
  ],
  [
    claude('claude-haiku-4-5', { ...manual, tools: [claudeTool], tool_choice: { type: 'any' } }),
    /Thinking may not be enabled/,
  ],
  [claude('claude-opus-5', { temperature: 0.5 }), /`temperature` is deprecated/],
  [claude('claude-opus-4-6', { temperature: 0.5, top_p: 0.5 }), /cannot both be specified/],
  [
    claude('claude-opus-5', { output_config: { format: { type: 'json_schema', schema: open } } }),
    /explicitly set to false/,
  ],
  [
    claude('claude-opus-5', { messages: [user, { role: 'assistant', content: [use] }, user] }),
    /`tool_use` ids were found without/,
  ],
  [
    claude('claude-haiku-4-5', { ...manual, messages: [user, { role: 'assistant', content: [use] }, result] }),
    /Expected `thinking`/,
  ],
  [afterThinking('claude-opus-4-6', { type: 'thinking', thinking: 'Hm.' }), /thinking.signature: Field required/],
  [
    afterThinking('claude-opus-4-6', { ...anthropicThinking('claude-opus-4-6', 'Hm.'), thinking: 'Hum.' }),
    /Invalid `signature`/,
  ],
  [afterThinking('claude-opus-5-5', anthropicThinking('claude-opus-5', 'Hm.')), /Invalid `signature`/],
  [afterThinking('claude-opus-5-5', anthropicThinking('claude-opus-5-5', 'Hm.')), /bound to a different conversation/],
  [
    claude('claude-opus-5-5', { thinking: { type: 'adaptive', block_binding: {} } }),
    /block_binding: Extra inputs are not permitted/,
  ],
];

const hi = { role: 'user', parts: [{ text: 'hi' }] };
const functionCall = { functionCall: { name: 'f', args: {} } };
const answered = { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] };
const gemini = (model: string, more: object) => ({ model, contents: [hi], ...more });
const config = (generationConfig: object) => ({ generationConfig });
const toGoogle: [body: object, words: RegExp][] = [
  [gemini('gemini-3.8-flash', config({ responseModalities: ['IMAGE'] })), /requested response modalities/],
  [gemini('gemini-3-pro-image', { tools: [{ functionDeclarations: [] }] }), /Function calling is not enabled/],
  [gemini('gemini-3-pro-image', config({ responseMimeType: 'application/json' })), /JSON mode is not enabled/],
  [gemini('gemini-3.8-flash', { messages: [] }), /Unknown name "messages"/],
  [gemini('gemini-3.8-flash', { contents: [] }), /contents is not specified/],
  [gemini('gemini-3.8-flash', { contents: [{ role: 'user', parts: [{ text: '' }] }] }), /required oneof field 'data'/],
  [
    gemini('gemini-3.8-flash', config({ thinkingConfig: { thinkingLevel: 'minimal' } })),
    /Thinking level MINIMAL is not supported/,
  ],
  [gemini('gemini-2.5-flash', config({ thinkingConfig: { thinkingLevel: 'low' } })), /Thinking level is not supported/],
  [gemini('gemini-2.5-pro', config({ thinkingConfig: { thinkingBudget: 0 } })), /only works in thinking mode/],
  [gemini('gemini-2.5-flash-lite', config({ thinkingConfig: { thinkingBudget: 100 } })), /between 512 and 24576/],
  [gemini('gemini-3.8-flash', config({ maxOutputTokens: 70_000 })), /65537 \(exclusive\)/],
  [gemini('gemini-3.8-flash', config({ seed: 2 ** 40 })), /TYPE_INT32/],
  [
    gemini('gemini-3.6-flash', { contents: [hi, { role: 'model', parts: [{ text: 'I' }] }] }),
    /ending with a model turn/,
  ],
  [
    gemini('gemini-2.5-flash', { tools: [{}], ...config({ responseMimeType: 'application/json' }) }),
    /response mime type/,
  ],
  [
    gemini('gemini-2.5-pro', { contents: [{ role: 'model', parts: [functionCall] }, answered] }),
    /immediately after a user turn/,
  ],
  [
    gemini('gemini-2.5-pro', { contents: [hi, { role: 'model', parts: [functionCall, functionCall] }, answered] }),
    /is equal to the number/,
  ],
  [
    gemini('gemini-3.5-flash', { contents: [hi, { role: 'model', parts: [functionCall] }, answered] }),
    /missing a thought_signature/,
  ],
  [
    gemini('gemini-3.5-flash', {
      contents: [hi, { role: 'model', parts: [{ ...functionCall, thoughtSignature: 'of another' }] }, answered],
    }),
    /Corrupted thought signature/,
  ],
  [
    gemini('gemini-3.5-flash', {
      toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['f'] } },
    }),
    /without mode ANY/,
  ],
];

const addresses = {
  openai: () => 'https://openai.example/v1/chat/completions',
  responses: () => 'https://openai.example/v1/responses',
  unverified: () => 'https://openai.example/v1/responses',
  anthropic: () => 'https://anthropic.example/v1/messages',
  google: (model: string) => `https://google.example/v1beta/models/${model}:streamGenerateContent?alt=sse`,
};

const all = [
  ['openai', toOpenAi, openAiRules],
  ['responses', toResponses, responsesRules],
  ['unverified', toUnverified, unverifiedRules],
  ['anthropic', toAnthropic, anthropicRules],
  ['google', toGoogle, googleRules],
] as const;

describe.each(all)('the double of %s', (vendor, refused, rules) => {
  test.each(refused)('refuses %j', async (given, words) => {
    const { model, ...rest } = given as { model: string };
    const body = JSON.stringify(vendor === 'google' ? rest : given);
    const answer = await openVendorDouble({ verified: vendor !== 'unverified' }).send(addresses[vendor](model), {
      method: 'POST',
      body,
    });
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { message: string } };
    expect(error.message).toMatch(words);
  });

  test('has only rules that some request here breaks, each with its source and date', () => {
    const breaks = ({ refuses }: VendorRule) =>
      refused.some(([body]) => {
        const { model, ...rest } = body as JsonObject & { model: string };
        return refuses(vendor === 'google' ? rest : (body as JsonObject), model) !== null;
      });
    expect(rules.filter((rule) => !breaks(rule)).map(({ source }) => source)).toEqual([]);
    for (const { source, read } of rules) {
      expect(source).toMatch(/^https:\/\/\S+(, https:\/\/\S+)*$/);
      expect(read).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    }
  });
});
