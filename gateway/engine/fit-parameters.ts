import { createHash } from 'node:crypto';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { CatalogueModel } from '../catalogue/catalogue.ts';
import type { ProviderRequest } from '../providers/provider.ts';
import type { Question } from './answer.ts';

export interface Fitted {
  readonly parameters: ProviderRequest['parameters'];
  readonly openaiOnly: Readonly<Record<string, unknown>>;
  readonly warnings: readonly Warning[];
}

/** Parameters that adapters handle for every model, whatever its record lists. */
const always = new Set(['user', 'response_format', 'parallel_tool_calls', 'tool_choice']);
const anthropicMaxTemperature = 1;

/** Drops what a model does not take and clamps what it takes less of, and says so (wire contract §1.0, §1.1). */
export function fitParameters({ facts, parameters, openaiOnly }: Question, model: CatalogueModel): Fitted {
  const warnings: Warning[] = [];
  const taken = Object.entries(parameters).filter(([name, value]) => {
    if (value === undefined || (name === 'tools' && Array.isArray(value) && value.length === 0)) return false;
    const supported = always.has(name) || model.supportedParameters.includes(name);
    if (!supported) warnings.push(dropped(name, model));
    return supported;
  });
  const kept: ProviderRequest['parameters'] = Object.fromEntries(taken);
  const { tool_choice: _choice, parallel_tool_calls: _parallel, ...withoutToolFields } = kept;
  const fitting = clampTemperature(kept.tools ? kept : withoutToolFields, model, warnings);
  if (!model.supportedParameters.includes('cache_control') && facts.features.promptCache !== null) {
    warnings.push(dropped('cache_control', model));
  }
  const ours = model.provider === 'openai';
  if (!ours) warnings.push(...Object.keys(openaiOnly).map((name) => dropped(name, model)));
  return { parameters: withHashedUser(fitting), openaiOnly: ours ? openaiOnly : {}, warnings };
}

/** Providers get a name for the end user that is always the same and says nothing (wire contract §1.1). */
function withHashedUser(parameters: ProviderRequest['parameters']): ProviderRequest['parameters'] {
  if (parameters.user === undefined) return parameters;
  return { ...parameters, user: createHash('sha256').update(parameters.user).digest('hex').slice(0, 32) };
}

const dropped = (name: string, model: CatalogueModel): Warning => ({
  code: 'parameter_dropped',
  param: name,
  message: `${model.id} does not support "${name}"; it was left out.`,
});

function clampTemperature(
  parameters: ProviderRequest['parameters'],
  model: CatalogueModel,
  warnings: Warning[],
): ProviderRequest['parameters'] {
  if (model.provider !== 'anthropic' || (parameters.temperature ?? 0) <= anthropicMaxTemperature) return parameters;
  const message = `${model.id} takes temperatures up to ${anthropicMaxTemperature}; that was used.`;
  warnings.push({ code: 'temperature_clamped', param: 'temperature', message });
  return { ...parameters, temperature: anthropicMaxTemperature };
}
