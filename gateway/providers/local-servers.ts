import { asArray, asObject, asText } from '#shared/json/foreign-json.ts';
import { knownProviderName, type ProviderId } from '#shared/known-providers.ts';
import { readJson } from './upstream/upstream-fetch.ts';

/** A model server on this machine that can answer. */
export interface FoundServer {
  readonly id: ProviderId;
  readonly name: string;
  readonly baseUrl: string;
  /** Its models, by the server's names. */
  readonly models: string[];
}

interface FindOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Ports to try. Each kind of server has a usual port, but any kind may listen on any of them. */
  readonly ports?: readonly number[];
}

/** Default ports of Ollama, LM Studio, llama.cpp and vLLM. */
const usualPorts = [11434, 1234, 8080, 8000];
const answerMs = 1_500;
const shownModels = 200;

/**
 * Finds self-hosted model servers on the usual ports of 127.0.0.1, and nowhere else. The kind of a server is recognised
 * by answers that only this kind gives. Redirects aren't followed, and a port that doesn't answer like a model server
 * is left out.
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

/** Recognises each kind by an endpoint that it has besides those of the OpenAI API. */
async function getKind(ask: (path: string) => Promise<unknown>): Promise<ProviderId | null> {
  const [ollama, lmStudio, llamaCpp, vllm] = await Promise.all(
    ['/api/version', '/api/v0/models', '/props', '/version'].map(async (path) => asObject(await ask(path))),
  );
  if (asArray(lmStudio?.data).some((entry) => 'state' in asObject(entry)) || isEmptyList(lmStudio)) return 'lmstudio';
  if (llamaCpp && 'default_generation_settings' in llamaCpp) return 'llamacpp';
  if (asText(ollama?.version)) return 'ollama';
  return asText(vllm?.version) ? 'vllm' : null;
}

/** LM Studio without a model answers with an empty list. */
const isEmptyList = (answer: Readonly<Record<string, unknown>> | undefined) =>
  answer?.object === 'list' && asArray(answer.data).length === 0;

/** Returns the JSON of a free call; null for any other answer. */
async function getAnswer(url: string, fetch: FindOptions['fetch']): Promise<unknown> {
  const signal = AbortSignal.timeout(answerMs);
  try {
    const response = await fetch(url, { method: 'GET', headers: {}, redirect: 'manual', signal });
    if (response.status === 200) return await readJson(response, url);
    await response.body?.cancel();
  } catch {
    // Nothing listens there, the answer was late, or it wasn't JSON. In each case no server was found.
  }
  return null;
}
