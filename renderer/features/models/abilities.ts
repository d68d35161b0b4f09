import type { Model } from '#shared/wire/model.ts';

export const abilities = ['vision', 'tools', 'web_search', 'image_output', 'reasoning', 'audio', 'files'] as const;
export type Ability = (typeof abilities)[number];

const modalities: Partial<Record<Ability, string>> = { vision: 'image', audio: 'audio', files: 'file' };

export function isAble(model: Model, ability: Ability): boolean {
  const modality = modalities[ability];
  return (
    model.capabilities.includes(ability) ||
    (modality !== undefined && model.architecture.input_modalities.includes(modality))
  );
}
