import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id, modelId } from '../common/fields.ts';
import { noRouterOptions, parameters, routerOptions } from './options.ts';

/** A preset: model, system prompt and parameters. */
export const preset = z.object({
  id,
  name: z.string().trim().min(1).max(80),
  system: z.string().max(200_000),
  /** Null keeps the current model. */
  model: modelId.nullable(),
  parameters,
  router: routerOptions.default(noRouterOptions),
  /** The preset is the default for new chats. At most one preset is. */
  forNewChats: z.boolean(),
});

/** A preset with its model's display name. */
export const namedPreset = preset.extend({ modelName: z.string().nullable() });

const fields = preset.omit({ id: true, forNewChats: true });

export const presetsFile = z.object({
  format: z.literal('portico-presets'),
  version: z.literal(1),
  presets: z.array(fields).max(500),
});

export const presetsContract = {
  /** Sorted by name. */
  list: oc.output(z.array(namedPreset)),
  /** Creates or replaces the preset with this id. */
  save: oc.input(preset).output(preset),
  remove: oc.input(z.object({ id })).output(z.void()),
  export: oc.output(presetsFile),
  /** Imports the presets that don't exist yet, and returns the counts. */
  import: oc
    .input(z.object({ file: presetsFile }))
    .output(z.object({ added: z.int().nonnegative(), skipped: z.int().nonnegative() })),
};

export type NamedPreset = z.infer<typeof namedPreset>;
export type Preset = z.infer<typeof preset>;
