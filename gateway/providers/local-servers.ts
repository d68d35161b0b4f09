import { asArray, asObject, asText } from '#shared/json/foreign-json.ts';
import { knownProviderName, type ProviderId } from '#shared/known-providers.ts';
import { readJson } from './upstream/upstream-fetch.ts';

/** A server on this machine that can answer. */
export interface FoundServer {
  readonly id: ProviderId;
  readonly name: string;
  readonly baseUrl: string;
  /** The models that it has, as it names them. */
  readonly models: string[];
}

interface FindOptions {
  readonly fetch: typeof globalThis.fetch;
  /** The ports to knock on; each kind of server has a usual one, and any kind may be on any of them. */
  readonly ports?: readonly number[];
}

/** Ollama, LM Studio, llama.cpp and vLLM, unless their owner says otherwise. */
const usualPorts = [11434, 1234, 8080, 8000];
const answerMs = 1_500;
const shownModels = 200;

/**
 * Looks for servers of one's own on the usual ports of 127.0.0.1, and nowhere else. What a server is it tells by answers
 * that only its kind gives; a redirect is not followed, and what does not answer like any of them is left out.
 */
export async function findLocalServers({ fetch, ports = usualPorts }: FindOptions): Promise<FoundServer[]> {
  const found = await Promise.all(ports.map((port) => serverAt(`http://127.0.0.1:${port}`, fetch)));
  return found.filter((server) => server !== null);
}

async function serverAt(origin: string, fetch: FindOptions['fetch']): Promise<FoundServer | null> {
  const ask = (path: string) => getAnswer(`${origin}${path}`, fetch);
  const list = asObject(await ask('/v1/models'));
  if (!Array.isArray(list.data)) return null;
  const id = (await getKind(ask)) ?? 'openai-compatible';
  const models = list.data.flatMap((entry) => asText(asObject(entry).id) ?? []).slice(0, shownModels);
  return { id, name: knownProviderName(id), baseUrl: `${origin}/v1`, models };
}

/** Each kind's own endpoint, beside those of OpenAI's family. */
async function getKind(ask: (path: string) => Promise<unknown>): Promise<ProviderId | null> {
  const [ollama, lmStudio, llamaCpp, vllm] = await Promise.all(
    ['/api/version', '/api/v0/models', '/props', '/version'].map(async (path) => asObject(await ask(path))),
  );
  if (asArray(lmStudio?.data).some((entry) => 'state' in asObject(entry)) || isEmptyList(lmStudio)) return 'lmstudio';
  if (llamaCpp && 'default_generation_settings' in llamaCpp) return 'llamacpp';
  if (asText(ollama?.version)) return 'ollama';
  return asText(vllm?.version) ? 'vllm' : null;
}

/** LM Studio without a model: a list all the same. */
const isEmptyList = (answer: Readonly<Record<string, unknown>> | undefined) =>
  answer?.object === 'list' && asArray(answer.data).length === 0;

/** The JSON of a free call; null for everything that is none. */
async function getAnswer(url: string, fetch: FindOptions['fetch']): Promise<unknown> {
  const signal = AbortSignal.timeout(answerMs);
  try {
    const response = await fetch(url, { method: 'GET', headers: {}, redirect: 'manual', signal });
    if (response.status === 200) return await readJson(response, url);
    await response.body?.cancel();
  } catch {
    // Nobody there, no answer in time, or no JSON: nothing was found here.
  }
  return null;
}
