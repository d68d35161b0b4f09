import type { Model } from '#shared/wire/model.ts';

/** A catalogue for the renderer's tests: made-up models with every kind of price, status and capability. */

interface Sketch {
  provider: string;
  owner: string;
  model: string;
  name: string;
  context: number;
  prompt: string | null;
  completion: string | null;
  cached?: string;
  capabilities?: string[];
  inputs?: string[];
  status?: Model['status'];
  simulated?: boolean;
}

export function fakeModel(sketch: Sketch): Model {
  const priced = sketch.prompt !== null && sketch.completion !== null;
  return {
    id: `${sketch.provider}/${sketch.model}`,
    object: 'model',
    created: 1_780_000_000,
    owned_by: sketch.owner,
    provider: sketch.provider,
    model: sketch.model,
    name: sketch.name,
    description: `${sketch.name} by ${sketch.owner}.`,
    kind: 'chat',
    status: sketch.status ?? 'available',
    unavailable_reason: sketch.status === 'no_credential' ? `needs a key for ${sketch.owner}` : null,
    context_length: sketch.context,
    max_output_tokens: 32_000,
    architecture: { input_modalities: sketch.inputs ?? ['text'], output_modalities: ['text'] },
    capabilities: ['streaming', ...(sketch.capabilities ?? ['tools'])],
    supported_parameters: ['max_tokens', 'temperature'],
    pricing: priced
      ? {
          currency: 'USD',
          unit: 'token',
          prompt: sketch.prompt ?? '0',
          completion: sketch.completion ?? '0',
          input_cache_read: sketch.cached ?? null,
          input_cache_write: null,
          request: '0',
          image: null,
          tiers: [],
          as_of: '2026-11-01',
          source: 'genai-prices',
        }
      : null,
    limits: { max_images: 10, max_request_bytes: 25_000_000 },
    quality: 0.7,
    deprecation_date: null,
    shutdown_date: null,
    aliases: [],
    simulated: sketch.simulated ?? false,
  };
}

export const router: Model = {
  ...fakeModel({
    provider: 'portico',
    owner: 'Portico',
    model: 'router',
    name: 'Auto',
    context: 1_000_000,
    prompt: null,
    completion: null,
  }),
  id: 'router',
  kind: 'router',
};

const all = ['vision', 'tools', 'reasoning', 'prompt_cache'];
const seen = ['text', 'image', 'file'];

export const fakeModels: Model[] = [
  router,
  fakeModel({
    provider: 'sandbox',
    owner: 'Portico',
    model: 'tour',
    name: 'Sandbox Tour',
    context: 32_000,
    prompt: '0.00000025',
    completion: '0.000001',
    simulated: true,
  }),
  fakeModel({
    provider: 'sandbox',
    owner: 'Portico',
    model: 'echo',
    name: 'Sandbox Echo',
    context: 8000,
    prompt: '0.0000001',
    completion: '0.0000001',
    simulated: true,
  }),
  fakeModel({
    provider: 'anthropic',
    owner: 'Anthropic',
    model: 'claude-opus-5',
    name: 'Claude Opus 5',
    context: 1_000_000,
    prompt: '0.000005',
    completion: '0.000025',
    cached: '0.0000005',
    capabilities: all,
    inputs: seen,
  }),
  fakeModel({
    provider: 'anthropic',
    owner: 'Anthropic',
    model: 'claude-haiku-5',
    name: 'Claude Haiku 5',
    context: 200_000,
    prompt: '0.000001',
    completion: '0.000005',
    cached: '0.0000001',
    capabilities: all,
    inputs: seen,
  }),
  fakeModel({
    provider: 'openai',
    owner: 'OpenAI',
    model: 'gpt-5.5',
    name: 'GPT-5.5',
    context: 400_000,
    prompt: '0.0000025',
    completion: '0.000015',
    cached: '0.00000025',
    capabilities: all,
    inputs: [...seen, 'audio'],
    status: 'no_credential',
  }),
  fakeModel({
    provider: 'openai',
    owner: 'OpenAI',
    model: 'gpt-5.5-mini',
    name: 'GPT-5.5 mini',
    context: 400_000,
    prompt: '0.00000025',
    completion: '0.000002',
    cached: '0.000000025',
    capabilities: all,
    inputs: seen,
    status: 'no_credential',
  }),
  fakeModel({
    provider: 'google',
    owner: 'Google',
    model: 'gemini-3.5-pro',
    name: 'Gemini 3.5 Pro',
    context: 2_097_152,
    prompt: '0.000002',
    completion: '0.000012',
    capabilities: all,
    inputs: [...seen, 'audio', 'video'],
    status: 'no_credential',
  }),
  fakeModel({
    provider: 'openai-compatible',
    owner: 'Local',
    model: 'llama-5.2',
    name: 'Llama 5.2',
    context: 131_072,
    prompt: null,
    completion: null,
    capabilities: ['tools'],
  }),
];

/** Makes a catalogue of any size, to test that the window stays fast. */
export function manyModels(size: number): Model[] {
  const owners = ['Meta', 'Mistral', 'xAI', 'DeepSeek', 'Cohere', 'NVIDIA', 'Qwen', 'Groq'];
  return Array.from({ length: size }, (_, index) => {
    const owner = owners[index % owners.length] ?? 'Meta';
    const nano = 60 + ((index * 37) % 9000);
    return fakeModel({
      provider: owner.toLowerCase(),
      owner,
      model: `model-${index}`,
      name: `${owner} ${Math.floor(index / owners.length) + 1}`,
      context: [32_000, 131_072, 256_000, 1_000_000][index % 4] ?? 32_000,
      prompt: `0.${String(nano).padStart(9, '0')}`,
      completion: `0.${String(nano * 5).padStart(9, '0')}`,
      capabilities: index % 3 === 0 ? ['tools', 'reasoning'] : ['tools'],
      inputs: index % 2 === 0 ? ['text', 'image'] : ['text'],
      status: index % 5 === 0 ? 'no_credential' : 'available',
    });
  });
}
