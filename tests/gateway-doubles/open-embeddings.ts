import { onTestFinished } from 'vitest';
import { Secret } from '../../gateway/access/auth/secret.ts';
import { openTestGateway, type TestGatewayOptions } from './open-test-gateway.ts';
import { openUpstream, type Reply } from './upstream-server.ts';

export const vector = [0.25, -0.5, 0.1, 3.4028234663852886e38];
export const encoded = (numbers: readonly number[]) =>
  Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
export const counted = (tokens: number) => ({ prompt_tokens: tokens, total_tokens: tokens });
export const usage = counted(5);

/** Answers as OpenAI does: a vector for each input, in the requested format. */
export const openAiReply: Reply = ({ body }, response) => {
  const inputs = Array.isArray(body.input) && typeof body.input[0] !== 'number' ? body.input : [body.input];
  const embedding = body.encoding_format === 'base64' ? encoded(vector) : vector;
  const data = inputs.map((_, index) => ({ object: 'embedding', index, embedding }));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ object: 'list', data, model: body.model, usage }));
};

export const jsonReply =
  (body: unknown): Reply =>
  (_call, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/**
 * Opens a gateway whose embedding providers are all the same upstream, with functions to call
 * it and to see what it sent.
 */
export async function openEmbeddings(reply: Reply = openAiReply, options: TestGatewayOptions = {}) {
  const upstream = await openUpstream(reply);
  onTestFinished(() => upstream.close());
  const apiKey = new Secret('platform-key-1234');
  const served = await openTestGateway({
    plan: 'enterprise',
    providers: {
      openai: { apiKey, baseUrl: `${upstream.origin}/v1` },
      google: { apiKey, baseUrl: upstream.origin },
      ollama: { apiKey: null, baseUrl: `${upstream.origin}/v1` },
      anthropic: { apiKey, baseUrl: upstream.origin },
    },
    ...options,
  });
  const embed = (body: object, init: RequestInit = {}) =>
    served.post('/v1/embeddings', { model: 'openai/text-embedding-3-small', dimensions: 4, ...body }, init);
  const asked = () => upstream.calls.filter(({ method }) => method === 'POST');
  const records = async () => {
    const { data } = (await (await served.call('/v1/requests')).json()) as { data: Record<string, unknown>[] };
    return data;
  };
  return { ...served, upstream, embed, asked, records };
}
