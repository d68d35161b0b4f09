import type { CatalogueModel } from './catalogue.ts';

/** What the price data does not say about a model, by family. Reviewed by hand; quality and speed are priors. */
export type Traits = Pick<
  CatalogueModel,
  'capabilities' | 'supportedParameters' | 'inputModalities' | 'quality' | 'speed' | 'maxOutputTokens'
> & { readonly contextLength: number };

interface Family {
  readonly pattern: RegExp;
  readonly context: number;
  readonly maxOutput: number;
  readonly quality: number;
  /** Milliseconds to the first token, tokens per second. */
  readonly speed: readonly [number, number];
  /** Whether temperature and its like are accepted; reasoning models refuse them. */
  readonly sampling: boolean;
  readonly reasoning: boolean;
}

const family = (
  pattern: RegExp,
  context: number,
  maxOutput: number,
  quality: number,
  speed: readonly [number, number],
  more: { sampling?: boolean; reasoning?: boolean } = {},
): Family => ({
  pattern,
  context,
  maxOutput,
  quality,
  speed,
  sampling: more.sampling ?? false,
  reasoning: more.reasoning ?? true,
});

const classic = { sampling: true, reasoning: false };
const both = { sampling: true, reasoning: true };

/** The first match wins. */
const families: readonly Family[] = [
  family(/^openai\/gpt-6-astra/, 1_050_000, 128_000, 0.95, [2500, 60]),
  family(/^openai\/gpt-6-sol/, 1_050_000, 128_000, 0.9, [1500, 90]),
  family(/^openai\/gpt-6-luna/, 1_050_000, 128_000, 0.68, [700, 160]),
  family(/^openai\/gpt-5\.6-sol/, 1_050_000, 128_000, 0.88, [1800, 75]),
  family(/^openai\/gpt-5\.6-terra/, 1_050_000, 128_000, 0.82, [1300, 90]),
  family(/^openai\/gpt-5\.6-luna/, 1_050_000, 128_000, 0.72, [900, 130]),
  family(/^openai\/gpt-5\.5/, 1_000_000, 128_000, 0.86, [2000, 70]),
  family(/^openai\/gpt-5\.4-nano/, 400_000, 128_000, 0.48, [600, 180]),
  family(/^openai\/gpt-5\.4-mini/, 400_000, 128_000, 0.62, [800, 140]),
  family(/^openai\/gpt-5\.4/, 1_050_000, 128_000, 0.82, [1800, 75]),
  family(/^openai\/gpt-5\.[12]/, 400_000, 128_000, 0.77, [1800, 80]),
  family(/^openai\/gpt-5-nano/, 400_000, 128_000, 0.4, [700, 180]),
  family(/^openai\/gpt-5-mini/, 400_000, 128_000, 0.55, [900, 130]),
  family(/^openai\/gpt-5/, 400_000, 128_000, 0.73, [2000, 75]),
  family(/^openai\/gpt-4\.1-nano/, 1_000_000, 32_768, 0.34, [400, 190], classic),
  family(/^openai\/gpt-4\.1-mini/, 1_000_000, 32_768, 0.46, [500, 110], classic),
  family(/^openai\/gpt-4\.1/, 1_000_000, 32_768, 0.58, [600, 100], classic),
  family(/^openai\/gpt-4o-mini/, 128_000, 16_384, 0.36, [450, 90], classic),
  family(/^openai\/gpt-4o/, 128_000, 16_384, 0.5, [550, 110], classic),
  family(/^openai\/o3-mini/, 200_000, 100_000, 0.55, [3500, 120]),
  family(/^openai\/o4-mini/, 200_000, 100_000, 0.62, [3500, 120]),
  family(/^openai\/o3/, 200_000, 100_000, 0.7, [5000, 90]),
  family(/^anthropic\/claude-fable-5/, 1_000_000, 64_000, 0.96, [2200, 50]),
  family(/^anthropic\/claude-opus-5/, 1_000_000, 64_000, 0.93, [1800, 60]),
  family(/^anthropic\/claude-sonnet-5/, 1_000_000, 64_000, 0.84, [1200, 80]),
  family(/^anthropic\/claude-opus-4-[78]/, 1_000_000, 64_000, 0.87, [1800, 60]),
  family(/^anthropic\/claude-opus-4-6/, 1_000_000, 64_000, 0.84, [1800, 60], both),
  family(/^anthropic\/claude-sonnet-4-6/, 1_000_000, 64_000, 0.78, [1200, 75], both),
  family(/^anthropic\/claude-opus-4-5/, 200_000, 64_000, 0.8, [1800, 60], both),
  family(/^anthropic\/claude-sonnet-4-5/, 200_000, 64_000, 0.74, [1200, 75], both),
  family(/^anthropic\/claude-haiku-4-5/, 200_000, 64_000, 0.57, [700, 150], both),
  family(/^anthropic\/claude-opus-4-1/, 200_000, 32_000, 0.74, [2200, 45], both),
  family(/^google\/gemini-3\.[678]-flash/, 1_048_576, 65_536, 0.74, [900, 170], both),
  family(/^google\/gemini-3\.5-flash-lite/, 1_048_576, 65_536, 0.55, [500, 250], both),
  family(/^google\/gemini-3\.5-flash/, 1_048_576, 65_536, 0.73, [900, 170], both),
  family(/^google\/gemini-3\.1-pro/, 1_048_576, 65_536, 0.83, [2500, 100], both),
  family(/^google\/gemini-3\.1-flash-lite/, 1_048_576, 65_536, 0.5, [500, 250], both),
  family(/^google\/gemini-3-flash/, 1_048_576, 65_536, 0.68, [900, 170], both),
  family(/^google\/gemini-2\.5-pro/, 1_048_576, 65_536, 0.7, [2500, 100], both),
  family(/^google\/gemini-2\.5-flash-lite/, 1_048_576, 65_536, 0.38, [400, 250], both),
  family(/^google\/gemini-2\.5-flash/, 1_048_576, 65_536, 0.52, [700, 180], both),
];

