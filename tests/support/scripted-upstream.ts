import type { ServerResponse } from 'node:http';
import { completionEvent } from '../gateway-doubles/raw-upstream.ts';
import {
  brokenReply,
  errorReply,
  hangingReply,
  openUpstream,
  type Reply,
  streamReply,
  type UpstreamCallSeen,
} from '../gateway-doubles/upstream-server.ts';

const begun = completionEvent({ role: 'assistant', content: 'Hel' });
const complete = `${begun}${completionEvent({ content: 'lo' })}${completionEvent({}, { finish_reason: 'stop' })}data: [DONE]\n\n`;

const scripts = {
  ok: streamReply(complete),
  'hang-at-once': hangingReply(''),
  'hang-for-409': hangingReply(''),
  'hang-for-429': hangingReply(''),
  'hang-after-text': hangingReply(begun),
  'break-after-text': brokenReply(begun),
  /** The stream ends normally, but without a finish reason or `[DONE]`. */
  'end-after-text': streamReply(begun),
  'end-without-text': streamReply(''),
  'reset-at-once': (_call, response) => void response.destroy(),
  nonsense: streamReply('data: {"choices":[{"delta":\n\n'),
  'status-400': errorReply(400, { error: { message: 'There is no such voice.', type: 'invalid_request_error' } }),
  'status-401': errorReply(401, {}),
  'status-402': errorReply(402, { error: { message: 'No quota is left.', code: 'insufficient_quota' } }),
  'too-long': errorReply(400, { error: { message: 'That is too long.', code: 'context_length_exceeded' } }),
  'against-policy': errorReply(400, { error: { message: 'That is not allowed.', code: 'content_policy_violation' } }),
  'status-429': errorReply(429, {}, { 'retry-after': '1' }),
  'status-500': errorReply(500, {}),
  'status-503': errorReply(503, {}),
  'status-529': errorReply(529, {}),
} satisfies Record<string, Reply>;

export type Script = keyof typeof scripts;

/**
 * Opens a server with OpenAI's interface whose models do what their names say: `status-500.3` answers with status 500.
 * Each script has `copies` models, so that concurrent tests don't share one.
 */
export async function openScriptedUpstream(copies: number) {
  const models = Object.keys(scripts).flatMap((script) =>
    Array.from({ length: copies }, (_, copy) => ({ id: `${script}.${copy}`, object: 'model' })),
  );
  const upstream = await openUpstream((call, response) => answer(call, response));
  const getName = ({ body }: UpstreamCallSeen) => String(body.model ?? '');

  function answer(call: UpstreamCallSeen, response: ServerResponse) {
    if (call.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data: models }));
      return;
    }
    const script = getName(call).replace(/\.\d+$/, '') as Script;
    return (scripts[script] as Reply)(call, response);
  }

  return {
    baseUrl: `${upstream.origin}/v1`,
    /** Returns the calls of a model, such as `status-500.3`. */
    calls: (model: string) => upstream.calls.filter((call) => getName(call) === model),
    close: upstream.close,
  };
}