interface ProviderTraits {
  readonly inputs: readonly string[];
  readonly sampling: readonly string[];
  readonly parameters: readonly string[];
}

const everywhere = ['max_tokens', 'tools', 'tool_choice', 'response_format'];

/** What differs by provider rather than by model. `sampling` counts only where the family has it. */
const providerTraits: Readonly<Record<string, ProviderTraits>> = {
  openai: {
    inputs: ['text', 'image', 'file'],
    sampling: ['temperature', 'top_p', 'stop', 'frequency_penalty', 'presence_penalty'],
    parameters: [...everywhere, 'seed', 'parallel_tool_calls', 'user'],
  },
  anthropic: {
    inputs: ['text', 'image', 'file'],
    sampling: ['temperature', 'top_p'],
    parameters: [...everywhere, 'stop', 'parallel_tool_calls', 'user', 'cache_control'],
  },
  google: {
    inputs: ['text', 'image', 'file', 'audio'],
    sampling: ['temperature', 'top_p'],
    parameters: [...everywhere, 'stop', 'seed'],
  },
};

/** The traits of `provider/model`. Throws where the table has no family: a model enters the price book with its traits. */
export function traitsOf(id: string): Traits {
  const found = families.find((candidate) => candidate.pattern.test(id));
  const provider = providerTraits[id.slice(0, id.indexOf('/'))];
  if (!found || !provider) throw new Error(`the catalogue knows no traits of ${id}`);
  return {
    contextLength: found.context,
    maxOutputTokens: found.maxOutput,
    quality: found.quality,
    speed: { firstTokenMs: found.speed[0], tokensPerSecond: found.speed[1] },
    inputModalities: provider.inputs,
    capabilities: [
      'streaming',
      'tools',
      'json_mode',
      'json_schema',
      'vision',
      'files',
      ...(provider.inputs.includes('audio') ? (['audio'] as const) : []),
      ...(found.reasoning ? (['reasoning'] as const) : []),
      'prompt_cache',
    ],
    supportedParameters: [
      ...(found.sampling ? provider.sampling : []),
      ...provider.parameters,
      ...(found.reasoning ? ['reasoning_effort'] : []),
    ],
  };
}
